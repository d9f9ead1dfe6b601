// Launches of the microbenchmarks' kernels, which all take the same arguments (kernels/kernel.inc).
#pragma once

#include "tools/benchmarks/timing/bench/Bench.h"

namespace nstf::emulator::timing {

struct KernelRun {
  std::string kernel;
  uint32_t groups = 1, items = 64;
  uint32_t count = 1; ///< rounds of the kernel's loop
  uint32_t first = 0, second = 0;
  void *memory = nullptr;
};

class MicroBench : public Bench {
public:
  using Bench::Bench;

  /// From what earlier runs left in the caches.
  LaunchPrediction run(const KernelRun &run);
  /// Clocks of one operation where a round of the loop has so many: from two runs with cold caches, so that what comes
  /// before and after the loop, cold code among it, drops out.
  double measureClocks(KernelRun run, uint32_t fewRounds, uint32_t manyRounds, double operationsPerRound);
  /// The same from what `before` leaves in cold caches.
  double clocksBehind(const KernelRun &before, KernelRun run, uint32_t fewRounds, uint32_t manyRounds,
                      double operationsPerRound);
};

} // namespace nstf::emulator::timing
