// What is known of an index before it has a value.
#pragma once

#include "mlir/IR/Value.h"

namespace nstf::systolic {

/// An index is `residue` and some multiple of `modulus`, which is 0 where the index is the constant `residue`.
struct Congruence {
  int64_t modulus = 1, residue = 0;

  /// What is left of the index modulo `divisor`, from 0 up, where that is known.
  std::optional<int64_t> modulo(int64_t divisor) const {
    if (modulus % divisor != 0)
      return std::nullopt;
    return (residue % divisor + divisor) % divisor;
  }
};

Congruence getCongruence(mlir::Value index);

/// A number that divides an index; 0 for the constant 0, which everything divides.
int64_t getDivisor(mlir::Value index);

/// What an index is never below. Indices are at least 0, but for those made by subtracting a constant.
int64_t getMinimum(mlir::Value index);

} // namespace nstf::systolic
