// Whether each constant of the model matters: doubled, it must move a microbenchmark.
#pragma once

#include "tools/benchmarks/timing/micro/MicroBench.h"

#include <functional>

namespace nstf::emulator::timing {

struct Sensitivity {
  const char *constant;
  /// Doubling the constant must change this by that share of it at least: up where positive, down where negative.
  double min;
  std::function<double(MicroBench &)> measure;
  std::function<void(ChipTiming &)> on = {}; ///< changes the chip first, so that the constant can show
};

/// Every constant, for a chip of that target.
std::vector<Sensitivity> sensitivities(const std::string &target);

/// Mechanisms that keep a constant from mattering: doubled, it must leave the microbenchmark as it is. `min` is 0.
std::vector<Sensitivity> insensitivities();

/// A chip without MALL has no use for its constants and benchmarks, nor one without known power for those of power.
bool doesntApply(const ChipTiming &chip, std::string_view constant);

/// The chip at a size that is simulated in milliseconds: four compute units an XCD, caches and bandwidths to match.
ChipTiming smallVersion(ChipTiming chip);

} // namespace nstf::emulator::timing
