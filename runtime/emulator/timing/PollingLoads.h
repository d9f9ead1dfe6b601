// Loads whose value decides whether a loop goes on: they may wait for another wave.
#pragma once

#include <cstdint>
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

} // namespace nstf::emulator::timing
