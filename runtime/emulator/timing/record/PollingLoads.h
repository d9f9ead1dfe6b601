// Loads whose value decides whether a loop continues: the loop may be waiting for another wave.
#pragma once

#include "runtime/emulator/timing/record/RegisterSet.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace nstf::emulator {
class ProgramFacts;
}

namespace nstf::emulator::timing {

class ControlFlow;

/// Numbers of these instructions. They load from memory or LDS, or are atomics that return a value. They are those in
/// the loop and, if an atomic is among them, those before it that give the loop its initial values. The analysis is
/// conservative: it follows values through registers, whatever EXEC is, and through branches inside the loop that
/// select values, but not through memory. For a loop that ends by EXEC, it follows the values by which lanes leave.
std::vector<uint32_t> pollingLoads(const ControlFlow &flow, const ProgramFacts &facts);

/// Registers that decide, just after a load of a loop, how many rounds the wave makes and which effects other waves can
/// observe. While these registers return to earlier values and memory does not change, the loop never ends. All
/// registers if the analysis fails; nothing if something else decides too, such as the clock.
std::optional<RegisterSet> decidingBehind(const ControlFlow &flow, const ProgramFacts &facts, uint32_t load);

} // namespace nstf::emulator::timing
