// The model's prediction for one launch.
#pragma once

#include "runtime/emulator/timing/prediction/Counters.h"
#include "runtime/emulator/timing/prediction/MemoryCounters.h"
#include "runtime/emulator/timing/prediction/Stalls.h"
#include "support/Occupancy.h"

#include <array>
#include <string_view>

namespace nstf::emulator::timing {

/// Resources that can limit a launch's time.
enum class Limiter : uint8_t { Matrix, Vector, Lds, L1, L2, Mall, Hbm, WaveLaunch, Latency, KernelLaunch };
constexpr std::array<std::string_view, 10> limiterNames = {
    "matrix", "vector", "LDS", "L1", "L2", "MALL", "HBM", "wave launch", "latency", "kernel launch"};

/// The part of a launch that was simulated. If all of it was, `simulated` equals `workgroups`.
struct SampleInfo {
  uint64_t workgroups = 0, simulated = 0; ///< in the launch; simulated in detail
  uint64_t strata = 1;
  double low = 0, high = 0; ///< 90 % interval of LaunchPrediction::ns
};

/// All values are predicted, none is measured.
struct LaunchPrediction {
  double clockMhz = 0;    ///< the assumed core clock
  Clocks clocks = 0;      ///< from the first workgroup's dispatch to the kernel's end
  double executionNs = 0; ///< the same in ns
  double overheadNs = 0;  ///< the cost of launching the kernel by itself (ChipTiming, launch_ns)
  double ns() const { return executionNs + overheadNs; }

  Counters counters;
  MemoryCounters memory;
  StallTable stalls;
  /// Average utilisation of each limiter, 0 to 1. Latency: what the busiest one leaves; kernel launch: its share of
  /// ns().
  std::array<double, limiterNames.size()> use = {};
  Limiter limiter = Limiter::Latency;
  double roofline = 0; ///< Roofline.h
  support::Occupancy occupancy;
  SampleInfo sample;
};

} // namespace nstf::emulator::timing
