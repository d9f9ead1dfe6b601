// Where the operands of products come from.
#pragma once

#include "dialects/systolic/Systolic.h"

namespace nstf::systolic {

/// Whether an operation does to each element what it says, and nothing else.
bool isElementwise(mlir::Operation *op);

/// A tile made of nothing but scalars and constants: cheaper to make anew than to convert.
bool isFreeToClone(mlir::Operation *op);

/// The load that a tile comes from: itself, or the first of those that it is made of in the registers of a lane, by
/// elementwise ops, those that decode and branches that change some of it, with what is free.
/// Null where anything else goes into it.
LoadOp findLoad(mlir::Value tile);

/// Whether a conversion moves elements between lanes; if not it only renames registers.
bool movesBetweenLanes(ConvertLayoutOp op);

/// Whether a conversion, between lanes, is of what comes from memory for a product.
bool isOperand(ConvertLayoutOp op);

/// How a kernel's buffer lies, where that is not row by row; else null.
PackedAttr findPacking(mlir::Value buffer);

} // namespace nstf::systolic
