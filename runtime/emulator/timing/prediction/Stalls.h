// Stall reasons of waves, by instruction.
//
// The reasons are those of AMD's PC sampling (ROCprofiler-SDK, "stochastic sampling": no-instruction available, ALU
// dependency, waitcnt, internal instruction, barrier wait, arbiter not win, arbiter win execution stall, sleep wait,
// other wait), with one addition: PC sampling counts a lack of places for L1 misses as an execution stall. The model
// counts every clock instead of sampling some.
#pragma once

#include "runtime/emulator/timing/chip/Clocks.h"

#include <array>
#include <string_view>
#include <vector>

namespace nstf::emulator::timing {

enum class Stall : uint8_t {
  NoInstruction,   ///< fetch: a cold line, a taken branch, an instruction across a boundary
  AluDependency,   ///< the wave's own previous vector or matrix instruction is still executing
  Waitcnt,         ///< s_waitcnt, or a full counter or queue
  Internal,        ///< s_nop and the like
  Barrier,         ///< s_barrier
  ArbiterNotWin,   ///< another wave of the SIMD was selected
  ArbiterWinStall, ///< the unit was busy with another wave's instruction
  MissPlaces,      ///< the address unit was held by another wave's access that waited for a free place for an L1 miss
  Sleep,           ///< s_sleep
  Other,           ///< everything else: the ordering of stops
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

/// For one instruction of the program: how often waves issued it and how long they stalled before it, summed over
/// waves.
struct InstructionStalls {
  uint64_t issued = 0;
  std::array<Clocks, stallReasons> clocks = {};
};

/// By number of the instruction (MicroOp::instruction).
using StallTable = std::vector<InstructionStalls>;

} // namespace nstf::emulator::timing
