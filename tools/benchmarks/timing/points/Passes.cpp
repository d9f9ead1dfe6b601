// Programs of many launches, and transforms of 512 points. Published times include copies from the host. Copies to
// memory pass through the last-level cache, so this cache holds the copied data when the first launch begins, as it
// does after any earlier run.
#include "tools/benchmarks/timing/points/Case.h"

namespace nstf::emulator::timing {

namespace {

void walsh(Case &c) {
  const uint64_t n = c.problem.number(0);
  float *array = c.array<float>(n);
  c.timed = [=, &c] {
    c.copyFromHost(n * sizeof(float));
    for (uint64_t step = 1; step < n; step *= 2)
      c.launch("fastwalshtransform", line(n / 2, 256), array, int(step));
  };
  c.flops = double(n) * std::log2(double(n));
  c.bytes = 8.0 * double(n) * std::log2(double(n));
}

void floyd(Case &c) {
  const uint64_t n = c.problem.number(0);
  auto *distances =
      c.array<uint32_t>(n * n, [=](uint64_t i) { return uint32_t(i % (n + 1) ? i * 7919 % 100 + 1 : 0); });
  auto *paths = c.array<uint32_t>(n * n);
  LaunchShape shape{{uint32_t(n / 8), uint32_t(n / 8), 1}, {8, 8, 1}};
  c.timed = [=, &c] {
    c.copyFromHost(n * n * 4);
    c.copyFromHost(n * n * 4);
    for (uint64_t k = 0; k < n; ++k)
      c.launch("floydwarshall", shape, distances, paths, uint32_t(n), uint32_t(k));
  };
  c.flops = double(n * n * n);
  c.bytes = 4.0 * double(n * n * n);
}

void sort(Case &c) {
  const uint64_t n = c.problem.number(0);
  auto *array = c.array<uint32_t>(n, [](uint64_t i) { return uint32_t(i * 2654435761u); });
  uint32_t stages = 0;
  while ((uint64_t(1) << stages) < n)
    ++stages;
  c.timed = [=, &c] {
    c.copyFromHost(n * 4);
    for (uint32_t stage = 0; stage < stages; ++stage)
      for (uint32_t pass = 0; pass <= stage; ++pass)
        c.launch("bitonicsort", line(n / 2, 64), array, stage, pass, 1u);
  };
  c.flops = double(n) / 2 * stages * (stages + 1) / 2;
  c.bytes = 8.0 * double(n) * stages * (stages + 1) / 2;
}

void alignment(Case &c) {
  const uint64_t length = c.problem.number(0), columns = length + 1, blocks = length / 64;
  int *reference = c.array<int>(columns * columns), *scores = c.array<int>(columns * columns);
  c.timed = [=, &c] {
    c.copyFromHost(columns * columns * 4);
    for (int block = 1; block <= int(blocks); ++block)
      c.launch("nw", {{uint32_t(block), 1, 1}, {64, 1, 1}}, reference, scores, int(columns), 10, 64, 0, block - 1);
    for (int block = int(blocks) - 1; block >= 1; --block)
      c.launch("nw", {{uint32_t(block), 1, 1}, {64, 1, 1}}, reference, scores, int(columns), 10, 64,
               int(blocks) - block, int(blocks) - 1);
  };
  c.flops = 3.0 * double(length * length);
  c.bytes = 12.0 * double(length * length);
}

void fft(Case &c) {
  const uint64_t n = c.problem.number(0);
  float *work = c.array<float>(2 * n, [](uint64_t i) { return float(i * 7919 % 1000) / 500 - 1; });
  c.timed = [=, &c] { c.launch("fft1D_512", {{uint32_t(n / 512), 1, 1}, {64, 1, 1}}, work); };
  c.flops = 5.0 * double(n) * 9;
  c.bytes = 16.0 * double(n);
}

} // namespace

void addPasses(Cases &cases) {
  cases.insert({{"fastwalshtransform", walsh},
                {"floydwarshall", floyd},
                {"bitonicsort", sort},
                {"nw", alignment},
                {"fft1D_512", fft}});
}

} // namespace nstf::emulator::timing
