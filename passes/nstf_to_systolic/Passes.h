// Passes from kernel regions to tile programs (documented in Passes.td).
#pragma once

#include "dialects/nstf/NSTF.h"
#include "dialects/systolic/Systolic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace nstf {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/nstf_to_systolic/Passes.h.inc"

} // namespace nstf
