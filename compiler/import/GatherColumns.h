// Permutes the columns of a value, as tensor code.
#pragma once

#include "mlir/IR/Builders.h"

namespace nstf::import {

/// Y[m, k] = X[m, order[0, k]] of a value [?, K] and i32 [1, K].
mlir::Value gatherColumns(mlir::OpBuilder &builder, mlir::Location location, mlir::Value x, mlir::Value order);

} // namespace nstf::import
