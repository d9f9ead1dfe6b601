// One digit of the mixed-radix numbers of a fragment layout (Attrs.td, #systolic.fragment).
#pragma once

#include "llvm/ADT/Hashing.h"
#include <cstdint>

namespace nstf::systolic {

/// A value v in [0, count) adds v * stride to coordinate `dim`; dim -1: the element is replicated.
struct Digit {
  int64_t dim, count, stride;
  bool operator==(const Digit &other) const = default;
};

inline llvm::hash_code hash_value(const Digit &digit) {
  return llvm::hash_combine(digit.dim, digit.count, digit.stride);
}

} // namespace nstf::systolic
