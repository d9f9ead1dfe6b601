// The target's pass, described in Passes.td.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace nstf {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/target/Passes.h.inc"

} // namespace nstf
