// The whole compiler, top to bottom, on one screen. A stage is a pipeline here and a name for --emit; what one stage
// makes the next takes, all kernels and targets of a model in one module.
#pragma once

#include "mlir/Pass/PassManager.h"
#include "passes/nstf/Precision.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nstf {

struct PipelineOptions {
  int64_t maxTokens = 0;                ///< rows of the largest step; 0: the module's nstf.max_tokens, or the context
  int64_t maxRequests = 1;              ///< that a step may have rows of
  Precision precision = Precision::F32; ///< of matrix operands
  std::string quantize;                 ///< format of the linears' weights; empty: as they are
  std::string activations;              ///< type of codes of what linears read, "i8" or "e4m3fnuz"; empty: as they are
  std::string caches;                   ///< of keys and values in caches, likewise
  bool orderCaches = false;             ///< those of numbers lie in the order of matrix operands
  bool pairs = true;                    ///< two products that one operation reads share a kernel
  bool launches = true;                 ///< launches that need nothing of each other become one
  std::vector<std::string> targets;     ///< names, aliases or .yaml files; none: gfx942
  bool oneBucket = false;               ///< one kernel for every number of rows, chosen for the most
  std::string symbol;                   ///< of a module's only kernel; empty: <kernel>_t<rows>
  std::string templates;                ///< folder of kernels and tuning of one's own; empty: none
  std::vector<std::string> tuning;      ///< parameters and fields of the schedule over the catalog's, NAME=VALUE
  int64_t waveSize = 0;                 ///< 32 or 64; 0: chosen
  std::string plan;                     ///< file with the plans of a kernel's loops of products; empty: chosen
  bool keepLLVM = false;                ///< keep the LLVM IR of each kernel
  std::string output;                   ///< folder that gets each target's code object as a file; empty: none
};

/// nstf → fused, on the model's module: precision set, kernels and steps, memory planned.
void buildGraphPipeline(mlir::OpPassManager &model, const PipelineOptions &options);

/// The first part of fused → systolic, on the model's module: a module for each target, with its variants.
void buildSelectPipeline(mlir::OpPassManager &model, const PipelineOptions &options);

/// The beginning of the rest of it, on a part of a variant, or a module of a kernel and its template: they become a
/// tile program, with what a launch takes.
void buildProgramPipeline(mlir::OpPassManager &part);

/// All of the rest: that, and layouts.
void buildTilePipeline(mlir::OpPassManager &part, const PipelineOptions &options);

/// systolic → gpu, on a variant: each part becomes a gpu.func on per-lane vectors, and all of them one.
void buildGPUPipeline(mlir::OpPassManager &variant);

/// The first half of it, on a part, or a module of one kernel.
void buildFunctionPipeline(mlir::OpPassManager &part);

/// gpu → llvm, on a variant or a module of kernels: the LLVM and ROCDL dialects, with line information.
void buildLLVMPipeline(mlir::OpPassManager &variant);

/// llvm → isa, on a target's module: assembly and objects of its variants, and one code object.
void buildISAPipeline(mlir::OpPassManager &target, const PipelineOptions &options);

/// Makes the stages known to nstf-opt, on a model's module: nstf-pipeline-graph, -tile, -gpu, -llvm and -isa, and
/// nstf-pipeline, which is all of them.
void registerPipelines();

} // namespace nstf
