// systolic-schedule-loop: interleaves memory accesses with products (Passes.td).
//
// BEFORE  %f = systolic.read …                    AFTER  %next:2 = systolic.overlap {
//         systolic.write …                                 %s = systolic.mma %a, %b, %sum
//         %s = systolic.mma %a, %b, %sum                   systolic.yield %s
//                                                        } with {
//                                                          %f = systolic.read …
//                                                          systolic.write …
//                                                          systolic.yield %f
//                                                        }
#include "dialects/nstf/Target.h"
#include "dialects/systolic/Systolic.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "passes/analysis/Loops.h"
#include "passes/analysis/Operands.h"
#include "passes/systolic/Passes.h"
#include "passes/systolic/PingPong.h"
#include "passes/systolic/Preconditions.h"

namespace nstf::systolic {
#define GEN_PASS_DEF_SCHEDULELOOPPASS
#include "passes/systolic/Passes.h.inc"
} // namespace nstf::systolic

using namespace mlir;
using namespace nstf::systolic;

namespace {

/// Whether an op may overlap with products: it moves tiles, or computes on loaded ones.
bool isMemoryWork(Operation *op) {
  return isa<LoadOp, ReadOp, StageOp, WriteOp, UnpackOp, BroadcastOp, SliceOp>(op) ||
         (isElementwise(op) && getTileType(op->getResult(0)));
}

struct ScheduleLoopPass : nstf::systolic::impl::ScheduleLoopPassBase<ScheduleLoopPass> {
  using Base::Base;

  void runOnOperation() override {
    const LoopAnalysis &loops = getAnalysis<LoopAnalysis>();
    if (failed(requirePipelined(loops)))
      return signalPassFailure();
    noteRun(getOperation(), getArgument());
    for (const ProductLoop &product : loops.getLoops()) {
      auto plan = product.loop->getAttrOfType<PlanAttr>(planAttributeName);
      if (plan.getOrder() == LoopOrder::turns) {
        FailureOr<nstf::TargetView> target = nstf::TargetView::require(getOperation());
        if (failed(target) || failed(requireArray(getOperation())))
          return signalPassFailure();
        if (takeTurns(product.loop, target->simdsPerComputeUnit()))
          continue;
      }
      if (isPastLds(product, getOperation()))
        pinLoads(product.loop);
      else
        schedule(product.loop, plan);
    }
  }

private:
  remark::RemarkOpts options() {
    return remark::RemarkOpts::name("Schedule").category(getArgument()).function(getOperation().getSymName());
  }

  bool takeTurns(scf::ForOp loop, int64_t simds) {
    std::string reason = pingPong(loop, getOperation(), simds);
    if (reason.empty())
      remark::passed(loop.getLoc(), options()) << "halves of the waves take turns at memory work and products";
    else
      remark::missed(loop.getLoc(), options()) << ("no ping-pong: " + reason);
    return reason.empty();
  }

  /// Whether no tile of the loop goes through LDS to other waves, and either a product uses the result of another one,
  /// or each wave exchanges lanes by itself.
  static bool isPastLds(const ProductLoop &product, KernelOp kernel) {
    bool isChain = llvm::any_of(product.products, [](const LoopProduct &one) { return !one.chain.empty(); });
    SystolicArrayAttr array = kernel.getArray().value_or(SystolicArrayAttr());
    return product.writes.empty() && product.stages.empty() && (isChain || (array && array.getRuns()));
  }

  /// Keeps each load for the next round after the product that used the previous tile, and the loads before the
  /// loop in the same order. A wait is then for the older half of the loads in flight.
  void pinLoads(scf::ForOp loop) {
    pinFirst(loop, /*readsLds=*/false);
    int64_t pinned = 0;
    for (LoadOp load : llvm::make_early_inc_range(loop.getOps<LoadOp>())) {
      if (!llvm::all_of(load->getUsers(), llvm::IsaPred<scf::YieldOp>))
        continue;
      OpBuilder builder(load);
      putSideBySide(builder, load.getLoc(), {{load.getOperation()}});
      ++pinned;
    }
    remark::passed(loop.getLoc(), options())
        << (std::to_string(pinned) + " tiles are loaded behind the products that took those before")
        << remark::metric("loads", pinned);
  }

  void schedule(scf::ForOp loop, PlanAttr plan) {
    if (plan.getPinned())
      pinFirst(loop);
    int64_t products = 0, overlapped = 0;
    SmallVector<Operation *> pending;
    for (Operation &op : llvm::make_early_inc_range(*loop.getBody())) {
      if (isa<BarrierOp, WaitOp>(op) || isMemoryWork(&op))
        pending.push_back(&op);
      auto mma = dyn_cast<MmaOp>(op);
      if (!mma)
        continue;
      ++products;
      overlapped += overlap(mma, pending);
      pending.clear();
    }
    bool hasPriorities = overlapped && setPriorities(loop, plan.getPriorities());
    if (overlapped == 0)
      remark::missed(loop.getLoc(), options()) << "no memory work stands before a product that does not wait for it";
    else
      remark::passed(loop.getLoc(), options())
          << (std::to_string(overlapped) + " of " + std::to_string(products) + " products flow beside memory work" +
              (hasPriorities ? ", waves that still have memory work go first" : ""))
          << remark::metric("products", products) << remark::metric("overlapped", overlapped);
  }

