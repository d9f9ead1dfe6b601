// How much LDS an operation needs for itself while it runs.
#pragma once

#include "dialects/systolic/Systolic.h"

namespace nstf::systolic {

/// The argument attribute of the LDS array that such operations share.
constexpr llvm::StringLiteral scratchAttributeName = "systolic.scratch";

/// The type in which LDS holds an element: i1 takes a byte.
mlir::Type getStoredElementType(mlir::Type elementType);

/// Bytes of LDS `op` needs: a conversion between lanes that names no array the whole tile, a reduction across waves one
/// value for each register, lane and wave of its result, and several waves that arrive together 4. 0 for everything
/// else.
int64_t getScratchBytes(mlir::Operation *op, int64_t waveSize);

} // namespace nstf::systolic
