// Fills a template's slot @epilogue: the elementwise ops that follow a region's anchor, on one tile.
#pragma once

#include "dialects/nstf/NSTF.h"
#include "dialects/systolic/Systolic.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nstf {

/// A buffer that the slot reads in addition to its tile.
struct SlotOperand {
  mlir::Value value; ///< the value in the region
  mlir::MemRefType type;
  ElementwiseOp reader =
      {};               ///< the op whose table the buffer is, for which the slot reads the step's position; else null
  unsigned along = 1;   ///< for rank 1: the tile's dimension that it runs along
  bool isScale = false; ///< whether it scales the sums of a CodeProduct
};

/// The values that the ops of `region` read in addition to the value in `tile`, one buffer for each. `output` is the
/// template's output buffer. Matrices have its layout, a bias runs along its columns, a table has rows of its own.
/// Scales come first.
llvm::SmallVector<SlotOperand> getSlotOperands(KernelOp region, mlir::Value tile, mlir::MemRefType output);

/// Whether an op is a convert that the store performs: nothing else in the region reads the result.
bool isStoreConversion(mlir::Operation &op);

/// Whether the slot reads the control block.
bool readsPosition(llvm::ArrayRef<SlotOperand> operands);

/// Writes the slot's body: appends the operands to its arguments, applies scales, the bias and the elementwise ops. The
/// slot takes (tile, first row, first column), and for a pair of products (ProductPair.h) the second product's tile. It
/// returns a tile of the same type, or of f32 if the tile is of integers with scales. If an operand is a table, the
/// control block is the last argument.
mlir::LogicalResult fillSlot(mlir::func::FuncOp slot, KernelOp region, mlir::Value tile,
                             llvm::ArrayRef<SlotOperand> operands);

} // namespace nstf
