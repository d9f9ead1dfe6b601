// The resource that limits a launch's time.
#pragma once

#include "runtime/emulator/timing/prediction/LaunchPrediction.h"

namespace nstf::emulator::timing {

struct ChipTiming;

/// Computes `use` and `limiter` from times and counters. The limiter is the kernel launch if it takes longer than the
/// execution; else the busiest part of the chip, if it is busy for half of the time; else latency.
void findLimiter(LaunchPrediction &prediction, const ChipTiming &chip);

} // namespace nstf::emulator::timing
