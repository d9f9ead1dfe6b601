// Layouts of tiles: matrix cells distributed over waves, and blocked layouts of plain loads.
#pragma once

#include "dialects/systolic/MatrixRegisterMap.h"
#include "dialects/systolic/Systolic.h"

namespace nstf::systolic {

/// The layout of a whole operand of a product on `array`. A is MxK, B KxN, Acc MxN. The digits of the cell
/// (MatrixRegisterMap.h) are followed by those of the cells along K, then of the wave's other cells. Rows of waves
/// split M, columns of waves split N, parts split K. Acc has the parts of a sum stacked along the rows, each MxN. Null
/// if the tile is not a whole number of cells for the array's waves, or if the register maps have no cell of the
/// array's shape.
FragmentAttr getMmaLayout(SystolicArrayAttr array, MmaOperand operand, llvm::ArrayRef<int64_t> shape, int64_t waveSize);

/// The layout of the sum, MxN, of the parts of `array`. A wave adds up a share of the registers that it held of its
/// part; the registers of a share are adjacent and fill at least one LDS access. If there are fewer shares than parts,
/// the remaining waves compute the same sums again. Null if the registers do not divide evenly.
FragmentAttr getSumLayout(SystolicArrayAttr array, llvm::ArrayRef<int64_t> shape, int64_t waveSize);

/// Registers of 32 bits that one LDS access moves.
constexpr int64_t registersOfAccess = 4;

/// A layout for loads and elementwise code: lanes along the last dimension with up to 16 bytes each, then along rows;
/// waves along rows, then along the remaining columns; other digits are replicated. With `wavesApart` the rows of a
/// wave are adjacent, as far as a lane has several; otherwise the rows of one register are.
FragmentAttr getBlockedLayout(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> shape, unsigned elementBits,
                              int64_t waves, int64_t waveSize, bool wavesApart = false);

/// Layouts of a tile whose lanes hold patches of `depth` rows and up to 16 bytes of each row: one along rows, as memory
/// stores them, and one with the registers in the order of columns, so that a lane can write a column of its patch at
/// once. Lanes run down the rows first, so that a wave writes whole columns. Nulls if the tile does not give every
/// lane a patch.
struct PatchLayouts {
  FragmentAttr alongRows, alongColumns;
};
PatchLayouts getPatchLayouts(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> shape, unsigned elementBits,
                             int64_t depth, int64_t waves, int64_t waveSize);

/// A layout for loads from memory stored in blocks: a wave loads one block at a time; waves are placed along rows of
/// blocks, then along the blocks of a row. Null if the tile is not a whole number of blocks.
FragmentAttr getPackedLayout(PackedAttr packing, llvm::ArrayRef<int64_t> shape, unsigned elementBits, int64_t waves);

/// Consecutive registers along dimension `dim` that one access of up to 16 bytes moves: a power of two.
int64_t getVectorWidth(FragmentAttr layout, int64_t dim, unsigned elementBits);

/// The registers of a tile, access by access; the registers of one access are in the order of their elements in the
/// array.
struct AccessRegisters {
  int64_t width; ///< registers of an access
  llvm::SmallVector<int64_t> order;

  int64_t getNumAccesses() const { return order.size() / width; }
  llvm::ArrayRef<int64_t> of(int64_t access) const { return llvm::ArrayRef(order).slice(access * width, width); }
};

/// Accesses of `width` consecutive registers. If the array is packed with runs of at most `width` elements, and a lane
/// holds all runs of a granule, an access moves whole granules instead. `dim` is the tile's dimension along the array's
/// rows.
AccessRegisters getAccessRegisters(FragmentAttr layout, int64_t width, int64_t dim, PackedAttr packing,
                                   unsigned elementBits);

} // namespace nstf::systolic
