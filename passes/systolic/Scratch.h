// The scratch LDS that an operation needs while it runs.
#pragma once

#include "dialects/nstf/Target.h"
#include "dialects/systolic/Systolic.h"

namespace nstf::systolic {

/// The argument attribute of the LDS array that these operations share.
constexpr llvm::StringLiteral scratchAttributeName = "systolic.scratch";

/// The type in which LDS stores an element: i1 takes a byte.
mlir::Type getStoredElementType(mlir::Type elementType);

/// The number of waves of a workgroup, including all its crews.
int64_t countWaves(KernelOp kernel);

/// LDS bytes that `op` needs. A conversion between lanes without arrays needs the whole tile; a reduction across waves
/// one value for each register, lane and wave of its result; an arrive of several waves 4 bytes; any other operation 0.
int64_t getScratchBytes(mlir::Operation *op, int64_t waveSize);

/// LDS bytes of the shared scratch of a kernel: for each crew the need of the operation that needs most.
int64_t getScratchBytes(KernelOp kernel);

/// Whether `bytes` of LDS a workgroup leave each SIMD of a compute unit room for two of the kernel's waves.
bool leavesRoomForTwoWaves(KernelOp kernel, nstf::TargetView target, int64_t bytes);

/// An LDS array of a kernel that its operations can use as scratch, because the kernel's last access to the array
/// stands before `first`, the first operation of the kernel's block that needs scratch or contains an operation that
/// does.
struct SharedScratch {
  mlir::BlockArgument array; ///< null: there is none that is large enough
  mlir::Operation *first = nullptr;
};
SharedScratch findSharedScratch(KernelOp kernel);

} // namespace nstf::systolic
