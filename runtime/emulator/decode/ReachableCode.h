// The code that is decoded together.
//
// A library's text holds thousands of kernels, and decoding all of it for one of them takes seconds. So a function is
// decoded when control first reaches it: all of the function if its symbol tells where it ends, and otherwise what
// follows up to an instruction after which control does not continue; then the same for the targets of its branches.
// Calls and indirect jumps are not followed: their targets are decoded when a wave gets there.
#pragma once

#include "runtime/emulator/decode/CodeRanges.h"

#include <functional>

namespace nstf::emulator {

class Disassembler;
struct RawInstruction;

/// Whether control may continue after the instruction.
bool fallsThrough(const RawInstruction &instruction);

/// The parts of the texts that are decoded when control reaches `entry`, by address and without what is decoded
/// already. No instruction begins within another one, but the end of an instruction may overlap one that was found
/// before it.
std::vector<Code> reachableCode(Disassembler &disassembler, const CodeRanges &ranges, uint64_t entry,
                                const std::function<bool(uint64_t address)> &isDecoded);

} // namespace nstf::emulator
