// The classes of HazardTable.def.
#pragma once

#include "runtime/emulator/decode/InstructionFacts.h"

#include <algorithm>
#include <span>

namespace nstf::emulator::checks {

/// How the registers of producer and consumer must overlap.
enum class HazardOverlap : uint8_t {
  Any,
  PastDgemm,
  NearestAny,
  NearestStraight,
  NearestPastJump,
  NearestSame,
  NearestPartial,
  NearestOther
};
enum class HazardChips : uint8_t { Both, Gfx90a, Gfx942 };
/// Advice: shipped kernels don't keep to it.
enum class HazardGrade : uint8_t { Rule, Advice };

/// The resources in a hazard: registers, or other state, numbered from `hazardUnit` on (the hardware register of
/// s_setreg, MODE, the f64 ALU).
using HazardRegisters = std::vector<RegisterRange>;
constexpr uint16_t hazardUnit = 0x4000;

using HazardClass = void (*)(const InstructionFacts &, HazardRegisters &);

struct HazardRule {
  const char *name;
  HazardGrade grade;
  HazardChips chips;
  HazardClass producer, consumer;
  HazardOverlap overlap;
  unsigned (*waitStates)(unsigned passes);
  const char *source;
  const char *evidence; ///< that it is advice only; else empty
};
std::span<const HazardRule> hazardRules();

/// When the matrix units of a SIMD take the wave's next instruction, in wait states of the wave. An instruction waits
/// until the one before it in the same unit has left the pipe; a pass takes as long as a wait state. Instructions of
/// f64 run in the vector ALU's pipe.
class MatrixPipes {
public:
  /// The time at which an instruction that comes at `time` issues.
  uint64_t issue(const InstructionFacts &facts, uint64_t time) {
    if (facts.kind != InstructionKind::Matrix)
      return time;
    uint64_t &free = facts.matrix == MatrixUnit::Double ? doubleFree : otherFree;
    time = std::max(time, free);
    free = time + facts.passes;
    return time;
  }

private:
  uint64_t doubleFree = 0, otherFree = 0;
};

/// Largest number of wait states in the table.
constexpr unsigned maxWaitStates = 19;

} // namespace nstf::emulator::checks
