// The places of the elements of an array, stored row by row or in the order of operands (#systolic.packed).
#pragma once

#include "passes/systolic_to_gpu/TileLowering.h"

namespace nstf::systolic {

/// Places, in elements from the array's first. A null packing means row by row.
struct Places {
  PackedAttr packing;
  int64_t columns; ///< of the array; an array of rank 1 is a single row
  unsigned elementBits;

  int64_t getPlace(llvm::ArrayRef<int64_t> coordinates) const;
  mlir::Value getPlace(IndexBuilder &index, llvm::ArrayRef<mlir::Value> coordinates) const;

  /// Whether the place of a lane's element is the sum of the place of its first element and that of the register's
  /// offset. This holds if no digit of the layout spans two digits of the packing that are not contiguous.
  /// `transposed`: the tile is the array's transpose.
  bool addsUp(FragmentAttr layout, bool transposed) const;
  /// The number that must divide an index of dimension `dim`, so that its place can be added to places inside a tile.
  int64_t getAlignment(unsigned dim) const;
};

} // namespace nstf::systolic
