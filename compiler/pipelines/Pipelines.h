// The whole compiler, top to bottom, on one screen. A stage is a pipeline here and a name for --emit.
#pragma once

#include "mlir/Pass/PassManager.h"
#include <cstdint>

namespace nstf {

/// nstf → fused: precision ("f32", "f16" or "bf16") set, kernels and steps, memory planned. On the model's module.
void buildGraphPipeline(mlir::OpPassManager &pm, int64_t maxTokens, llvm::StringRef precision = "f32");

/// fused → systolic: one kernel with its template becomes a tile program with layouts. On the kernel's own module; 0
/// lets the pass choose the wave size.
void buildTilePipeline(mlir::OpPassManager &pm, int64_t waveSize = 0);

/// systolic → gpu: a gpu.func on per-lane vectors. On the kernel's own module.
void buildGPUPipeline(mlir::OpPassManager &pm);

/// gpu → llvm: the LLVM and ROCDL dialects, with line information. On the kernel's own module.
void buildLLVMPipeline(mlir::OpPassManager &pm);

/// Makes the pipelines known to nstf-opt, as nstf-pipeline-tile, nstf-pipeline-gpu and nstf-pipeline-llvm.
void registerPipelines();

} // namespace nstf
