// Where the elements of a tile live: the matrix cores' register maps and the layouts of plain loads.
#pragma once

#include "dialects/systolic/Systolic.h"

namespace nstf::systolic {

enum class MmaOperand { A, B, Acc };

/// The layout of a whole operand of a product on `array`. A is MxK, B KxN, Acc MxN. Null where the tile is no whole
/// number of cells for the array's waves, or where the array has no cell that these maps hold for.
///
/// After the cell's own digits come the cells along K, then the cells of the wave; rows of waves split M, columns N:
///
///   cell     A                                B                                Acc
///   16x16xK  reg[1:e*1] lane[0:16*1, 1:4*e]   reg[0:e*1] lane[1:16*1, 0:4*e]   reg[0:4*1] lane[1:16*1, 0:4*4]
///   32x32xK  reg[1:e*1] lane[0:32*1, 1:2*e]   reg[0:e*1] lane[1:32*1, 0:2*e]   reg[0:4*1, 0:4*8] lane[1:32*1, 0:2*4]
///
/// with e = elements a lane holds. For e = 4 the accumulator has B's lane map, so a product's result is the next
/// product's B operand as it stands. (AMD matrix instruction calculator; CDNA3 ISA manual, section on MFMA.)
FragmentAttr getMmaLayout(SystolicArrayAttr array, MmaOperand operand, llvm::ArrayRef<int64_t> shape, int64_t waveSize);

/// A layout for loads and elementwise code: lanes along the last dimension with up to 16 bytes each, then along rows;
/// waves along rows, then along what is left of the columns; the rest replicated.
FragmentAttr getBlockedLayout(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> shape, unsigned elementBits,
                              int64_t waves, int64_t waveSize);

} // namespace nstf::systolic
