// Evaluates linalg and tensor operations.
//
// Evaluates tensor code of a graph or kernel element by element in float64. It follows the upstream dialects'
// documentation and shares no code with the compiler. Scalars of a block are tensors of rank 0. Integers wrap at their
// width; f16 and bf16 round after every operation. An index outside the tensor of tensor.extract or tensor.gather reads
// 0: upstream leaves it undefined, but kernels guarantee it.
#pragma once

#include "compiler/reference/Operations.h"

#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace nstf::reference {

/// Returns the value of an operand, or of a value from outside that a region of the operation uses.
using TensorLookup = llvm::function_ref<const Tensor &(mlir::Value)>;

/// Whether an operation is of a dialect other than nstf.
bool isTensorOperation(mlir::Operation *op);

/// The operation's results. Throws std::runtime_error for an operation or a type without a reference.
std::vector<Tensor> evaluateTensorOperation(mlir::Operation *op, TensorLookup lookup, StepScalars step);

} // namespace nstf::reference
