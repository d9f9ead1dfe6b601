// systolic-drop-unused-control: a kernel that reads no run scalar takes no control block (Passes.td).
#include "passes/systolic/Passes.h"

namespace nstf::systolic {
#define GEN_PASS_DEF_DROPUNUSEDCONTROLPASS
#include "passes/systolic/Passes.h.inc"
} // namespace nstf::systolic

using namespace mlir;
using namespace nstf::systolic;

namespace {

struct DropUnusedControlPass : nstf::systolic::impl::DropUnusedControlPassBase<DropUnusedControlPass> {
  using Base::Base;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    auto endsWithTokens = [&](unsigned argument) { return kernel.getElementsPerToken(argument) != 0; };
    if (llvm::any_of(llvm::seq(kernel.getNumArguments()), endsWithTokens))
      return;
    BitVector unused(kernel.getNumArguments());
    for (BlockArgument argument : kernel.getArguments())
      if (isa<ControlType>(argument.getType()) && argument.use_empty())
        unused.set(argument.getArgNumber());
    if (LaunchAttr launch = kernel.getLaunchAttr()) {
      SmallVector<LaunchArgument> left;
      for (auto [position, argument] : llvm::zip_equal(kernel.getLaunchedArguments(), launch.getArguments()))
        if (!unused.test(position))
          left.push_back(argument);
      kernel.setLaunchAttr(LaunchAttr::get(&getContext(), left, launch.getPerToken()));
    }
    (void)kernel.eraseArguments(unused);
  }
};

} // namespace
