// One list of dialects and passes for all tools of NSTF.
#pragma once

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/MLIRContext.h"

#include <string>
#include <vector>

namespace nstf {

/// Adds the dialects of NSTF, the upstream dialects its stages are written in, and the extensions they need.
void registerDialects(mlir::DialectRegistry &registry);

/// The operations of the nstf dialect, sorted: "nstf.add", …
std::vector<std::string> listOperations(mlir::MLIRContext &context);

/// Registers NSTF's passes and upstream's general ones (canonicalize, cse, inline, symbol-dce …) by their flags.
/// To be called once in a process.
void registerPasses();

} // namespace nstf
