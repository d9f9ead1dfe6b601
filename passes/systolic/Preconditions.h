// Preconditions of passes on tile programs, checked in one place with uniform messages that name the missing pass.
#pragma once

#include "passes/analysis/Loops.h"

namespace nstf::systolic {

/// The one kernel of a module or nstf.part; an error on the operation if there is not exactly one.
mlir::FailureOr<KernelOp> requireOneKernel(mlir::Operation *symbols);

/// No parameter and no open operand type is left; an error if systolic-instantiate has not run.
mlir::LogicalResult requireInstantiated(KernelOp kernel);

/// The same, and slots are inlined; an error if the inliner has not run.
mlir::LogicalResult requireInlined(KernelOp kernel);

/// There is one work index; an error if systolic-order-workgroups has not run.
mlir::LogicalResult requireOrdered(KernelOp kernel);

/// The kernel has its array and wave size; an error on the kernel if systolic-select-array has not run.
mlir::LogicalResult requireArray(KernelOp kernel);
/// The inverse: an error if systolic-select-array has run.
mlir::LogicalResult requireNoArray(KernelOp kernel);

/// The kernel's wave size; an error on the kernel if systolic-select-wave-size has not run.
mlir::FailureOr<int64_t> requireWaveSize(KernelOp kernel);

/// Every tile has a layout; an error if systolic-assign-layouts has not run.
mlir::LogicalResult requireLayouts(KernelOp kernel);
/// No tile has a layout; an error if systolic-assign-layouts has run.
mlir::LogicalResult requireNoLayouts(KernelOp kernel);

/// Operands from memory go through LDS, except those for which no LDS was left and those that stay within their wave;
/// an error if systolic-stage-operands has not run.
mlir::LogicalResult requireStaged(KernelOp kernel);

/// Every loop of products has a plan; an error if systolic-plan-loops has not run.
mlir::LogicalResult requirePlanned(const LoopAnalysis &loops);
/// Every loop of products is rewritten according to its plan; an error if systolic-insert-prefetch has not run.
mlir::LogicalResult requirePipelined(const LoopAnalysis &loops);

/// noteRun records on the kernel that an optional pass was run. listNotRun returns the optional passes that were not
/// run, if any was: without them the code is slower, and no error would tell.
void noteRun(KernelOp kernel, llvm::StringRef pass);
llvm::SmallVector<llvm::StringRef> listNotRun(KernelOp kernel);

/// There is no scratch yet; an error if systolic-allocate-scratch has run.
mlir::LogicalResult requireNoScratch(KernelOp kernel);

} // namespace nstf::systolic
