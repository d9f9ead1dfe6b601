// A set of a wave's registers, for analyses of the code.
#pragma once

#include "runtime/emulator/decode/InstructionFacts.h"
#include "runtime/emulator/decode/MicroOp.h"

#include <bitset>

namespace nstf::emulator::timing {

/// Vector rows, then the places of the SGPR file.
using RegisterSet = std::bitset<temporaryRow + sgpr::count>;

void forEachRegister(const RegisterRange &range, auto function) {
  const size_t first = range.vector ? range.first : temporaryRow + range.first;
  for (size_t i = 0; i < range.count; ++i)
    function(first + i);
}
inline bool meets(const RegisterSet &registers, const RegisterRange &range) {
  bool any = false;
  forEachRegister(range, [&](size_t i) { any |= registers[i]; });
  return any;
}
inline void insert(RegisterSet &registers, const RegisterRange &range) {
  forEachRegister(range, [&](size_t i) { registers.set(i); });
}
inline void erase(RegisterSet &registers, const RegisterRange &range) {
  forEachRegister(range, [&](size_t i) { registers.reset(i); });
}

} // namespace nstf::emulator::timing
