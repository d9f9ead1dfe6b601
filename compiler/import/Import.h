// Every way into the compiler.
#pragma once

#include "compiler/import/ImportOptions.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace nstf::import {

/// Imports what `path` is: a folder with config.json (Hugging Face), a YAML graph (.yaml, .yml) or a module of the nstf
/// dialect (.mlir). The context must have the nstf dialect registered; it is loaded here. The module is verified.
/// Emits diagnostics and returns null on any fault of the input.
mlir::OwningOpRef<mlir::ModuleOp> importModel(const std::string &path, mlir::MLIRContext *context,
                                              const ImportOptions &options = {});

/// Imports a module of the nstf dialect. Relative paths of weights are made relative to the file's folder; each source
/// is checked to lie inside its file. Without options.needWeights the sources are taken off.
mlir::OwningOpRef<mlir::ModuleOp> importMlir(const std::string &path, mlir::MLIRContext *context,
                                             const ImportOptions &options = {});

} // namespace nstf::import
