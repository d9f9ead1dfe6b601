// BEFORE  for k { load k; barrier; write; barrier; read; … }
// AFTER   load first
//         for k iter(tile) { barrier; write tile; barrier; load k + step when that is inside; read; … yield loaded }
#include "passes/systolic/LoadAhead.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "passes/systolic/CheckPlan.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace nstf::systolic;

namespace {

/// Loads that stand side by side, of one round.
struct Group {
  int64_t ahead;
  Operation *behind; ///< in the loop; null: at its begin
  SmallVector<LoadOp> loads;
};

class LoadsAhead {
public:
  LoadsAhead(const ProductLoop &product, PlanAttr plan) : loop(product.loop) {
    SmallVector<LoopAction> round = listRound(product);
    llvm::erase_if(round, [](const LoopAction &one) { return one.action.kind == PlanActionKind::Load; });
    llvm::SmallPtrSet<Operation *, 4> known;
    size_t others = 0;
    for (const PlanAction &action : plan.getRound()) {
      if (action.kind != PlanActionKind::Load) {
        ++others;
        continue;
      }
      if (action.ahead == 0)
        continue;
      Operation *behind = others ? round[others - 1].op : nullptr;
      if (groups.empty() || groups.back().behind != behind || groups.back().ahead != action.ahead)
        groups.push_back({action.ahead, behind, {}});
      for (LoadOp load : product.getLoads(action.index))
        if (known.insert(load).second)
          groups.back().loads.push_back(load);
    }
  }

  void run(PlanAttr plan) {
    IRRewriter rewriter(loop);
    // Of each load the tiles of as many rounds as it is ahead, the next one first.
    int64_t ahead = 0;
    for (const Group &group : groups)
      ahead = std::max(ahead, group.ahead);
    llvm::MapVector<Operation *, SmallVector<Value>> first;
    for (const Group &group : groups)
      for (LoadOp load : group.loads)
        first[load] = {};
    for (int64_t round = 0; round < ahead; ++round) {
      Loading loading = beginLoading(rewriter, loop.getLowerBound(), round);
      for (const Group &group : groups)
        for (LoadOp load : group.loads)
          if (round < group.ahead)
            first[load].push_back(makeLoad(rewriter, loading, load));
    }
    SmallVector<Value> inits;
    for (auto &[load, tiles] : first)
      llvm::append_range(inits, tiles);
    unsigned carried = loop.getNumRegionIterArgs();
    auto loadNext = [&](OpBuilder &, Location, ArrayRef<BlockArgument> tiles) {
      SmallVector<Value> next;
      for (const Group &group : groups) {
        OpBuilder builder(loop.getContext());
        if (group.behind)
          builder.setInsertionPointAfter(group.behind);
        else
          builder.setInsertionPointToStart(loop.getBody());
        Loading loading = beginLoading(builder, loop.getInductionVar(), group.ahead);
        for (LoadOp load : group.loads) {
          llvm::append_range(next, tiles.take_front(group.ahead).drop_front());
          next.push_back(makeLoad(builder, loading, load));
          tiles = tiles.drop_front(group.ahead);
        }
      }
      return next;
    };
    auto result = cast<scf::ForOp>(
        *loop.replaceWithAdditionalYields(rewriter, inits, /*replaceInitOperandUsesInLoop=*/false, loadNext));
    result->setAttr(planAttributeName, plan);
    result->setAttr(pipelinedAttributeName, rewriter.getUnitAttr());
    ArrayRef<BlockArgument> tiles = result.getRegionIterArgs().drop_front(carried);
    for (const Group &group : groups)
      for (LoadOp load : group.loads) {
        load.replaceAllUsesWith(tiles.front());
        load.erase();
        tiles = tiles.drop_front(group.ahead);
      }
  }

private:
  struct Loading {
    Value inside;
    IRMapping mapping;
  };

  Loading beginLoading(OpBuilder &builder, Value k, int64_t rounds) {
    Location loc = loop.getLoc();
    if (rounds) {
      Value distance = loop.getStep();
      if (rounds > 1)
        distance = arith::MulIOp::create(builder, loc, distance, arith::ConstantIndexOp::create(builder, loc, rounds));
      k = arith::AddIOp::create(builder, loc, k, distance);
    }
    Loading loading{arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, k, loop.getUpperBound()), {}};
    loading.mapping.map(loop.getInductionVar(), k);
    return loading;
  }

  Value makeLoad(OpBuilder &builder, Loading &loading, LoadOp load) {
    llvm::SetVector<Operation *> slice;
    BackwardSliceOptions inLoop;
    inLoop.omitUsesFromAbove = false;
    inLoop.inclusive = true;
    inLoop.filter = [&](Operation *op) { return op->getBlock() == loop.getBody(); };
    (void)getBackwardSlice(load.getResult(), &slice, inLoop);
    for (Operation *op : slice)
      if (!loading.mapping.contains(op))
        builder.clone(*op, loading.mapping);
    auto clone = loading.mapping.lookup(load.getResult()).getDefiningOp<LoadOp>();
    clone.getWhenMutable().assign(loading.inside);
    return clone;
  }

  scf::ForOp loop;
  SmallVector<Group> groups;
};

} // namespace

void nstf::systolic::moveLoadsAhead(const ProductLoop &product, PlanAttr plan) { LoadsAhead(product, plan).run(plan); }
