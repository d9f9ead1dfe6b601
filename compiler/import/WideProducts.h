// Products whose operands need the range of f32 (bf16), or also its precision (f32), whatever the other products have:
// config.json's "nstf_products", which `nstfc compress` writes beside "quantization_config".
#pragma once

#include "compiler/description/Config.h"

#include "mlir/IR/BuiltinOps.h"

namespace nstf::import {

/// Gives bf16 operands to the linears that {"model.layers.3.mlp.up_proj": "bf16"} names; those with "f32" keep their
/// operands. Throws support::InputError for a name that is not a linear with its own matrix, and for another type.
void setWideProducts(mlir::ModuleOp module, const description::Config &config);

} // namespace nstf::import
