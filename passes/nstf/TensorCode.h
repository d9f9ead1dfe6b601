// Tensor code: ops of linalg, tensor, arith and math in a graph, beside those of the nstf dialect. These functions
// decide what the generic kernel template can compute, and what each op reads; nstf-form-tensor-kernels calls them
// before it forms kernels.
#pragma once

#include "dialects/nstf/NSTF.h"

namespace nstf {

/// Whether an op of a graph or kernel is tensor code: any op outside the nstf dialect.
bool isTensorCode(mlir::Operation &op);

/// Whether a tensor may be stored between kernels: of f32, f16, bf16 or i32, with at most the leading dimension
/// dynamic.
bool isStorable(mlir::Type type);

/// Whether a scalar of the graph is the number of tokens of the step: the size of a dynamic dimension.
bool isTokens(mlir::Value value);

/// Emits an error at the op, or at one in its regions, if the generic template cannot compute it. If the check
/// succeeds, every `?` of a type is the tokens of the step. Precondition: nstf-normalize-tensor-ops ran.
mlir::LogicalResult verifyTensorOp(mlir::Operation *op);

/// Whether an op only moves elements, so that computing it again costs nothing.
bool isMovement(mlir::Operation *op);

/// Whether a linalg.generic reduces.
bool isReduction(mlir::Operation *op);

/// Whether the owner of `operand` reads its elements: not a tensor.dim, nor an `outs` that only gives a shape.
bool isRead(mlir::OpOperand &operand);

/// Whether each element of `operand` is read at most once, by the owner or through elementwise code. The producer of
/// such an operand may be computed where it is read.
bool readsOnce(mlir::OpOperand &operand);

} // namespace nstf
