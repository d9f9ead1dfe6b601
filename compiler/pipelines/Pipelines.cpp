// The whole compiler, top to bottom (Pipelines.h). The comment above each stage is the nstf-opt command line with the
// same passes; a test runs it (test/pipelines).
#include "compiler/pipelines/Pipelines.h"
#include "compiler/catalog/Passes.h"
#include "compiler/codegen/Passes.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "passes/nstf/Passes.h"
#include "passes/nstf_to_systolic/Passes.h"
#include "passes/systolic/Passes.h"
#include "passes/systolic_to_gpu/Passes.h"

using namespace mlir;
using namespace nstf;

// nstf-opt -nstf-batch-requests -nstf-set-precision=type=f32 -nstf-quantize-weights -nstf-quantize-activations
//   -nstf-quantize-caches -nstf-order-caches -nstf-materialize-rope-tables -nstf-normalize-tensor-ops
//   -nstf-form-tensor-kernels -nstf-form-kernels -nstf-join-kernels -nstf-deduplicate-kernels -nstf-plan-memory
void nstf::buildGraphPipeline(OpPassManager &model, const PipelineOptions &options) {
  model.addPass(createBatchRequestsPass({.requests = options.maxRequests}));
  model.addPass(createSetPrecisionPass({.type = options.precision}));
  model.addPass(createQuantizeWeightsPass({.format = options.quantize}));
  model.addPass(createQuantizeActivationsPass({.type = options.activations}));
  model.addPass(createQuantizeCachesPass({.type = options.caches}));
  if (options.orderCaches)
    model.addPass(createOrderCachesPass());
  model.addPass(createMaterializeRopeTablesPass());
  model.addPass(createNormalizeTensorOpsPass());
  model.addPass(createFormTensorKernelsPass());
  model.addPass(createFormKernelsPass({.pairs = options.pairs}));
  if (options.launches)
    model.addPass(createJoinKernelsPass());
  model.addPass(createDeduplicateKernelsPass());
  model.addPass(createPlanMemoryPass({.maxTokens = options.maxTokens}));
}

// nstf-opt -nstf-select-kernels=targets=gfx942
void nstf::buildSelectPipeline(OpPassManager &model, const PipelineOptions &options) {
  SelectKernelsPassOptions select;
  select.targets.assign(options.targets.begin(), options.targets.end());
  select.tuning.assign(options.tuning.begin(), options.tuning.end());
  select.maxTokens = options.maxTokens;
  select.oneBucket = options.oneBucket;
  select.batchInvariant = options.batchInvariant;
  select.symbol = options.symbol;
  select.templates = options.templates;
  model.addPass(createSelectKernelsPass(std::move(select)));
}

// nstf-opt -pass-pipeline='builtin.module(builtin.module(nstf.variant(nstf.part(
//   nstf-to-systolic-fill-template, systolic-instantiate, systolic.kernel(systolic-order-workgroups), inline,
//   canonicalize, cse, systolic.kernel(systolic-drop-unused-arguments)))))'
void nstf::buildProgramPipeline(OpPassManager &part) {
  part.addPass(createFillTemplatePass());
  part.addPass(systolic::createInstantiatePass());
  part.addNestedPass<systolic::KernelOp>(systolic::createOrderWorkgroupsPass());
  // Slots are functions up to here; every later pass works on one kernel.
  part.addPass(createInlinerPass());
  part.addPass(createCanonicalizerPass());
  part.addPass(createCSEPass());
  part.addNestedPass<systolic::KernelOp>(systolic::createDropUnusedArgumentsPass());
}

