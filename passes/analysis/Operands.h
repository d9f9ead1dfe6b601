// Queries on the sources of the operands of products.
#pragma once

#include "dialects/systolic/Systolic.h"

namespace nstf::systolic {

/// Whether an operation computes each element of its result from the same element of its operands, and has no other
/// effect.
bool isElementwise(mlir::Operation *op);

/// Whether an operation's tile depends only on scalars and constants, so that recomputing it is cheaper than a
/// conversion.
bool isFreeToClone(mlir::Operation *op);

/// The load that a tile comes from: the tile itself, or the first of the loads that it is computed from within the
/// registers of a lane, by elementwise ops, ops that decode, branches that change some elements, and tiles that are
/// free to clone. Null if the tile depends on anything else.
LoadOp findLoad(mlir::Value tile);

/// Whether a conversion moves elements between lanes; if not, it only renames registers.
bool movesBetweenLanes(ConvertLayoutOp op);

/// Whether a conversion, between lanes, is that of a tile from memory for a product.
bool isOperand(ConvertLayoutOp op);

/// The packing of a kernel's buffer; null if it is stored row by row.
PackedAttr findPacking(mlir::Value buffer);

} // namespace nstf::systolic
