// The passes from the systolic dialect to the input of code generation (documented in Passes.td).
#pragma once

#include "dialects/nstf/NSTF.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace nstf {

#define GEN_PASS_DECL
#include "passes/systolic_to_gpu/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/systolic_to_gpu/Passes.h.inc"

} // namespace nstf
