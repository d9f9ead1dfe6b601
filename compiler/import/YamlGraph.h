// Imports the user's YAML graphs.
#pragma once

#include "compiler/import/ImportOptions.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace nstf::import {

/// Imports a graph (README.md describes the format). Its `checkpoint` is a path relative to the file's folder. Emits
/// one diagnostic, with the line, and returns null on any error in the input.
mlir::OwningOpRef<mlir::ModuleOp> importYamlGraph(const std::string &path, mlir::MLIRContext *context,
                                                  const ImportOptions &options = {});

} // namespace nstf::import
