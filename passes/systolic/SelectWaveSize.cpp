// systolic-select-wave-size: chooses wave32 or wave64 by the target's facts (Passes.td).
#include "dialects/nstf/Target.h"
#include "mlir/IR/Remarks.h"
#include "passes/systolic/Passes.h"
#include "passes/systolic/Preconditions.h"

namespace nstf::systolic {
#define GEN_PASS_DEF_SELECTWAVESIZEPASS
#include "passes/systolic/Passes.h.inc"
} // namespace nstf::systolic

using namespace mlir;
using namespace nstf::systolic;

namespace {

struct SelectWaveSizePass : nstf::systolic::impl::SelectWaveSizePassBase<SelectWaveSizePass> {
  using Base::Base;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (failed(requireInlined(kernel)) || failed(requireNoArray(kernel)))
      return signalPassFailure();
    FailureOr<nstf::TargetView> target = nstf::TargetView::require(kernel);
    if (failed(target))
      return signalPassFailure();
    std::string reason, otherReason;
    FailureOr<int64_t> size = choose(kernel, *target, reason, otherReason);
    if (failed(size))
      return signalPassFailure();
    kernel.setWaveSize(*size);
    auto options = remark::RemarkOpts::name("WaveSize").category(getArgument()).function(kernel.getSymName());
    remark::passed(kernel.getLoc(), options)
        << ("wave" + std::to_string(*size) + ": " + reason) << remark::metric("wave_size", *size);
    for (int64_t other : target->waveSizes())
      if (other != *size)
        remark::missed(kernel.getLoc(), options) << ("wave" + std::to_string(other) + ": " + otherReason);
  }

  /// `otherReason`: why the other wave sizes of the target were rejected.
  FailureOr<int64_t> choose(KernelOp kernel, nstf::TargetView target, std::string &reason, std::string &otherReason) {
    if (waveSize != 0) {
      if (failed(target.requireWaveSize(waveSize, [&] { return kernel.emitError(); })))
        return failure();
      reason = "asked for";
      otherReason = "not asked for";
      return int64_t(waveSize);
    }
    if (target.waveSizes().size() == 1) {
      reason = "the only one of " + target.name().str();
      return target.waveSizes().front();
    }
    bool hasProduct = kernel.walk([](MmaOp) { return WalkResult::interrupt(); }).wasInterrupted();
    if (hasProduct) {
      reason = "matrix products take the target's preferred size";
      otherReason = "not the size the target prefers for matrix products";
      return target.preferredWaveSize();
    }
    int64_t widest = target.waveSizes().back(), largest = 0;
    kernel.walk([&](LoadOp load) { largest = std::max(largest, getTileType(load.getResult()).getNumElements()); });
    if (largest >= widest) {
      otherReason = "narrower, and no matrix product asks for it";
      reason = "no matrix product, and tiles of " + std::to_string(largest) + " elements fill the wider wave";
      return widest;
    }
    reason = "no tile has more than " + std::to_string(largest) + " elements";
    otherReason = "no tile fills it";
    return target.waveSizes().front();
  }
};

} // namespace
