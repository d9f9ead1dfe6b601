// Static facts about an index: its residues, divisors and minimum.
#pragma once

#include "mlir/IR/Value.h"

namespace nstf::systolic {

/// An index is `residue` plus some multiple of `modulus`; modulus 0 means that the index is the constant `residue`.
struct Congruence {
  int64_t modulus = 1, residue = 0;

  /// The non-negative remainder of the index modulo `divisor`, if known.
  std::optional<int64_t> modulo(int64_t divisor) const {
    if (modulus % divisor != 0)
      return std::nullopt;
    return (residue % divisor + divisor) % divisor;
  }
};

Congruence getCongruence(mlir::Value index);

/// A number that divides an index; 0 for the constant 0, which every number divides.
int64_t getDivisor(mlir::Value index);

/// A lower bound of an index. Indices are at least 0, except those computed by subtracting a constant.
int64_t getMinimum(mlir::Value index);

} // namespace nstf::systolic