  /// Sets the waves' priorities; false unless every product of the loop overlaps with work that has a barrier.
  static bool setPriorities(scf::ForOp loop, ArrayRef<int64_t> priorities) {
    auto hasBarrier = [](OverlapOp overlap) { return !overlap.getParts().back().getOps<BarrierOp>().empty(); };
    auto overlaps = loop.getOps<OverlapOp>();
    if (priorities.empty() || !loop.getOps<MmaOp>().empty() || !llvm::all_of(overlaps, hasBarrier))
      return false;
    for (OverlapOp overlap : overlaps) {
      Block &work = overlap.getParts().back().front();
      BarrierOp barrier = *work.getOps<BarrierOp>().begin();
      auto builder = OpBuilder::atBlockBegin(&work);
      auto setPriority = [&](int64_t priority) { PriorityOp::create(builder, overlap.getLoc(), priority); };
      setPriority(priorities[0]);
      builder.setInsertionPointAfter(barrier);
      setPriority(priorities[1]);
      builder.setInsertionPoint(work.getTerminator());
      setPriority(priorities[2]);
    }
    return true;
  }

  /// Gives the reads and loads between the last barrier and a loop the order that they have in its rounds, so that the
  /// number of accesses to wait for is the same from both entries of the loop.
  static void pinFirst(scf::ForOp loop, bool readsLds = true) {
    SmallVector<Operation *> work;
    auto isForLoop = [&](Operation *user) { // ops before the loop do not use it
      Operation *reader = loop->getBlock()->findAncestorOpInBlock(*user);
      return !reader || !reader->isBeforeInBlock(loop) || llvm::is_contained(work, reader);
    };
    for (Operation *op = loop->getPrevNode(); op; op = op->getPrevNode()) {
      bool reads = isa<LoadOp, ReadOp, SliceOp>(op);
      if (!reads && !isMemoryEffectFree(op)) // a barrier, or an op that may change what is read
        break;
      if (reads && llvm::all_of(op->getUsers(), isForLoop))
        work.push_back(op);
    }
    if (work.size() < 2 || (readsLds && llvm::none_of(work, llvm::IsaPred<ReadOp>)))
      return;
    std::reverse(work.begin(), work.end());
    OpBuilder builder(loop);
    putSideBySide(builder, loop.getLoc(), {work});
  }

  /// Overlaps a product with the ops of `pending` that it does not need; false if it needs them all.
  static bool overlap(MmaOp mma, ArrayRef<Operation *> pending) {
    llvm::SetVector<Operation *> needed;
    BackwardSliceOptions inBlock;
    inBlock.omitUsesFromAbove = false;
    inBlock.omitBlockArguments = true;
    inBlock.filter = [&](Operation *op) { return op->getBlock() == mma->getBlock(); };
    (void)getBackwardSlice(mma.getOperation(), &needed, inBlock);
    auto isNeeded = [&](Operation *op) { return needed.contains(op); };
    // If the product needs some of them, the last barrier and everything before it stay in front.
    if (llvm::any_of(pending, isNeeded))
      while (llvm::any_of(pending, llvm::IsaPred<BarrierOp>))
        pending = pending.drop_front();
    // An op stays before the product if its users do.
    auto isForLater = [&](Operation *op, ArrayRef<Operation *> later) {
      return llvm::all_of(op->getUsers(), [&](Operation *user) {
        Operation *place = mma->getBlock()->findAncestorOpInBlock(*user);
        return !place || !place->isBeforeInBlock(mma) || llvm::is_contained(later, place);
      });
    };
    SmallVector<Operation *> work;
    for (Operation *op : llvm::reverse(pending))
      if (!isNeeded(op) && isForLater(op, work))
        work.push_back(op);
    std::reverse(work.begin(), work.end());
    if (llvm::none_of(work, llvm::IsaPred<LoadOp, ReadOp, WriteOp>))
      return false;
    OpBuilder builder(mma);
    putSideBySide(builder, mma.getLoc(), {{mma.getOperation()}, work});
    return true;
  }

  static void putSideBySide(OpBuilder &builder, Location loc, ArrayRef<SmallVector<Operation *>> parts) {
    SmallVector<Value> results;
    for (const SmallVector<Operation *> &part : parts)
      for (Operation *op : part)
        llvm::append_range(results, op->getResults());
    auto overlap = OverlapOp::create(builder, loc, TypeRange(ValueRange(results)), parts.size());
    auto isInside = [&](Operation *op) {
      return llvm::any_of(parts, [&](const SmallVector<Operation *> &part) { return llvm::is_contained(part, op); });
    };
    for (auto [result, replaced] : llvm::zip_equal(results, overlap.getResults()))
      result.replaceUsesWithIf(replaced, [&](OpOperand &use) { return !isInside(use.getOwner()); });
    for (auto [region, part] : llvm::zip_equal(overlap.getParts(), parts))
      fill(region, part);
  }

  static void fill(Region &region, ArrayRef<Operation *> ops) {
    OpBuilder builder(region.getContext());
    Block *block = builder.createBlock(&region);
    SmallVector<Value> results;
    for (Operation *op : ops) {
      op->moveBefore(block, block->end());
      llvm::append_range(results, op->getResults());
    }
    YieldOp::create(builder, region.getLoc(), results);
  }
};

} // namespace
