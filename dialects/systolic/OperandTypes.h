// Substitution of a template's open operand and accumulator types.
#pragma once

#include "mlir/IR/Operation.h"
#include "mlir/IR/Types.h"

namespace nstf::systolic {

/// Replaces `!systolic.operand` in all of `root` by `operand`, and `!systolic.accumulator` by the type of its sums.
/// Splats of these types keep their number. Removes conversions between types that are now equal.
void resolveOperandTypes(mlir::Operation *root, mlir::Type operand);

} // namespace nstf::systolic
