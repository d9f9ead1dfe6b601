// Kernels of two products of one x: their tiles are made side by side, and the slot gets both.
#pragma once

#include "dialects/nstf/NSTF.h"
#include "dialects/systolic/Systolic.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nstf {

/// The other product of the anchor's kernel; null where there is none.
LinearOp findSecondProduct(mlir::Operation *anchor);

/// Makes a template of one product one of two: beside the buffer w, loads, sums and results of it are those of w2, and
/// the slot takes a tile of both, the second behind (tile, first row, first column). An error where the template is no
/// sum of products of w in a loop.
mlir::LogicalResult pairProducts(systolic::KernelOp program, mlir::func::FuncOp slot);

} // namespace nstf
