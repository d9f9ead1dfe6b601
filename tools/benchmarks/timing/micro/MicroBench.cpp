#include "tools/benchmarks/timing/micro/MicroBench.h"

namespace nstf::emulator::timing {

LaunchPrediction MicroBench::run(const KernelRun &run) {
  struct Arguments {
    void *memory;
    uint32_t count, first, second;
  } arguments{run.memory, run.count, run.first, run.second};
  std::byte block[sizeof(Arguments) + argumentPadding] = {};
  std::memcpy(block, &arguments, sizeof(arguments));
  return launch(run.kernel, {{run.groups, 1, 1}, {run.items, 1, 1}}, block);
}

static double clocksBetween(MicroBench &bench, const KernelRun *before, KernelRun run, uint32_t fewRounds,
                            uint32_t manyRounds, double operationsPerRound) {
  auto clocksWith = [&](uint32_t rounds) {
    bench.forget();
    if (before)
      bench.run(*before);
    run.count = rounds;
    return double(bench.run(run).clocks);
  };
  const double few = clocksWith(fewRounds);
  return (clocksWith(manyRounds) - few) / ((manyRounds - fewRounds) * operationsPerRound);
}

double MicroBench::measureClocks(KernelRun run, uint32_t fewRounds, uint32_t manyRounds, double operationsPerRound) {
  return clocksBetween(*this, nullptr, std::move(run), fewRounds, manyRounds, operationsPerRound);
}

double MicroBench::clocksBehind(const KernelRun &before, KernelRun run, uint32_t fewRounds, uint32_t manyRounds,
                                double operationsPerRound) {
  return clocksBetween(*this, &before, std::move(run), fewRounds, manyRounds, operationsPerRound);
}

} // namespace nstf::emulator::timing
