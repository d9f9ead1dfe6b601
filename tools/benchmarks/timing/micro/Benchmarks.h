// The microbenchmarks: each shows one number of the model, beside what a source says it is.
#pragma once

#include "tools/benchmarks/timing/micro/MicroBench.h"

#include <functional>
#include <limits>

namespace nstf::emulator::timing {

/// What a source says of each chip; NaN: nothing, or the chip doesn't have it.
struct Known {
  double mi300x = std::numeric_limits<double>::quiet_NaN(), mi250x = std::numeric_limits<double>::quiet_NaN();
};

/// How far a prediction may be off, percent.
enum Limit { exactly = 1, arithmetic = 3, lds = 5, latency = 5, bandwidth = 10, dispatching = 10 };

struct Benchmark {
  std::string name, unit;
  Known known;
  int limit = arithmetic;
  std::string
      constant; ///< its key in the chip's file: where that is unverified, the benchmark only prints. May be empty
  std::function<double(MicroBench &)> predict;
};

// By family, for the target of the bench's chip.
std::vector<Benchmark> matrixBenchmarks(const std::string &target);
std::vector<Benchmark> vectorBenchmarks();
std::vector<Benchmark> ldsBenchmarks();
std::vector<Benchmark> memoryBenchmarks();
std::vector<Benchmark> sizeBenchmarks();
std::vector<Benchmark> dispatchBenchmarks();

} // namespace nstf::emulator::timing
