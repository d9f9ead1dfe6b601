// Where the elements of a tile live: in matrix cells dealt out to waves, or as plain loads leave them.
#pragma once

#include "dialects/systolic/MatrixRegisterMap.h"
#include "dialects/systolic/Systolic.h"

namespace nstf::systolic {

/// The layout of a whole operand of a product on `array`. A is MxK, B KxN, Acc MxN. After the cell's own digits
/// (MatrixRegisterMap.h) come the cells along K, then the cells of the wave; rows of waves split M, columns N, parts K.
/// Acc has the parts of a sum below each other, each MxN. Null where the tile is no whole number of cells for the
/// array's waves, or where the array has no cell that the maps hold for.
FragmentAttr getMmaLayout(SystolicArrayAttr array, MmaOperand operand, llvm::ArrayRef<int64_t> shape, int64_t waveSize);

/// The layout of the sum, MxN, of the parts that `array` made: a wave adds up a share of the registers of what it held
/// a part of, neighbours and at least one access to LDS; where that makes fewer shares than parts, the other waves do
/// the same again. Null where registers do not come out even.
FragmentAttr getSumLayout(SystolicArrayAttr array, llvm::ArrayRef<int64_t> shape, int64_t waveSize);

/// Registers of 32 bits that one access to LDS moves.
constexpr int64_t registersOfAccess = 4;

/// A layout for loads and elementwise code: lanes along the last dimension with up to 16 bytes each, then along rows;
/// waves along rows, then along what is left of the columns; the rest replicated. `wavesApart`: the rows of a wave are
/// neighbours, as far as a lane has several; else those of one register are.
FragmentAttr getBlockedLayout(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> shape, unsigned elementBits,
                              int64_t waves, int64_t waveSize, bool wavesApart = false);

/// Layouts of a tile whose lanes hold patches of `depth` rows and up to 16 bytes of each: as memory gives them, along
/// rows, and with the registers in the order of columns, so that the lane can write what stands below each other as
/// one. Lanes go down the rows first: a wave writes whole columns. Nulls where the tile is no patch for every lane.
struct PatchLayouts {
  FragmentAttr alongRows, alongColumns;
};
PatchLayouts getPatchLayouts(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> shape, unsigned elementBits,
                             int64_t depth, int64_t waves, int64_t waveSize);

/// A layout for loads from memory in blocks: a wave takes a block at once, waves one row of blocks each and then
/// blocks along it. Null where the tile is no whole number of blocks.
FragmentAttr getPackedLayout(PackedAttr packing, llvm::ArrayRef<int64_t> shape, unsigned elementBits, int64_t waves);

/// Consecutive registers along dimension `dim` that one access of up to 16 bytes can move: a power of two.
int64_t getVectorWidth(FragmentAttr layout, int64_t dim, unsigned elementBits);

/// The registers of a tile access by access, those of one in the order in which they stand side by side in an array.
struct AccessRegisters {
  int64_t width; ///< of an access
  llvm::SmallVector<int64_t> order;

  int64_t getNumAccesses() const { return order.size() / width; }
  llvm::ArrayRef<int64_t> of(int64_t access) const { return llvm::ArrayRef(order).slice(access * width, width); }
};

/// Accesses of `width` consecutive registers, or, where an array is packed by runs that are no longer than that, of
/// whole granules if a lane holds all runs of these. `dim`: of the tile, along the array's rows.
AccessRegisters getAccessRegisters(FragmentAttr layout, int64_t width, int64_t dim, PackedAttr packing,
                                   unsigned elementBits);

} // namespace nstf::systolic
