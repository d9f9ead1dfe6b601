// The classes of HazardTable.def.
#pragma once

#include "runtime/emulator/decode/InstructionFacts.h"

#include <span>

namespace nstf::emulator::checks {

/// How the registers of producer and consumer must overlap.
enum class HazardOverlap : uint8_t { Any, PastDgemm, NearestAny, NearestSame, NearestPartial, NearestOther };
enum class HazardChips : uint8_t { Both, Gfx90a, Gfx942 };

/// The resources in a hazard: registers, or other state, numbered from `hazardUnit` on (the hardware register of
/// s_setreg, MODE, the f64 ALU).
using HazardRegisters = std::vector<RegisterRange>;
constexpr uint16_t hazardUnit = 0x4000;

using HazardClass = void (*)(const InstructionFacts &, HazardRegisters &);

struct HazardRule {
  const char *name;
  HazardChips chips;
  HazardClass producer, consumer;
  HazardOverlap overlap;
  unsigned (*waitStates)(unsigned passes);
  const char *source;
};
std::span<const HazardRule> hazardRules();

/// Largest number of wait states in the table.
constexpr unsigned maxWaitStates = 19;

} // namespace nstf::emulator::checks
