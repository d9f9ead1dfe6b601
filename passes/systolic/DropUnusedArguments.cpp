// systolic-drop-unused-arguments: removes the control block and the buffers that a kernel does not read (Passes.td).
#include "passes/systolic/Passes.h"
#include "passes/systolic/Preconditions.h"

namespace nstf::systolic {
#define GEN_PASS_DEF_DROPUNUSEDARGUMENTSPASS
#include "passes/systolic/Passes.h.inc"
} // namespace nstf::systolic

using namespace mlir;
using namespace nstf::systolic;

namespace {

struct DropUnusedArgumentsPass : nstf::systolic::impl::DropUnusedArgumentsPassBase<DropUnusedArgumentsPass> {
  using Base::Base;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (failed(requireInlined(kernel)) || failed(requireOrdered(kernel)))
      return signalPassFailure();
    noteRun(getOperation(), getArgument());
    BitVector unused(kernel.getNumArguments());
    auto endsWithTokens = [&](unsigned argument) { return kernel.getElementsPerToken(argument) != 0; };
    if (llvm::none_of(llvm::seq(kernel.getNumArguments()), endsWithTokens))
      for (BlockArgument argument : kernel.getArguments())
        if (isa<ControlType>(argument.getType()) && argument.use_empty())
          unused.set(argument.getArgNumber());
    if (LaunchAttr launch = kernel.getLaunchAttr()) {
      SmallVector<LaunchArgument> left;
      for (auto [position, argument] : llvm::zip_equal(kernel.getLaunchedArguments(), launch.getArguments())) {
        if (argument.kind == LaunchArgument::None) {
          if (failed(requireNoUse(kernel.getArgument(position), argument.name)))
            return signalPassFailure();
          unused.set(position);
        }
        if (argument.isOwn() && kernel.getArgument(position).use_empty())
          unused.set(position);
        if (!unused.test(position))
          left.push_back(argument);
      }
      kernel.setLaunchAttr(LaunchAttr::get(&getContext(), left, launch.getPerToken()));
    }
    (void)kernel.eraseArguments(unused);
  }

  LogicalResult requireNoUse(Value buffer, StringAttr name) {
    if (buffer.use_empty())
      return success();
    InFlightDiagnostic error = getOperation().emitOpError()
                               << "expected no use of buffer " << name.getValue() << ", which no launch passes";
    error.attachNote(buffer.user_begin()->getLoc()) << "use";
    return error;
  }
};

} // namespace
