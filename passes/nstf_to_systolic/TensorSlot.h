// Kernels of tensor code and the template `generic`: the binding, and the body of the slot @compute.
#pragma once

#include "dialects/systolic/Systolic.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/nstf_to_systolic/Binding.h"

namespace nstf {

/// Whether a kernel holds tensor code (nstf-form-tensor-kernels) and no op of the nstf dialect.
bool isTensorKernel(KernelOp kernel);

/// The extents of the template; an error if an index would not fit into 32 bits. `maxTokens` replaces a `?`.
mlir::FailureOr<TemplateBinding> bindTensorKernel(KernelOp kernel, int64_t maxTokens);

/// Adds a buffer of rank 1 for each argument of `kernel` to the template's kernel, after the result, and writes the
/// slot.
mlir::LogicalResult fillTensorSlot(mlir::func::FuncOp slot, KernelOp kernel, systolic::KernelOp program,
                                   int64_t maxTokens);

} // namespace nstf
