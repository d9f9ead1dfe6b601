// systolic-allocate-scratch: allocates one shared LDS scratch for conversions and reductions (Passes.td).
#include "dialects/nstf/Target.h"
#include "mlir/IR/Remarks.h"
#include "passes/systolic/Passes.h"
#include "passes/systolic/Preconditions.h"
#include "passes/systolic/Scratch.h"

namespace nstf::systolic {
#define GEN_PASS_DEF_ALLOCATESCRATCHPASS
#include "passes/systolic/Passes.h.inc"
} // namespace nstf::systolic

using namespace mlir;
using namespace nstf::systolic;

namespace {

struct AllocateScratchPass : nstf::systolic::impl::AllocateScratchPassBase<AllocateScratchPass> {
  using Base::Base;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    FailureOr<nstf::TargetView> target = nstf::TargetView::require(kernel);
    if (failed(target) || failed(requireWaveSize(kernel)) || failed(requireLayouts(kernel)) ||
        failed(requireNoScratch(kernel)))
      return signalPassFailure();
    int64_t scratch = getScratchBytes(kernel), total = scratch;
    for (Type type : kernel.getArgumentTypes())
      if (auto lds = dyn_cast<LdsType>(type))
        total += lds.getSizeInBytes();
    SharedScratch shared = findSharedScratch(kernel);
    int64_t arrays = total - scratch;
    bool isTight = total > target->ldsBytes() ||
                   (leavesRoomForTwoWaves(kernel, *target, arrays) && !leavesRoomForTwoWaves(kernel, *target, total));
    if (shared.array && isTight) {
      shareScratch(kernel, shared);
      scratch = 0;
      total = arrays;
    } else if (scratch > 0) {
      addScratch(kernel, scratch);
    }
    if (total > target->ldsBytes()) {
      kernel.emitError() << "expected at most " << target->ldsBytes() << " bytes of LDS on " << target->name()
                         << " but got " << total << ", " << scratch << " of them for layout conversions";
      return signalPassFailure();
    }
    remark::analysis(kernel.getLoc(),
                     remark::RemarkOpts::name("Lds").category(getArgument()).function(kernel.getSymName()))
        << (std::to_string(total) + " bytes of LDS, " + std::to_string(scratch) + " of them scratch")
        << remark::metric("lds", total) << remark::metric("scratch", scratch);
  }

  void shareScratch(KernelOp kernel, SharedScratch shared) {
    kernel.setArgAttr(shared.array.getArgNumber(), scratchAttributeName, UnitAttr::get(&getContext()));
    OpBuilder builder(shared.first);
    BarrierOp::create(builder, shared.first->getLoc());
    remark::passed(kernel.getLoc(),
                   remark::RemarkOpts::name("SharedScratch").category(getArgument()).function(kernel.getSymName()))
        << "scratch lies where the array of a loop before it does";
  }

  void addScratch(KernelOp kernel, int64_t bytes) {
    MLIRContext *context = &getContext();
    Builder builder(context);
    auto axes = AxesAttr::get(context, Attribute(builder.getI64IntegerAttr(bytes)));
    auto type = LdsType::get(context, 1, bytes, builder.getI8Type(), builder.getUnitAttr(), axes);
    auto attributes = builder.getDictionaryAttr(builder.getNamedAttr(scratchAttributeName, builder.getUnitAttr()));
    (void)kernel.insertArgument(kernel.getNumArguments(), type, attributes, kernel.getLoc());
  }
};

} // namespace
