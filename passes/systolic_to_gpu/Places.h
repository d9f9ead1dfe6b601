// Where the elements of an array stand, row by row or in the order of operands (#systolic.packed).
#pragma once

#include "passes/systolic_to_gpu/TileLowering.h"

namespace nstf::systolic {

/// Places in elements from the array's first. A null packing: row by row.
struct Places {
  PackedAttr packing;
  int64_t columns; ///< of the array; rank 1 has the rest of its elements in one row
  unsigned elementBits;

  int64_t getPlace(llvm::ArrayRef<int64_t> coordinates) const;
  mlir::Value getPlace(IndexBuilder &index, llvm::ArrayRef<mlir::Value> coordinates) const;

  /// Whether the place of a lane's element is that of its first element plus that of the register's offset: no digit of
  /// the layout may reach into two of the blocks' that do not follow one another. `transposed`: the tile is the array's
  /// transpose.
  bool addsUp(FragmentAttr layout, bool transposed) const;
  /// What an index of dimension `dim` must be a multiple of for its place to add up with those inside a tile.
  int64_t getAlignment(unsigned dim) const;
};

} // namespace nstf::systolic
