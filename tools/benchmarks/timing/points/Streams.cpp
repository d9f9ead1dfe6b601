// Streams, caches and small kernels of gpu-benches.
#include "tools/benchmarks/timing/points/Case.h"

namespace nstf::emulator::timing {

namespace {

/// LDS that keeps all but so many workgroups off a compute unit.
size_t ldsFor(uint64_t groups) { return 65536 / groups & ~size_t(511); }

/// Arrays of 2 GiB are published. The rate is steady long before that, so a part of it runs, as long as what follows
/// from the start alone stays small: 96 groups a slot, 8 million elements at least. Where there is a MALL, other memory
/// is written first, so that it holds nothing of the arrays and gives back what it must write.
void stream(Case &c, const std::string &kernel, double bytesAnElement) {
  const uint32_t block = uint32_t(c.problem.named("block"));
  const uint64_t perUnit = c.problem.named("groups_per_cu"), slots = perUnit * c.bench.chip().computeUnits;
  const uint64_t count = std::max<uint64_t>(40 * slots * block, 4u << 20) / block * block;
  double *a = c.array<double>(count), *b = c.array<double>(count), *d = c.array<double>(count),
         *e = c.array<double>(count);
  LaunchShape shape = line(count, block);
  shape.dynamicLds = ldsFor(perUnit);
  c.flops = double(count);
  c.bytes = bytesAnElement * double(count);
  c.executionOnly = true;
  const uint64_t spoiled = c.bench.chip().mallBytes;
  auto *spoil = spoiled ? c.array<std::byte>(spoiled) : nullptr;
  c.before = [=, &c] {
    if (spoil)
      c.launch("spoil", line(spoiled / 64, 256), spoil);
  };
  c.timed = [=, &c] { c.launch(kernel, shape, a, b, d, e, int(count)); };
  // GB/s: bytes over nanoseconds.
  c.scale = bytesAnElement * double(count);
}

/// Bytes all compute units take together. What fits the L2 is gone over often enough for the first time not to count;
/// of more than that an earlier kernel leaves the MALL what it holds, and the L2 nothing.
void cache(Case &c) {
  const uint64_t bytes = c.problem.named("kB") * 1024;
  const int half = int(bytes / 16 / 2 / 512 * 512);
  const uint64_t swept = uint64_t(half) * 2 * 16;
  const ChipTiming &chip = c.bench.chip();
  const int rounds = swept > chip.l2Bytes ? 1 : int(std::max<uint64_t>(8, (2u << 20) / swept));
  float *memory = c.array<float>(swept / 4 + 4);
  auto go = [=, &c](uint32_t groups, int count) {
    c.launch("cache_sum", {{groups, 1, 1}, {512, 1, 1}}, memory, memory, half, count, 0);
  };
  c.before = [=] { go(chip.xcds, 1); };
  c.timed = [=] { go(chip.computeUnits, rounds); };
  c.executionOnly = true;
  c.flops = 8.0 * double(half) * rounds * chip.computeUnits;
  c.bytes = double(swept);
  c.scale = double(swept) * chip.computeUnits * rounds;
}

void small(Case &c) {
  const uint64_t count = c.problem.named("elements");
  double *a = c.array<double>(count + 16), *b = c.array<double>(count + 16);
  LaunchShape shape{{uint32_t(count / 16 + 1), 1, 1}, {16, 1, 1}};
  c.warmUps = 2;
  c.inARow = true;
  c.timed = [=, &c] { c.launch("small_scale", shape, a, b, int(count)); };
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
