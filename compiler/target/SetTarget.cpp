// nstf-set-target: puts a target's facts on a module (Passes.td).
#include "compiler/target/Passes.h"
#include "compiler/target/Target.h"

namespace nstf {
#define GEN_PASS_DEF_SETTARGETPASS
#include "compiler/target/Passes.h.inc"
} // namespace nstf

namespace {

struct SetTargetPass : nstf::impl::SetTargetPassBase<SetTargetPass> {
  using Base::Base;

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
