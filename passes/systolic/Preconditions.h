// What passes on tile programs may take for granted, checked in one place and with one wording.
#pragma once

#include "dialects/systolic/Systolic.h"
#include "mlir/IR/BuiltinOps.h"

namespace nstf::systolic {

/// The one kernel of a module; an error on the module where there is none or more.
mlir::FailureOr<KernelOp> requireOneKernel(mlir::ModuleOp module);

/// The kernel's wave size; an error on it where systolic-select-wave-size has not run.
mlir::FailureOr<int64_t> requireWaveSize(KernelOp kernel);

} // namespace nstf::systolic
