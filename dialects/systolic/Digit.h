// One digit of the mixed-radix numbers that fragments are made of (SystolicAttrs.td, #systolic.fragment).
#pragma once

#include "llvm/ADT/Hashing.h"
#include <cstdint>

namespace nstf::systolic {

/// Value v in [0, count) moves coordinate `dim` by v * stride; dim -1: the element is replicated.
struct Digit {
  int64_t dim, count, stride;
  bool operator==(const Digit &other) const = default;
};

inline llvm::hash_code hash_value(const Digit &digit) {
  return llvm::hash_combine(digit.dim, digit.count, digit.stride);
}

} // namespace nstf::systolic
