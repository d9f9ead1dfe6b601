// BEFORE  for k { load k; barrier; write; barrier; read; … }
// AFTER   load first
//         for k iter(tile) { barrier; write tile; barrier; load k + step when that is inside; read; … yield loaded }
#include "passes/systolic/LoadAhead.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace nstf::systolic;

/// What a value of the loop's body is made of there, itself included.
static llvm::SetVector<Operation *> getSlice(Value value, scf::ForOp loop) {
  llvm::SetVector<Operation *> slice;
  BackwardSliceOptions inLoop;
  inLoop.inclusive = true;
  inLoop.filter = [&](Operation *op) { return op->getBlock() == loop.getBody(); };
  (void)getBackwardSlice(value, &slice, inLoop);
  return slice;
}

std::string StagedLoads::match(scf::ForOp candidate) {
  loop = candidate;
  for (WriteOp write : loop.getOps<WriteOp>()) {
    written = write;
    while (written->getNextNode() && !isa<BarrierOp>(written))
      written = written->getNextNode();
    for (Operation *op : getSlice(write.getTile(), loop)) {
      if (auto load = dyn_cast<LoadOp>(op)) {
        if (!llvm::is_contained(loads, load))
          loads.push_back(load);
      } else if (!isPure(op)) {
        return "what is written to LDS comes from more than loads: " + op->getName().getStringRef().str();
      }
    }
  }
  if (loads.empty() || !isa<BarrierOp>(written))
    return "nothing that is loaded goes to LDS";
  for (LoadOp load : loads) {
    if (load.getWhen() || load.getAt())
      return "a load has a condition or places of its own";
    for (Operation *op : getSlice(load.getResult(), loop)) {
      if (op != load && !isPure(op))
        return "where it loads depends on " + op->getName().getStringRef().str();
      for (Value operand : op->getOperands())
        if (llvm::is_contained(loop.getRegionIterArgs(), operand))
          return "where it loads depends on the round before";
    }
  }
  return "";
}

scf::ForOp StagedLoads::moveAhead() {
  Location loc = loop.getLoc();
  auto loadRound = [&](OpBuilder &builder, Value k) {
    Value inside = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, k, loop.getUpperBound());
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), k);
    SmallVector<Value> tiles;
    for (LoadOp load : loads) {
      for (Operation *op : getSlice(load.getResult(), loop))
        if (!mapping.contains(op))
          builder.clone(*op, mapping);
      auto clone = mapping.lookup(load.getResult()).getDefiningOp<LoadOp>();
      clone.getWhenMutable().assign(inside);
      tiles.push_back(clone);
    }
    return tiles;
  };
  IRRewriter rewriter(loop);
  SmallVector<Value> first = loadRound(rewriter, loop.getLowerBound());
  auto loadNext = [&](OpBuilder &, Location, ArrayRef<BlockArgument>) {
    OpBuilder builder(written);
    builder.setInsertionPointAfter(written);
    return loadRound(builder, arith::AddIOp::create(builder, loc, loop.getInductionVar(), loop.getStep()));
  };
  unsigned carried = loop.getNumRegionIterArgs();
  auto result = cast<scf::ForOp>(
      *loop.replaceWithAdditionalYields(rewriter, first, /*replaceInitOperandUsesInLoop=*/false, loadNext));
  for (auto [load, tile] : llvm::zip_equal(loads, result.getRegionIterArgs().drop_front(carried))) {
    load.replaceAllUsesWith(tile);
    load.erase();
  }
  return result;
}
