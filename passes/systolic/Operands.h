// Where the operands of products come from.
#pragma once

#include "dialects/systolic/Systolic.h"

namespace nstf::systolic {

/// Whether an operation does to each element what it says, and nothing else.
bool isElementwise(mlir::Operation *op);

/// A tile made of nothing but scalars and constants: cheaper to make anew than to convert.
bool isFreeToClone(mlir::Operation *op);

/// The load that a tile comes from: itself, or the first of those that elementwise ops make it of, with what is free.
/// Null where anything else goes into it.
LoadOp findLoad(mlir::Value tile);

} // namespace nstf::systolic
