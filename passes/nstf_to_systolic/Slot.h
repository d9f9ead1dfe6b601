// Fills a template's slot @epilogue: the elementwise ops that follow a region's anchor, on one tile.
#pragma once

#include "dialects/nstf/NSTF.h"
#include "dialects/systolic/Systolic.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nstf {

/// A buffer that the slot reads beside its tile.
struct SlotOperand {
  mlir::Value value; ///< in the region
  mlir::MemRefType type;
  ElementwiseOp reader = {}; ///< whose table it is; the slot reads the step's position for it. Else null
  unsigned along = 1;        ///< of rank 1: the tile's dimension it lies along
  bool isScale = false;      ///< of the sums of a CodeProduct
};

/// What `epilogue` reads for the ops of `region` beyond the value in `tile`: one buffer for each such value. `output`
/// is the template's output buffer: matrices stand like it, a bias along its columns, a table has rows of its own.
/// Scales come first.
llvm::SmallVector<SlotOperand> getSlotOperands(KernelOp region, mlir::Value tile, mlir::MemRefType output);

/// Whether an op is a convert whose rounding is the store's: nothing else in the region sees the result.
bool isStoreConversion(mlir::Operation &op);

/// Whether the slot reads the control block.
bool readsPosition(llvm::ArrayRef<SlotOperand> operands);

/// Writes the slot's body: appends the operands to its arguments, applies scales, the bias and the elementwise ops. The
/// slot takes (tile, first row, first column), and of a pair of products (ProductPair.h) the second one's tile, and
/// returns a tile of the same type, of whole numbers with scales one of f32. Where an operand is a table, the control
/// block is its last argument.
mlir::LogicalResult fillSlot(mlir::func::FuncOp slot, KernelOp region, mlir::Value tile,
                             llvm::ArrayRef<SlotOperand> operands);

} // namespace nstf
