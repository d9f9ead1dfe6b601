// The new value that an atomic instruction gives a memory word.
#pragma once

#include "test/runtime/emulator/meaning/Machine.h"

namespace nstf::emulator::meaning {

struct Atomic {
  const char *name; ///< without the type: "ADD", "CMPSWAP"
  Type type;
  bool two = false; ///< compares or masks with a second value
  /// The new value, from the old one, the data and the second data.
  u64 (*next)(u64 memory, u64 data, u64 second);
};

/// Looks up an operation on 32 or 64 bits. For compare-and-swap `data` is written and `second` compared with.
const Atomic *findAtomic(const std::string &operation, Type type);

/// The word of `bits` bits at `at`, which atomics change in place.
u64 readWord(const std::vector<u8> &bytes, u64 at, unsigned bits);
void writeWord(std::vector<u8> &bytes, u64 at, unsigned bits, u64 value);

} // namespace nstf::emulator::meaning
