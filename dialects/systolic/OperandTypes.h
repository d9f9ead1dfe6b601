// A template's open types, closed.
#pragma once

#include "mlir/IR/Operation.h"
#include "mlir/IR/Types.h"

namespace nstf::systolic {

/// Puts a type where everything in `root` says `!systolic.operand`, and that of its sums for `!systolic.accumulator`;
/// splats of them keep their number, and conversions that are none then go.
void resolveOperandTypes(mlir::Operation *root, mlir::Type operand);

} // namespace nstf::systolic