// nstf-opt -pass-pipeline='builtin.module(builtin.module(nstf.variant(nstf.part(
//   nstf-to-systolic-fill-template, systolic-instantiate, systolic.kernel(systolic-order-workgroups), inline,
//   canonicalize, cse, systolic.kernel(
//   systolic-drop-unused-arguments, systolic-expand-math, systolic-align-blocks, systolic-split-reduction,
//   systolic-split-sums, systolic-select-wave-size, systolic-select-array, systolic-share-loads,
//   systolic-assign-layouts, systolic-stage-operands, systolic-plan-loops, systolic-insert-prefetch,
//   systolic-schedule-loop, systolic-widen-stores, systolic-allocate-scratch)))))'
void nstf::buildTilePipeline(OpPassManager &part, const PipelineOptions &options) {
  buildProgramPipeline(part);
  OpPassManager &kernel = part.nest<systolic::KernelOp>();
  kernel.addPass(systolic::createExpandMathPass());
  kernel.addPass(systolic::createAlignBlocksPass());
  kernel.addPass(systolic::createSplitReductionPass());
  kernel.addPass(systolic::createSplitSumsPass());
  kernel.addPass(systolic::createSelectWaveSizePass({.waveSize = options.waveSize}));
  kernel.addPass(systolic::createSelectArrayPass());
  kernel.addPass(systolic::createShareLoadsPass());
  kernel.addPass(systolic::createAssignLayoutsPass());
  kernel.addPass(systolic::createStageOperandsPass());
  kernel.addPass(systolic::createPlanLoopsPass({.planFile = options.plan}));
  kernel.addPass(systolic::createInsertPrefetchPass());
  kernel.addPass(systolic::createScheduleLoopPass());
  kernel.addPass(systolic::createWidenStoresPass());
  kernel.addPass(systolic::createAllocateScratchPass());
}

// nstf-opt -pass-pipeline='builtin.module(builtin.module(nstf.variant(nstf.part(
//   systolic-to-gpu-lower-kernels, systolic-to-gpu-merge-overlaps, systolic-to-gpu-carry-words,
//   systolic-to-gpu-fetch-code, canonicalize, cse, systolic-to-gpu-issue-stores, loop-invariant-code-motion),
//   systolic-to-gpu-join-parts)))'
void nstf::buildGPUPipeline(OpPassManager &variant) {
  buildFunctionPipeline(variant.nest<PartOp>());
  variant.addPass(createJoinPartsPass());
}

void nstf::buildFunctionPipeline(OpPassManager &part) {
  part.addPass(createLowerKernelsPass());
  part.addPass(createMergeOverlapsPass());
  part.addPass(createCarryWordsPass());
  part.addPass(createFetchCodePass());
  part.addPass(createCanonicalizerPass());
  part.addPass(createCSEPass());
  part.addPass(createIssueStoresPass());
  part.addPass(createLoopInvariantCodeMotionPass());
}

// nstf-opt -pass-pipeline='builtin.module(builtin.module(nstf.variant(gpu.module(expand-strided-metadata, lower-affine,
//   convert-scf-to-cf, systolic-to-gpu-convert-gpu-to-rocdl, systolic-to-gpu-store-through, reconcile-unrealized-casts,
//   canonicalize, cse), systolic-to-gpu-attach-debug-info)))'
void nstf::buildLLVMPipeline(OpPassManager &variant) {
  OpPassManager &module = variant.nest<gpu::GPUModuleOp>();
  module.addPass(memref::createExpandStridedMetadataPass());
  module.addPass(createLowerAffinePass());
  module.addPass(createSCFToControlFlowPass());
  module.addPass(createConvertGPUToROCDLPass());
  module.addPass(createStoreThroughPass());
  module.addPass(createReconcileUnrealizedCastsPass());
  module.addPass(createCanonicalizerPass());
  module.addPass(createCSEPass());
  variant.addPass(createAttachDebugInfoPass());
}

// nstf-opt -pass-pipeline='builtin.module(builtin.module(nstf.variant(nstf-generate-code),
//   nstf-link-code{output=OUT}))'
void nstf::buildISAPipeline(OpPassManager &target, const PipelineOptions &options) {
  // LLVM's O1 without unrolling and vectorisation: the passes above have decided the shape of the loops.
  target.addNestedPass<VariantOp>(
      createGenerateCodePass({.optimize = 1, .unroll = false, .vectorize = false, .keepLLVM = options.keepLLVM}));
  target.addPass(createLinkCodePass({.output = options.output}));
}
