// Kernels of two products of one x: both tiles are computed side by side, and the slot gets both.
#pragma once

#include "dialects/nstf/NSTF.h"
#include "dialects/systolic/Systolic.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nstf {

/// The second product of the anchor's kernel; null if there is none.
LinearOp findSecondProduct(mlir::Operation *anchor);

/// Turns a template of one product into one of two: for the second matrix w2 it adds a buffer, loads and sums like
/// those of w, and the slot gets both tiles: (tile, first row, first column, tile of w2). An error if the template does
/// not compute a sum of products of w in a loop.
mlir::LogicalResult pairProducts(systolic::KernelOp program, mlir::func::FuncOp slot);

} // namespace nstf
