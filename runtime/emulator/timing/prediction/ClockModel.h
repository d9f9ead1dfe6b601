// The core clock that a chip sustains.
//
// Short work runs at the peak clock. The power limit lowers the clock of long work. Power is the sum of idle power, a
// part that grows with the clock, and energies of bytes and operations (ChipTiming, idle_power and the fields after
// it); the sustained clock is the highest at which the sum stays within the limit. The constants are fitted on MI300X,
// with 15 W rms on the fitted points; a predicted clock is accurate to about 10 %. A chip without a known limit has one
// sustained clock for all work.
#pragma once

#include "runtime/emulator/decode/Instructions.h"

#include <cstdint>

namespace nstf::emulator::timing {

struct ChipTiming;

constexpr double slowestAssumedClock = 100, fastestAssumedClock = 2500; ///< MHz; range that a user may request

/// The work of a whole launch that consumes energy.
struct PowerDemand {
  double hbmBytes = 0;
  double vectorFlops = 0;                                ///< includes matrix flops of f32 and wider
  double f16Flops = 0, bf16Flops = 0, eightBitFlops = 0; ///< of matrix instructions

  /// Adds wave instructions. Every vector instruction counts as a fused multiply-add of 64 lanes.
  void addInstructions(Opcode opcode, uint64_t count);
};

/// The clock in MHz at which the launch runs if it is repeated. At the peak clock it takes `peakNs`, of which the part
/// `coreShare` (0 to 1) scales with the core clock and the rest does not.
double sustainedClock(const ChipTiming &chip, const PowerDemand &demand, double peakNs, double coreShare);

} // namespace nstf::emulator::timing
