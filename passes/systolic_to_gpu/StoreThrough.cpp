// systolic-to-gpu-store-through: results go on to memory while the kernel runs (Passes.td).
#include "dialects/nstf/Target.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "passes/systolic_to_gpu/Passes.h"

namespace nstf {
#define GEN_PASS_DEF_STORETHROUGHPASS
#include "passes/systolic_to_gpu/Passes.h.inc"
} // namespace nstf

using namespace mlir;

namespace {

/// Bit sc1 of a buffer access: for all of the device, past the L2 of one XCD.
constexpr int32_t deviceScope = 16;
/// Of a lane: what is narrower may come to a line bit by bit, and each time the memory's way is taken for all of it.
constexpr unsigned narrowestBits = 32;

struct StoreThroughPass : nstf::impl::StoreThroughPassBase<StoreThroughPass> {
  using Base::Base;

  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    FailureOr<nstf::TargetView> target = nstf::TargetView::require(module);
    if (failed(target))
      return signalPassFailure();
    if (target->xcds() == 1)
      return;
    DataLayout layout(module);
    module.walk([&](ROCDL::RawPtrBufferStoreOp store) {
      if (layout.getTypeSizeInBits(store.getVdata().getType()) < narrowestBits)
        return;
      OpBuilder builder(store);
      store.getAuxMutable().assign(
          LLVM::ConstantOp::create(builder, store.getLoc(), builder.getI32IntegerAttr(deviceScope)));
    });
  }
};

} // namespace
