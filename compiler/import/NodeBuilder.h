// Builds an operation of the nstf dialect from a node.
#pragma once

#include "compiler/description/GraphExpansion.h"

#include "mlir/IR/Builders.h"

namespace nstf::import {

/// Creates the operation of `node` at the builder's insertion point, infers its result types and verifies it. Throws
/// support::InputError without a place for an unknown operation or attribute. If attributes or operands don't fit,
/// emits the dialect's diagnostic at `location` and returns null.
mlir::Operation *buildNode(const description::ExpandedNode &node, mlir::ValueRange operands, mlir::Location location,
                           mlir::OpBuilder &builder);

} // namespace nstf::import
