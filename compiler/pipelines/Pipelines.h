// The whole compiler, top to bottom, on one screen. Each stage is a pipeline here and a name for --emit. A stage's
// output is the next one's input; all kernels and targets of a model are in one module.
#pragma once

#include "mlir/Pass/PassManager.h"
#include "passes/nstf/Precision.h"

#include <cstdint>
#include <string>
#include <vector>

namespace nstf {

struct PipelineOptions {
  int64_t maxTokens = 0;                ///< rows of the largest step; 0: the module's nstf.max_tokens, or the context
  int64_t maxRequests = 1;              ///< requests whose rows one step may hold
  Precision precision = Precision::F32; ///< of matrix operands
  std::string quantize;                 ///< weight format of the linears; empty: unchanged
  std::string activations;              ///< code type of the linears' inputs, "i8" or "e4m3fnuz"; empty: unchanged
  std::string caches;                   ///< likewise for keys and values in caches
  bool orderCaches = false;             ///< caches of numbers are stored in operand order
  bool pairs = true;                    ///< two products that one operation reads share a kernel
  bool launches = true;                 ///< independent launches become one
  std::vector<std::string> targets;     ///< names, aliases or .yaml files; none: gfx942
  bool oneBucket = false;               ///< one kernel for every number of rows, chosen for the largest
  bool batchInvariant = false;          ///< one row has the kernels of the next bucket
  std::string symbol;                   ///< name of a module's only kernel; empty: <kernel>_t<rows>
  std::string templates;                ///< folder of the user's kernels and tuning; empty: none
  std::vector<std::string> tuning;      ///< NAME=VALUE for parameters and schedule fields, over the catalog's
  int64_t waveSize = 0;                 ///< 32 or 64; 0: chosen
  std::string plan;                     ///< file with the plans of a kernel's product loops; empty: chosen
  bool keepLLVM = false;                ///< keep the LLVM IR of each kernel
  std::string output;                   ///< folder for each target's code object file; empty: none
};

/// nstf → fused, on the model's module: sets the precision, forms kernels and steps, plans memory.
void buildGraphPipeline(mlir::OpPassManager &model, const PipelineOptions &options);

/// The first part of fused → systolic, on the model's module: makes a module for each target, with its variants.
void buildSelectPipeline(mlir::OpPassManager &model, const PipelineOptions &options);

/// The second part, on a part of a variant, or on a module of a kernel and its template: makes the tile program and
/// records what its launch needs.
void buildProgramPipeline(mlir::OpPassManager &part);

/// All parts but the first: the tile program with its layouts.
void buildTilePipeline(mlir::OpPassManager &part, const PipelineOptions &options);

/// systolic → gpu, on a variant: converts each part to a gpu.func on per-lane vectors, then joins the parts into one.
void buildGPUPipeline(mlir::OpPassManager &variant);

/// The first half of systolic → gpu, on a part, or on a module of one kernel.
void buildFunctionPipeline(mlir::OpPassManager &part);

/// gpu → llvm, on a variant or a module of kernels: the LLVM and ROCDL dialects, with line information.
void buildLLVMPipeline(mlir::OpPassManager &variant);

/// llvm → isa, on a target's module: generates assembly and objects of its variants, and links one code object.
void buildISAPipeline(mlir::OpPassManager &target, const PipelineOptions &options);

/// Registers the stages with nstf-opt, on a model's module: nstf-pipeline-graph, -tile, -gpu, -llvm and -isa, and
/// nstf-pipeline, which runs all of them.
void registerPipelines();

} // namespace nstf
