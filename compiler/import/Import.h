// All importers.
#pragma once

#include "compiler/import/ImportOptions.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace nstf::import {

/// Imports `path`: a folder with config.json (Hugging Face), a YAML graph (.yaml, .yml) or a module of the nstf dialect
/// (.mlir). The nstf dialect must be registered in the context; it is loaded here. The module is verified. Emits
/// diagnostics and returns null on any error in the input.
mlir::OwningOpRef<mlir::ModuleOp> importModel(const std::string &path, mlir::MLIRContext *context,
                                              const ImportOptions &options = {});

/// Imports a module of the nstf dialect. Weights' paths are relative to the file's folder; each source must lie inside
/// its file. Without options.needWeights the sources are removed.
mlir::OwningOpRef<mlir::ModuleOp> importMlir(const std::string &path, mlir::MLIRContext *context,
                                             const ImportOptions &options = {});

} // namespace nstf::import
