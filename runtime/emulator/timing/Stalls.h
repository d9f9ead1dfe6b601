// Why waves stood still, by instruction.
//
// The words are those of AMD's PC sampling (ROCprofiler-SDK, "stochastic sampling": no-instruction available, ALU
// dependency, waitcnt, internal instruction, barrier wait, arbiter not win, arbiter win execution stall, sleep wait,
// other wait), but for the L1's misses, whose full places are an execution stall there. The model counts every clock
// instead of sampling some.
#pragma once

#include "runtime/emulator/timing/Clocks.h"

#include <array>
#include <string_view>
#include <vector>

namespace nstf::emulator::timing {

enum class Stall : uint8_t {
  NoInstruction,   ///< the fetch: a cold line, a taken branch, an instruction across a boundary
  AluDependency,   ///< the wave's own vector or matrix instruction before it isn't out of the way
  Waitcnt,         ///< s_waitcnt, and a counter or queue that is full
  Internal,        ///< s_nop and the like
  Barrier,         ///< s_barrier
  ArbiterNotWin,   ///< another wave of the SIMD got the turn
  ArbiterWinStall, ///< the unit was busy with another wave's instruction
  MissPlaces,      ///< the address unit held another wave's access, for which the L1's misses had no place
  Sleep,           ///< s_sleep
  Other,           ///< everything else: the order of stop points
};
constexpr size_t stallReasons = 10;
constexpr std::array<std::string_view, stallReasons> stallNames = {"no instruction available",
                                                                   "ALU dependency",
                                                                   "waitcnt",
                                                                   "internal instruction",
                                                                   "barrier wait",
                                                                   "arbiter not win",
                                                                   "arbiter win but execution stalled",
                                                                   "no place for an L1 miss",
                                                                   "sleep wait",
                                                                   "other wait"};

/// Of one instruction of the program: how often waves issued it and how long they stood before it, summed over waves.
struct InstructionStalls {
  uint64_t issued = 0;
  std::array<Clocks, stallReasons> clocks = {};
};

/// By number of the instruction (MicroOp::instruction).
using StallTable = std::vector<InstructionStalls>;

} // namespace nstf::emulator::timing
