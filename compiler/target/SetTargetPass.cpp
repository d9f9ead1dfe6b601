// nstf-set-target (SetTargetPass.h).
#include "compiler/target/SetTargetPass.h"
#include "compiler/target/Target.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace {

struct SetTargetPass : PassWrapper<SetTargetPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SetTargetPass)
  SetTargetPass() = default;
  SetTargetPass(const SetTargetPass &other) : PassWrapper(other) {}
  StringRef getArgument() const override { return "nstf-set-target"; }
  StringRef getDescription() const override { return "puts a built-in target on the module"; }
  Option<std::string> target{*this, "target", llvm::cl::desc("name, alias or .yaml file"), llvm::cl::init("gfx942")};

  void runOnOperation() override {
    try {
      nstf::attachTarget(getOperation(), nstf::findTarget(target.getValue()));
    } catch (const std::exception &error) {
      getOperation().emitError() << error.what();
      signalPassFailure();
    }
  }
};

} // namespace

void nstf::registerSetTargetPass() { PassRegistration<SetTargetPass>(); }
