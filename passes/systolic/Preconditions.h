// What passes on tile programs may take for granted, checked in one place and with one wording.
#pragma once

#include "dialects/systolic/Systolic.h"

namespace nstf::systolic {

/// The one kernel of a module or nstf.variant; an error on it where there is none or more.
mlir::FailureOr<KernelOp> requireOneKernel(mlir::Operation *symbols);

/// Whether the kernel has its array and wave size; an error on it where systolic-select-array has not run.
mlir::LogicalResult requireArray(KernelOp kernel);

/// The kernel's wave size; an error on it where systolic-select-wave-size has not run.
mlir::FailureOr<int64_t> requireWaveSize(KernelOp kernel);

} // namespace nstf::systolic
