// Disassembly of code objects.
#pragma once

#include "runtime/emulator/memory/CodeObjectContainer.h"

#include <ostream>
#include <string>

namespace nstf::emulator {

struct ListingSummary {
  size_t functions = 0, instructions = 0, notExecuted = 0, unknown = 0;
};

/// Writes the functions of a code object, or of one kernel (its symbol): labels and, for each instruction, its address,
/// its offset from the label, its encoding, its text, the source line (with debug information) and the target of a
/// branch. Bytes that are not an instruction are written as `.long`; instructions that the emulator does not execute
/// are marked. Throws LoadError for a code object of a chip that the emulator does not know.
ListingSummary listCode(const ContainedCodeObject &object, const std::string &kernel, std::ostream &out);

} // namespace nstf::emulator
