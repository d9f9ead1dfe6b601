// Machine code as text.
#pragma once

#include "runtime/emulator/memory/CodeObjectContainer.h"

#include <ostream>
#include <string>

namespace nstf::emulator {

struct ListingSummary {
  size_t functions = 0, instructions = 0, notExecuted = 0, unknown = 0;
};

/// Writes the functions of a code object, or of one kernel (its symbol): labels, for each instruction its address, its
/// offset from the label, its encoding and its text, the source line where debug information has one, where a branch
/// goes. Bytes that are no instruction are `.long`; what the emulator doesn't execute is marked. Throws LoadError for a
/// code object of a chip that the emulator doesn't know.
ListingSummary listCode(const ContainedCodeObject &object, const std::string &kernel, std::ostream &out);

} // namespace nstf::emulator
