// Prints MLIR's diagnostics in a readable form.
#pragma once

#include "mlir/IR/MLIRContext.h"

namespace nstf {

/// From now on errors, warnings and notes go to standard error, one line each: "graph.yaml:7:3: error: …", or
/// "error: model.layers.0.mlp.up_proj: …" if no file is known. Repeated lines are printed once, since kernels of many
/// variants are built from one operation.
void printDiagnostics(mlir::MLIRContext &context);

} // namespace nstf
