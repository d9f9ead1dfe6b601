// Products whose operands keep the range of f32, or its digits too, whatever the others are: config.json's
// "nstf_products", which `nstfc compress` writes beside "quantization_config".
#pragma once

#include "compiler/description/Config.h"

#include "mlir/IR/BuiltinOps.h"

namespace nstf::import {

/// Gives bf16 operands to the linears that {"model.layers.3.mlp.up_proj": "bf16"} names, and lets those of "f32" keep
/// theirs. Throws support::InputError for
/// a name that is no linear with a matrix of its own, and for another type.
void setWideProducts(mlir::ModuleOp module, const description::Config &config);

} // namespace nstf::import
