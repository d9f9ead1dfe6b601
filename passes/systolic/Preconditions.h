// What passes on tile programs may take for granted, checked in one place and with one wording: the pass that was to
// come before is named.
#pragma once

#include "passes/analysis/Loops.h"

namespace nstf::systolic {

/// The one kernel of a module or nstf.part; an error on it where there is none or more.
mlir::FailureOr<KernelOp> requireOneKernel(mlir::Operation *symbols);

/// No parameter and no open operand type is left; an error where systolic-instantiate has not run.
mlir::LogicalResult requireInstantiated(KernelOp kernel);

/// That, and slots are part of the kernel; an error where the inliner has not run.
mlir::LogicalResult requireInlined(KernelOp kernel);

/// There is one work index; an error where systolic-order-workgroups has not run.
mlir::LogicalResult requireOrdered(KernelOp kernel);

/// Whether the kernel has its array and wave size; an error on it where systolic-select-array has not run.
mlir::LogicalResult requireArray(KernelOp kernel);
/// An error where systolic-select-array has run.
mlir::LogicalResult requireNoArray(KernelOp kernel);

/// The kernel's wave size; an error on it where systolic-select-wave-size has not run.
mlir::FailureOr<int64_t> requireWaveSize(KernelOp kernel);

/// Every tile has its layout; an error where systolic-assign-layouts has not run.
mlir::LogicalResult requireLayouts(KernelOp kernel);
/// No tile has one; an error where it has.
mlir::LogicalResult requireNoLayouts(KernelOp kernel);

/// What products take from memory goes through LDS, or nothing is left of it; an error where systolic-stage-operands
/// has not run.
mlir::LogicalResult requireStaged(KernelOp kernel);

/// Every loop of products has a plan; an error where systolic-plan-loops has not run.
mlir::LogicalResult requirePlanned(const LoopAnalysis &loops);
/// Every loop of products is as its plan wants it; an error where systolic-insert-prefetch has not run.
mlir::LogicalResult requirePipelined(const LoopAnalysis &loops);

/// Leaves word on the kernel that a pass was run which others can do without, and says which of them were not, where
/// any was: code is slower then, and nothing else would tell.
void noteRun(KernelOp kernel, llvm::StringRef pass);
llvm::SmallVector<llvm::StringRef> listNotRun(KernelOp kernel);

/// There is no scratch yet; an error where systolic-allocate-scratch has run.
mlir::LogicalResult requireNoScratch(KernelOp kernel);

} // namespace nstf::systolic
