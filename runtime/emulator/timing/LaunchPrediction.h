// What the model says of one launch.
#pragma once

#include "runtime/emulator/timing/Counters.h"
#include "runtime/emulator/timing/MemoryCounters.h"
#include "runtime/emulator/timing/Stalls.h"
#include "support/Occupancy.h"

#include <array>
#include <string_view>

namespace nstf::emulator::timing {

/// What a launch's time is spent on.
enum class Limiter : uint8_t { Matrix, Vector, Lds, L1, L2, Mall, Hbm, WaveLaunch, Latency, KernelLaunch };
constexpr std::array<std::string_view, 10> limiterNames = {
    "matrix", "vector", "LDS", "L1", "L2", "MALL", "HBM", "wave launch", "latency", "kernel launch"};

/// What part of a launch was simulated. All of it: `simulated` is `workgroups`.
struct SampleInfo {
  uint64_t workgroups = 0, simulated = 0; ///< in the launch, and in detail
  uint64_t strata = 1;
  double low = 0, high = 0; ///< 90 % interval of LaunchPrediction::ns
};

/// Everything is predicted, nothing measured.
struct LaunchPrediction {
  double clockMhz = 0;    ///< the assumed core clock
  Clocks clocks = 0;      ///< from the first workgroup's dispatch to the kernel's end
  double executionNs = 0; ///< the same in ns
  double overheadNs = 0;  ///< the launch of a kernel of its own around it (ChipTiming, launch_ns)
  double ns() const { return executionNs + overheadNs; }

  Counters counters;
  MemoryCounters memory;
  StallTable stalls;
  /// How busy each limiter was on average, 0 to 1. Latency: what the busiest leaves; kernel launch: its part of ns().
  std::array<double, limiterNames.size()> use = {};
  Limiter limiter = Limiter::Latency;
  double roofline = 0; ///< Roofline.h
  support::Occupancy occupancy;
  SampleInfo sample;
};

} // namespace nstf::emulator::timing
