// How many elements of a row one access to memory moves.
//
// Rows need not begin at multiples of anything: buffer instructions take any address (ROCm sets the unaligned access
// mode). But an access must not run over the end of its row, where the next row begins, nor begin in front of it.
#pragma once

#include "passes/systolic/Divisor.h"
#include <optional>

namespace nstf::systolic {

/// What is known of the first column that a tile accesses, whose parts begin `modulus` columns apart.
struct KnownIndex {
  Congruence congruence;
  int64_t minimum = 0;

  static KnownIndex of(mlir::Value index) { return {getCongruence(index), getMinimum(index)}; }
  int64_t getDivisor() const;
};

struct RowAccess {
  /// An access that the begin or the end of its row cuts: that of column `at`. So many elements side by side from
  /// column `from` all are in the row, and those of the access among them.
  struct Cut {
    int64_t at, from;
  };

  int64_t width;
  std::optional<Cut> cut;

  /// Of accesses of `wanted` elements of `bits` each to rows of `length`, on which all columns are that are meant.
  static RowAccess get(int64_t wanted, unsigned bits, int64_t length, const KnownIndex &column);

  /// The elements of the access at `cut` that are in the row: the first, and one past the last.
  int64_t firstInside() const { return cut->at < 0 ? -cut->at : 0; }
  int64_t endInside() const { return cut->at < 0 ? width : cut->from + width - cut->at; }
};

} // namespace nstf::systolic
