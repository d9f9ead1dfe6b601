// The meaning of linalg and tensor ops.
//
// Tensor code of a graph or kernel, one element after the other in float64. Written from the upstream dialects'
// documents and sharing nothing with what the compiler does with them. Scalars of a block are tensors of rank 0;
// integers wrap at their width, f16 and bf16 round after every operation. An index outside the tensor of tensor.extract
// or tensor.gather reads 0: upstream leaves it undefined, kernels promise it.
#pragma once

#include "compiler/reference/Operations.h"

#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace nstf::reference {

/// The value of an operand, or of what a region of the operation uses from outside.
using TensorLookup = llvm::function_ref<const Tensor &(mlir::Value)>;

/// Whether an operation is of another dialect than nstf.
bool isTensorOperation(mlir::Operation *op);

/// Its results. Throws std::runtime_error for an operation or a type without a meaning here.
std::vector<Tensor> evaluateTensorOperation(mlir::Operation *op, TensorLookup lookup, StepScalars step);

} // namespace nstf::reference
