// Passes on whole models (documented in Passes.td).
#pragma once

#include "dialects/nstf/NSTF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "passes/nstf/Precision.h"

namespace nstf {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/nstf/Passes.h.inc"

} // namespace nstf
