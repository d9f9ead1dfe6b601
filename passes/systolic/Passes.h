// Passes on tile programs (documented in Passes.td).
#pragma once

#include "dialects/systolic/Systolic.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace nstf::systolic {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/systolic/Passes.h.inc"

} // namespace nstf::systolic
