// The number of elements of a row that one memory access moves.
//
// Rows may begin at any address, because buffer instructions accept any (ROCm sets the unaligned access mode). But an
// access must not extend past the end of its row, where the next row begins, nor begin before the row.
#pragma once

#include "passes/systolic/Divisor.h"
#include <optional>

namespace nstf::systolic {

/// Static facts about the first column that a tile accesses.
struct KnownIndex {
  Congruence congruence;
  int64_t minimum = 0;

  static KnownIndex of(mlir::Value index) { return {getCongruence(index), getMinimum(index)}; }
  int64_t getDivisor() const;
};

struct RowAccess {
  /// An access, of column `at`, that the start or the end of its row cuts. The `width` elements from column `from` on
  /// are all inside the row, and include the part of the access that is.
  struct Cut {
    int64_t at, from;
  };

  int64_t width;
  std::optional<Cut> cut;

  /// The access for up to `wanted` elements of `bits` each to rows of `length` elements; `column` describes the columns
  /// at which accesses begin.
  static RowAccess get(int64_t wanted, unsigned bits, int64_t length, const KnownIndex &column);

  /// The elements of the access at `cut` that are inside the row: the first, and one past the last.
  int64_t firstInside() const { return cut->at < 0 ? -cut->at : 0; }
  int64_t endInside() const { return cut->at < 0 ? width : cut->from + width - cut->at; }
};

} // namespace nstf::systolic
