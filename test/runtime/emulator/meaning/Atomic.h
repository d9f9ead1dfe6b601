// What atomic instructions make of a memory word.
#pragma once

#include "test/runtime/emulator/meaning/Machine.h"

namespace nstf::emulator::meaning {

struct Atomic {
  const char *name; ///< without type: "ADD", "CMPSWAP"
  Type type;
  bool two = false; ///< compares or masks with a second value
  /// The word's next value of what it holds, the data and the second data.
  u64 (*next)(u64 memory, u64 data, u64 second);
};

/// By operation, of 32 or 64 bits. Exchange-and-compare: `data` is what is written, `second` what is compared with.
const Atomic *findAtomic(const std::string &operation, Type type);

/// A word of `bits` at `at`; atomics change it there.
u64 readWord(const std::vector<u8> &bytes, u64 at, unsigned bits);
void writeWord(std::vector<u8> &bytes, u64 at, unsigned bits, u64 value);

} // namespace nstf::emulator::meaning
