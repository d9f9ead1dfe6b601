// Prints the passes' decisions (MLIR remarks) for people.
#pragma once

#include "mlir/IR/MLIRContext.h"
#include <string>

namespace nstf {

/// From now on remarks whose category matches the regular expression go to standard error, one a line. Throws
/// std::runtime_error where the expression is none.
void enableRemarks(mlir::MLIRContext &context, const std::string &categories);

} // namespace nstf
