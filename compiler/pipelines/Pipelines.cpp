// The whole compiler, top to bottom (Pipelines.h).
#include "compiler/pipelines/Pipelines.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "passes/nstf/Passes.h"
#include "passes/nstf_to_systolic/Passes.h"
#include "passes/systolic/Passes.h"
#include "passes/systolic_to_gpu/Passes.h"

using namespace mlir;

void nstf::buildGraphPipeline(OpPassManager &pm, int64_t maxTokens, StringRef precision) {
  SetPrecisionPassOptions operands;
  operands.type = precision.str();
  pm.addPass(createSetPrecisionPass(operands));
  pm.addPass(createMaterializeRopeTablesPass());
  pm.addPass(createNormalizeTensorOpsPass());
  pm.addPass(createFormTensorKernelsPass());
  pm.addPass(createFormKernelsPass());
  pm.addPass(createDeduplicateKernelsPass());
  PlanMemoryPassOptions plan;
  plan.maxTokens = maxTokens;
  pm.addPass(createPlanMemoryPass(plan));
}

void nstf::buildTilePipeline(OpPassManager &pm, int64_t waveSize) {
  pm.addPass(createFillTemplatePass());
  pm.addPass(systolic::createInstantiatePass());
  pm.addNestedPass<systolic::KernelOp>(systolic::createOrderWorkPass());
  // Slots are functions until here; every later pass works on one kernel.
  pm.addPass(createInlinerPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  OpPassManager &kernel = pm.nest<systolic::KernelOp>();
  kernel.addPass(systolic::createDropUnusedControlPass());
  kernel.addPass(systolic::createExpandMathPass());
  systolic::SelectWaveSizePassOptions wave;
  wave.waveSize = waveSize;
  kernel.addPass(systolic::createSelectWaveSizePass(wave));
  kernel.addPass(systolic::createSelectArrayPass());
  kernel.addPass(systolic::createAssignLayoutsPass());
  kernel.addPass(systolic::createAllocateScratchPass());
}

void nstf::buildGPUPipeline(OpPassManager &pm) {
  pm.addPass(createLowerKernelsPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createCSEPass());
  pm.addPass(createLoopInvariantCodeMotionPass());
}

void nstf::buildLLVMPipeline(OpPassManager &pm) {
  buildGPUToROCDLPipeline(pm.nest<gpu::GPUModuleOp>());
  pm.addPass(createAttachDebugInfoPass());
}

void nstf::registerPipelines() {
  PassPipelineRegistration<>("nstf-pipeline-tile", "a kernel and its template to a tile program with layouts",
                             [](OpPassManager &pm) { buildTilePipeline(pm); });
  PassPipelineRegistration<>("nstf-pipeline-gpu", "a tile program to a gpu.func",
                             [](OpPassManager &pm) { buildGPUPipeline(pm); });
  PassPipelineRegistration<>("nstf-pipeline-llvm", "a gpu.func to the LLVM and ROCDL dialects",
                             [](OpPassManager &pm) { buildLLVMPipeline(pm); });
}
