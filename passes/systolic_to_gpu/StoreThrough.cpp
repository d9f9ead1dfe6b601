// systolic-to-gpu-store-through: stores results to memory, past the L2, while the kernel runs (Passes.td).
#include "dialects/nstf/Target.h"
#include "dialects/systolic/Systolic.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/systolic_to_gpu/Passes.h"

namespace nstf {
#define GEN_PASS_DEF_STORETHROUGHPASS
#include "passes/systolic_to_gpu/Passes.h.inc"
} // namespace nstf

using namespace mlir;

namespace {

/// Bit sc1 of a buffer access: device scope, past the L2 of one XCD.
constexpr int32_t deviceScope = 16;
/// The min bits that a lane stores past the L2: narrower stores may reach a line piecemeal, and each one would cost a
/// write of the whole line to memory.
constexpr unsigned narrowestBits = 32;

/// The max number of stores that share one branch; the addresses of all of them are live at once.
constexpr size_t maxTogether = 8;

struct StoreThroughPass : nstf::impl::StoreThroughPassBase<StoreThroughPass> {
  using Base::Base;

  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    FailureOr<nstf::TargetView> target = nstf::TargetView::require(module);
    if (failed(target))
      return signalPassFailure();
    DataLayout layout(module);
    for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
      auto lastRound = dyn_cast_or_null<IntegerAttr>(function->removeAttr(nstf::systolic::lastRoundAttributeName));
      if (target->xcds() == 1)
        continue;
      for (Block &block : llvm::make_early_inc_range(function.getBody()))
        for (SmallVector<ROCDL::RawPtrBufferStoreOp> &run : findRuns(block, layout))
          if (lastRound)
            storeEitherWay(run, lastRound.getInt());
          else
            storeThrough(run);
    }
  }

private:
  static void storeThrough(ArrayRef<ROCDL::RawPtrBufferStoreOp> run) {
    for (ROCDL::RawPtrBufferStoreOp store : run) {
      OpBuilder builder(store);
      store.getAuxMutable().assign(
          LLVM::ConstantOp::create(builder, store.getLoc(), builder.getI32IntegerAttr(deviceScope)));
    }
  }

  /// Runs of stores with only arithmetic between them.
  static SmallVector<SmallVector<ROCDL::RawPtrBufferStoreOp>> findRuns(Block &block, const DataLayout &layout) {
    SmallVector<SmallVector<ROCDL::RawPtrBufferStoreOp>> runs(1);
    for (Operation &op : block) {
      auto store = dyn_cast<ROCDL::RawPtrBufferStoreOp>(op);
      bool isWide = store && layout.getTypeSizeInBits(store.getVdata().getType()) >= narrowestBits;
      if ((!isWide && !isMemoryEffectFree(&op)) || runs.back().size() == maxTogether)
        runs.emplace_back();
      if (isWide)
        runs.back().push_back(store);
    }
    llvm::erase_if(runs, [](const auto &run) { return run.empty(); });
    return runs;
  }

  /// Makes workgroups from `lastRound` on store past the L2, and those before them into it.
  static void storeEitherWay(ArrayRef<ROCDL::RawPtrBufferStoreOp> run, int64_t lastRound) {
    ROCDL::RawPtrBufferStoreOp last = run.back();
    for (ROCDL::RawPtrBufferStoreOp store : run.drop_back())
      store->moveBefore(last);
    Location loc = last.getLoc();
    Block *before = last->getBlock(), *into = before->splitBlock(run.front());
    Block *after = into->splitBlock(std::next(last->getIterator())), *past = new Block;
    before->getParent()->getBlocks().insert(after->getIterator(), past);
    auto builder = OpBuilder::atBlockEnd(into);
    LLVM::BrOp::create(builder, loc, after);
    builder.setInsertionPointToEnd(past);
    SmallVector<ROCDL::RawPtrBufferStoreOp> copies;
    for (ROCDL::RawPtrBufferStoreOp store : run)
      copies.push_back(cast<ROCDL::RawPtrBufferStoreOp>(builder.clone(*store)));
    LLVM::BrOp::create(builder, loc, after);
    storeThrough(copies);
    builder.setInsertionPointToEnd(before);
    Value number = ROCDL::BlockIdXOp::create(builder, loc, builder.getI32Type());
    Value first = LLVM::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(int32_t(lastRound)));
    Value isLast = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::uge, number, first);
    LLVM::CondBrOp::create(builder, loc, isLast, past, into);
  }
};

} // namespace
