// BEFORE  for k { load k; barrier; write; barrier; read; … }
// AFTER   load first
//         for k iter(tile) { barrier; write tile; barrier; load k + step when that is inside; read; … yield loaded }
// WITH TWO BUFFERS
//         load first, second; barrier; write first → lds[0]
//         for k iter(tile, n = 0) { barrier; read lds[n]; write tile → lds[1 - n]; load k + 2 steps;
//                                   … yield loaded, 1 - n }
#include "passes/systolic/LoadAhead.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "passes/analysis/Operands.h"
#include "passes/systolic/CheckPlan.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace nstf::systolic;

namespace {

/// Adjacent loads of one round.
struct Group {
  int64_t ahead;
  Operation *behind; ///< the op of the loop after which they come; null: the begin of the body
  SmallVector<LoadOp> loads;
};

class LoadsAhead {
public:
  LoadsAhead(const ProductLoop &product, PlanAttr plan) : loop(product.loop) {
    SmallVector<LoopAction> round = listRound(product);
    llvm::SmallPtrSet<Operation *, 4> known;
    Operation *behind = nullptr;
    for (const PlanAction &action : plan.getRound()) {
      // Writes to another buffer come before the loads.
      if (action.kind == PlanActionKind::Write && plan.getBuffers() > 1)
        continue;
      if (action.kind != PlanActionKind::Load) {
        // Barriers match in program order, all other actions by number.
        auto stands = llvm::find_if(round, [&](const LoopAction &one) {
          return one.action.kind == action.kind && one.action.index == action.index;
        });
        behind = stands->op;
        round.erase(stands);
        continue;
      }
      if (action.ahead == 0)
        continue;
      if (groups.empty() || groups.back().behind != behind || groups.back().ahead != action.ahead)
        groups.push_back({action.ahead, behind, {}});
      for (LoadOp load : product.getLoads(action.index))
        if (known.insert(load).second)
          groups.back().loads.push_back(load);
    }
  }

  /// Rebuilds the loop.
  scf::ForOp run(PlanAttr plan) {
    IRRewriter rewriter(loop);
    // For each load, the tiles of the rounds that it is ahead, the next round first.
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
        convertLate(tiles.front());
        tiles = tiles.drop_front(group.ahead);
      }
    return result;
  }

private:
  /// Moves conversions of a tile's type to their use: until then the tile takes fewer registers.
  static void convertLate(BlockArgument tile) {
    for (Operation *user : llvm::make_early_inc_range(tile.getUsers())) {
      if (!isElementwise(user) || user->getNumOperands() != 1 || !user->hasOneUse())
        continue;
      if (Operation *place = tile.getOwner()->findAncestorOpInBlock(**user->user_begin()))
        user->moveBefore(place);
    }
  }

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
    for (Operation *op : findSlice(load.getResult(), loop))
      if (!loading.mapping.contains(op))
        builder.clone(*op, loading.mapping);
    auto clone = loading.mapping.lookup(load.getResult()).getDefiningOp<LoadOp>();
    clone.getWhenMutable().assign(loading.inside);
    return clone;
  }

  scf::ForOp loop;
  SmallVector<Group> groups;
};

/// For a loop whose loads are two rounds ahead: a round writes to one of two buffers while it reads the other.
class WritesAhead {
public:
  WritesAhead(const ProductLoop &product, PlanAttr plan) : product(product) {
    PlanAction before;
    for (const PlanAction &action : plan.getRound())
      if (action.kind == PlanActionKind::Write)
        break;
      else if (action.kind != PlanActionKind::Load)
        before = action;
    for (const LoopAction &one : listRound(product)) // the first barrier, which stays
      if (!behind && one.action.kind == before.kind && one.action.index == before.index)
        behind = one.op;
  }

  void run(scf::ForOp loop) {
    for (const LoopWrite &one : product.writes)
      widen(WriteOp(one.write).getLds());
    auto barriers = llvm::to_vector(loop.getBody()->getOps<BarrierOp>());
    IRRewriter rewriter(loop);
    Location loc = loop.getLoc();
    BarrierOp::create(rewriter, loc);
    IRMapping first;
    first.map(loop.getInductionVar(), loop.getLowerBound());
    for (auto [argument, init] : llvm::zip_equal(loop.getRegionIterArgs(), loop.getInitArgs()))
      first.map(argument, init);
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0),
          one = arith::ConstantIndexOp::create(rewriter, loc, 1);
    for (const LoopWrite &written : product.writes)
      cloneWrite(rewriter, written.write, first, zero);
    Value next;
    auto exchange = [&](OpBuilder &, Location, ArrayRef<BlockArgument> buffer) {
      OpBuilder builder(loop.getContext());
      builder.setInsertionPointToStart(loop.getBody());
      next = arith::SubIOp::create(builder, loc, one, buffer.front());
      for (ReadOp read : llvm::make_early_inc_range(loop.getBody()->getOps<ReadOp>()))
        read.getBufferMutable().assign(buffer.front());
      return SmallVector<Value>{next};
    };
    loop = cast<scf::ForOp>(
        *loop.replaceWithAdditionalYields(rewriter, zero, /*replaceInitOperandUsesInLoop=*/false, exchange));
    // The loop carries two tiles: the tile of this round and the tile of the next round, which is written to LDS.
    OpBuilder builder(loop.getContext());
    builder.setInsertionPointAfter(behind);
    IRMapping second;
    second.map(loop.getInductionVar(), arith::AddIOp::create(builder, loc, loop.getInductionVar(), loop.getStep()));
    for (auto [argument, yielded] : llvm::zip_equal(loop.getRegionIterArgs(), loop.getYieldedValues()))
      if (llvm::is_contained(loop.getRegionIterArgs(), yielded))
        second.map(argument, yielded);
    for (const LoopWrite &one : product.writes)
      cloneWrite(builder, one.write, second, next);
    for (const LoopWrite &one : product.writes)
      WriteOp(one.write).erase();
    for (BarrierOp barrier : llvm::drop_begin(barriers))
      barrier.erase();
  }

private:
  void widen(Value lds) {
    auto type = cast<LdsType>(lds.getType());
    auto kernel = cast<KernelOp>(lds.getParentBlock()->getParentOp());
    lds.setType(LdsType::get(type.getContext(), /*buffers=*/2, type.getShape(), type.getElementType(),
                             type.getSwizzle(), type.getAxes()));
    kernel.setFunctionType(Builder(lds.getContext()).getFunctionType(kernel.getBody().front().getArgumentTypes(), {}));
  }

  static void cloneWrite(OpBuilder &builder, WriteOp write, IRMapping &mapping, Value buffer) {
    for (Operation *op : findSlice(write.getTile(), cast<scf::ForOp>(write->getParentOp())))
      if (!mapping.contains(op))
        builder.clone(*op, mapping);
    cast<WriteOp>(builder.clone(*write, mapping)).getBufferMutable().assign(buffer);
  }

  const ProductLoop &product;
  Operation *behind = nullptr; ///< the op of the loop after which the writes come
};

} // namespace

void nstf::systolic::moveLoadsAhead(const ProductLoop &product, PlanAttr plan) {
  if (plan.getBuffers() == 1) {
    LoadsAhead(product, plan).run(plan);
    return;
  }
  WritesAhead writes(product, plan);
  writes.run(LoadsAhead(product, plan).run(plan));
}
