// The core clock that a chip holds.
//
// Short work runs at the peak clock. Long work is held down by the power limit: power is a sum of idle power, a part
// that grows with the clock, and energies of bytes and operations (ChipTiming, idle_power and the fields after it); the
// sustained clock is the highest at which the sum keeps to the limit. A fit on MI300X, 15 W rms on what it was fitted
// to; a clock from it is good to about 10 %. A chip without a known limit has one sustained clock for all work.
#pragma once

#include "runtime/emulator/decode/Instructions.h"

#include <cstdint>

namespace nstf::emulator::timing {

struct ChipTiming;

constexpr double slowestAssumedClock = 100, fastestAssumedClock = 2500; ///< MHz that a user may ask for

/// What work takes its energy, in all of a launch.
struct PowerDemand {
  double hbmBytes = 0;
  double vectorFlops = 0;                                ///< and matrix flops of f32 and wider
  double f16Flops = 0, bf16Flops = 0, eightBitFlops = 0; ///< of matrix instructions

  /// Adds wave instructions: a vector instruction counts as a fused multiply-add of 64 lanes, whatever it is.
  void addInstructions(Opcode opcode, uint64_t count);
};

/// The clock in MHz at which the launch runs again and again, when at the peak clock it takes `peakNs`, of which
/// the part `coreShare` (0 to 1) goes with the core clock and the rest does not.
double sustainedClock(const ChipTiming &chip, const PowerDemand &demand, double peakNs, double coreShare);

} // namespace nstf::emulator::timing
