// What an index is known to be a multiple of.
#pragma once

#include "mlir/IR/Value.h"

namespace nstf::systolic {

/// A number that divides an index; 0 for the constant 0, which everything divides.
int64_t getDivisor(mlir::Value index);

} // namespace nstf::systolic
