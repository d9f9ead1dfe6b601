// Models in Hugging Face's folder layout.
#pragma once

#include "compiler/import/ImportOptions.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <vector>

namespace nstf::import {

/// Imports a folder with config.json and, unless options.needWeights is false, safetensors files (SafeTensors.h says
/// which). The architecture is data: the file of templates/models whose "architectures" holds the one of config.json,
/// or whose name is its "model_type" where it names none. Emits one diagnostic and returns null on any fault of the
/// input.
mlir::OwningOpRef<mlir::ModuleOp> importHuggingFace(const std::string &folder, mlir::MLIRContext *context,
                                                    const ImportOptions &options = {});

/// Every name config.json's "architectures" may hold, sorted: "LlamaForCausalLM", …
std::vector<std::string> knownArchitectures();

} // namespace nstf::import
