// Loads whose value decides whether a loop goes on: they may wait for another wave.
#pragma once

#include "runtime/emulator/timing/RegisterSet.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nstf::emulator {
class ProgramFacts;
}

namespace nstf::emulator::timing {

class ControlFlow;

/// Numbers of the instructions, from memory or LDS, atomics that return a value included: those in the loop, and where
/// an atomic is among them, those before it that give the loop its first values. Conservative: values are followed
/// through registers, whatever EXEC says, and through branches inside the loop that choose between values; not through
/// memory. A loop that leaves by EXEC is followed into what lanes leave by.
std::vector<uint32_t> pollingLoads(const ControlFlow &flow, const ProgramFacts &facts);

/// Registers that decide, just behind a load of a loop, how long its wave goes round and what it does that others may
/// hear: as long as these come back to what they were, and memory is the same, it goes round for ever. All registers
/// where that can't be told; nothing where something else decides as well, such as the clock.
std::optional<RegisterSet> decidingBehind(const ControlFlow &flow, const ProgramFacts &facts, uint32_t load);

} // namespace nstf::emulator::timing
