// Kernels of tensor code and the template `generic`: how a kernel fits it, and what fills its slot @compute.
#pragma once

#include "dialects/systolic/Systolic.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/nstf_to_systolic/Binding.h"

namespace nstf {

/// Whether a kernel holds tensor code (nstf-form-tensor-kernels), and no op of the nstf dialect.
bool isTensorKernel(KernelOp kernel);

/// The extents of the template; an error where an index would not fit 32 bits. `maxTokens` stands for a `?`.
mlir::FailureOr<TemplateBinding> bindTensorKernel(KernelOp kernel, int64_t maxTokens);

/// Gives the template's kernel a buffer of rank 1 for each argument of `kernel`, behind the result, and writes the
/// slot.
mlir::LogicalResult fillTensorSlot(mlir::func::FuncOp slot, KernelOp kernel, systolic::KernelOp program,
                                   int64_t maxTokens);

} // namespace nstf
