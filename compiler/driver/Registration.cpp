// The one list of dialects and passes. They are registered by name, not by mlir/InitAll*.h: parsing those headers alone
// takes seconds.
#include "compiler/driver/Registration.h"

#include "compiler/catalog/Passes.h"
#include "compiler/codegen/Passes.h"
#include "compiler/pipelines/Pipelines.h"
#include "compiler/target/Passes.h"
#include "dialects/nstf/NSTF.h"
#include "dialects/systolic/Systolic.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/Passes.h"
#include "passes/nstf/Passes.h"
#include "passes/nstf_to_systolic/Binding.h"
#include "passes/nstf_to_systolic/Passes.h"
#include "passes/systolic/Passes.h"
#include "passes/systolic_to_gpu/Passes.h"

void nstf::registerDialects(mlir::DialectRegistry &registry) {
  registry.insert<NSTFDialect, systolic::SystolicDialect>();
  registerTemplateOps(registry);
  // The dialects of the lower levels, top to bottom.
  registry.insert<mlir::linalg::LinalgDialect, mlir::tensor::TensorDialect, mlir::affine::AffineDialect,
                  mlir::func::FuncDialect, mlir::arith::ArithDialect, mlir::math::MathDialect, mlir::scf::SCFDialect,
                  mlir::gpu::GPUDialect, mlir::vector::VectorDialect, mlir::memref::MemRefDialect,
                  mlir::amdgpu::AMDGPUDialect, mlir::ROCDL::ROCDLDialect, mlir::LLVM::LLVMDialect>();
  // Template slots are functions; the inliner puts them into their kernels.
  mlir::func::registerInlinerExtension(registry);
}

std::vector<std::string> nstf::listOperations(mlir::MLIRContext &context) {
  context.loadDialect<NSTFDialect>();
  std::vector<std::string> names;
  for (mlir::RegisteredOperationName name : context.getRegisteredOperations())
    if (name.getDialectNamespace() == NSTFDialect::getDialectNamespace())
      names.push_back(name.getStringRef().str());
  llvm::sort(names);
  return names;
}

void nstf::registerPasses() {
  mlir::registerTransformsPasses();
  // The upstream passes in our pipelines, registered so that a pipeline's text can be parsed.
  mlir::registerPass([] { return mlir::memref::createExpandStridedMetadataPass(); });
  mlir::registerPass([] { return mlir::createLowerAffinePass(); });
  mlir::registerPass([] { return mlir::createReconcileUnrealizedCastsPass(); });
  mlir::registerPass([] { return mlir::createSCFToControlFlowPass(); });
  registerPipelines();
  registerNSTFCatalogPasses();
  registerNSTFCodegenPasses();
  registerNSTFTargetPasses();
  registerNSTFPasses();
  registerNSTFToSystolicPasses();
  systolic::registerSystolicPasses();
  registerSystolicToGPUPasses();
}
