// Imports models in Hugging Face's folder layout.
#pragma once

#include "compiler/import/ImportOptions.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <vector>

namespace nstf::import {

/// Imports a folder with config.json and, unless options.needWeights is false, safetensors files (see
/// Checkpoint::open). The architecture is the file of templates/models whose "architectures" contains that of
/// config.json or, if config.json names none, whose name is its "model_type". Emits one diagnostic and returns null on
/// any error in the input.
mlir::OwningOpRef<mlir::ModuleOp> importHuggingFace(const std::string &folder, mlir::MLIRContext *context,
                                                    const ImportOptions &options = {});

/// All names that config.json's "architectures" may have, sorted: "LlamaForCausalLM", …
std::vector<std::string> knownArchitectures();

} // namespace nstf::import
