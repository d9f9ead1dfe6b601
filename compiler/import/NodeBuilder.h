// One node as an operation of the nstf dialect.
#pragma once

#include "compiler/description/GraphExpansion.h"

#include "mlir/IR/Builders.h"

namespace nstf::import {

/// Creates the operation of `node` at the builder's place, its result types inferred and everything about it verified.
/// Throws support::InputError without a place for an unknown operation or attribute; emits the dialect's own diagnostic
/// at `location` and returns null when attributes or operands don't fit.
mlir::Operation *buildNode(const description::ExpandedNode &node, mlir::ValueRange operands, mlir::Location location,
                           mlir::OpBuilder &builder);

} // namespace nstf::import
