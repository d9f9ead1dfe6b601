// Tensor code: ops of linalg, tensor, arith and math in a graph, beside those of the nstf dialect. What of it the
// generic kernel template can compute, and what each op reads; nstf-form-tensor-kernels asks here before it forms
// kernels.
#pragma once

#include "dialects/nstf/NSTF.h"

namespace nstf {

/// Whether an op of a graph or kernel is tensor code: any but the nstf dialect's.
bool isTensorCode(mlir::Operation &op);

/// Whether a tensor may be stored between kernels: f32, f16, bf16 or i32, with a leading dimension alone dynamic.
bool isStorable(mlir::Type type);

/// Whether a scalar of the graph is the number of tokens of the step: the size of a dynamic dimension.
bool isTokens(mlir::Value value);

/// An error at the op, or at one in its regions, that the generic template does not compute. Every `?` of a type that
/// passes means the tokens of the step. Precondition: nstf-normalize-tensor-ops ran.
mlir::LogicalResult verifyTensorOp(mlir::Operation *op);

/// Whether an op only says where elements come from: computing one again costs nothing.
bool isMovement(mlir::Operation *op);

/// Whether a linalg.generic reduces.
bool isReduction(mlir::Operation *op);

/// Whether `operand` is read by its owner: not a tensor.dim's, nor an `outs` that gives a shape only.
bool isRead(mlir::OpOperand &operand);

/// Whether the owner reads each element of `operand` at most once, with elementwise code in between: such a producer
/// may be computed where it is read.
bool readsOnce(mlir::OpOperand &operand);

} // namespace nstf
