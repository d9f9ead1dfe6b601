// How much LDS an operation needs for itself while it runs.
#pragma once

#include "dialects/systolic/Systolic.h"

namespace nstf::systolic {

/// The argument attribute of the LDS array that such operations share.
constexpr llvm::StringLiteral scratchAttributeName = "systolic.scratch";

/// The type in which LDS holds an element: i1 takes a byte.
mlir::Type getStoredElementType(mlir::Type elementType);

/// The waves of a workgroup, of all its crews.
int64_t countWaves(KernelOp kernel);

/// Bytes of LDS `op` needs: a conversion between lanes that names no array the whole tile, a reduction across waves one
/// value for each register, lane and wave of its result, and several waves that arrive together 4. 0 for everything
/// else.
int64_t getScratchBytes(mlir::Operation *op, int64_t waveSize);

/// Bytes of LDS that the operations of a kernel share: for each crew as many as the one that needs most.
int64_t getScratchBytes(KernelOp kernel);

} // namespace nstf::systolic
