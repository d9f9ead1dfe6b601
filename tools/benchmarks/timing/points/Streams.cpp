// Streams, caches and small kernels of gpu-benches.
#include "tools/benchmarks/timing/points/Case.h"

namespace nstf::emulator::timing {

namespace {

/// The bytes of LDS with which only `groups` workgroups fit on a compute unit.
size_t ldsFor(uint64_t groups) { return 65536 / groups & ~size_t(511); }

/// The published arrays have 2 GiB, so their begin and end (the L2s keep what is stored first, and write it back last)
/// do not matter. Here a part of them runs, and half of that by itself; the rate is that of the other half.
constexpr uint64_t groupsASlot = 20;
/// Traffic of this multiple of a cache's size evicts everything that it held before.
constexpr double throughCache = 1.25;

/// The published kernel runs repeatedly. Each run finds the last-level cache as the previous run left it, without the
/// begin of the arrays, and writes back as much as that run left dirty. So the same kernel first runs on other arrays,
/// long enough to fill the cache.
void stream(Case &c, const std::string &kernel, double bytesAnElement) {
  const ChipTiming &chip = c.bench.chip();
  const uint32_t block = uint32_t(c.problem.named("block"));
  const uint64_t perUnit = c.problem.named("groups_per_cu"), slots = perUnit * chip.computeUnits;
  auto sweep = [&](uint64_t elements) {
    const uint64_t count = countGroups(elements, block) * uint64_t(block);
    double *a = c.array<double>(count), *b = c.array<double>(count), *d = c.array<double>(count),
           *e = c.array<double>(count);
    LaunchShape shape = line(count, block);
    shape.dynamicLds = ldsFor(perUnit);
    return [=, &c] { c.launch(kernel, shape, a, b, d, e, int(count)); };
  };
  const double l2 = double(chip.l2Bytes * chip.xcds), lastLevel = std::max(double(chip.mallBytes), l2);
  const uint64_t half =
      std::max<uint64_t>(groupsASlot * slots * block, uint64_t(throughCache * l2 / sizeof(double))) / block * block;
  c.timed = sweep(2 * half);
  c.beginning = sweep(half);
  c.before = sweep(uint64_t(throughCache * lastLevel / bytesAnElement));
  c.submission = Submission::None;
  c.flops = double(half);
  c.bytes = c.scale = bytesAnElement * double(half); // GB/s: bytes over nanoseconds
}

/// The bytes that all compute units read together. The published kernel repeats its set until it has read 30 GB, so
/// neither the caches' contents before nor the simultaneous start of the waves matter: older waves are served first
/// until they have a lead, and reuse lines in the L1 before other waves evict them. So the time of a run a third as
/// long is subtracted. A workgroup has 512 work-items, or as many as the smallest sets have pairs. A round of the
/// kernel reads a small set four times.
void cache(Case &c) {
  const uint64_t kilobytes = c.problem.named("kB"), swept = kilobytes * 1024, pairs = swept / 16 / 2;
  const uint32_t block = pairs < 256 ? 128 : pairs < 512 ? 256 : 512;
  const ChipTiming &chip = c.bench.chip();
  const int rounds = int(std::max<uint64_t>(1, (4u << 20) / swept + 3 & ~uint64_t(3)));
  float *memory = c.array<float>(swept / 4 + 4);
  auto go = [=, &c](uint32_t groups, int count) {
    c.launch("cache_sum_" + std::to_string(kilobytes), {{groups, 1, 1}, {block, 1, 1}}, memory, memory, count, 0);
  };
  c.before = [=] { go(chip.xcds, 1); };
  c.beginning = [=] { go(chip.computeUnits, rounds); };
  c.timed = [=] { go(chip.computeUnits, 3 * rounds); };
  c.submission = Submission::None;
  c.scale = double(swept) * chip.computeUnits * 2 * rounds;
  c.flops = c.scale / 4;
  c.bytes = double(swept);
}

void small(Case &c) {
  const uint64_t count = c.problem.named("elements");
  double *a = c.array<double>(count + 16), *b = c.array<double>(count + 16);
  LaunchShape shape{{uint32_t(count / 16 + 1), 1, 1}, {16, 1, 1}};
  c.warmUps = 2;
  c.submission = Submission::InARow;
  c.timed = [=, &c, back = false]() mutable {
    c.launch("small_scale", shape, back ? b : a, back ? a : b, int(count));
    back = !back;
  };
  c.flops = double(count);
  c.bytes = c.scale = 16.0 * double(count);
}

} // namespace

void addStreams(Cases &cases) {
  const std::pair<const char *, double> kernels[] = {{"stream_init", 8},   {"stream_read", 8}, {"stream_scale", 16},
                                                     {"stream_triad", 32}, {"stream_3pt", 16}, {"stream_5pt", 16}};
  for (auto [kernel, bytes] : kernels)
    cases[kernel] = [kernel = std::string(kernel), bytes = bytes](Case &c) { stream(c, kernel, bytes); };
  cases["cache_sum"] = cache;
  cases["small_scale"] = small;
}

} // namespace nstf::emulator::timing
