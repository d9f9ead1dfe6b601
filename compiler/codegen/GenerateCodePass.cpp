// nstf-generate-code (GenerateCodePass.h).
#include "compiler/codegen/GenerateCodePass.h"
#include "compiler/codegen/Codegen.h"
#include "dialects/nstf/Target.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace {

struct GenerateCodePass : PassWrapper<GenerateCodePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(GenerateCodePass)
  StringRef getArgument() const override { return nstf::generateCodePassName; }
  StringRef getDescription() const override { return "compiles and links the gpu.modules, and drops the result"; }
  void getDependentDialects(DialectRegistry &registry) const override { nstf::registerCodegenTranslations(registry); }

  void runOnOperation() override {
    SmallVector<gpu::GPUModuleOp> modules;
    getOperation().walk([&](gpu::GPUModuleOp module) { modules.push_back(module); });
    if (modules.empty())
      return;
    FailureOr<nstf::TargetView> target = nstf::TargetView::require(modules.front());
    if (failed(target))
      return signalPassFailure();
    nstf::CodegenOptions options;
    options.chip = target->chip().str();
    if (auto object = nstf::generateCode(modules, options); !object) {
      getOperation().emitError() << llvm::toString(object.takeError());
      signalPassFailure();
    }
  }
};

} // namespace

void nstf::registerGenerateCodePass() { PassRegistration<GenerateCodePass>(); }
