// Graphs a user wrote in YAML.
#pragma once

#include "compiler/import/ImportOptions.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace nstf::import {

/// Imports a graph (README.md describes the format). `checkpoint` in it is a path from the file's own folder. Emits one
/// diagnostic, with the line, and returns null on any fault of the input.
mlir::OwningOpRef<mlir::ModuleOp> importYamlGraph(const std::string &path, mlir::MLIRContext *context,
                                                  const ImportOptions &options = {});

} // namespace nstf::import
