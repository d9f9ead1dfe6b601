#include "passes/analysis/Loops.h"
#include "dialects/systolic/Layouts.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/analysis/Operands.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nstf::systolic;

static std::optional<int64_t> getEnd(scf::ForOp loop) {
  Value end = loop.getUpperBound();
  auto choice = end.getDefiningOp<arith::SelectOp>();
  if (!choice)
    return getConstantIntValue(end);
  std::optional<int64_t> begin = getConstantIntValue(loop.getLowerBound());
  bool isAllOrNothing = begin && getConstantIntValue(choice.getFalseValue()) == begin;
  return isAllOrNothing ? getConstantIntValue(choice.getTrueValue()) : std::nullopt;
}

std::optional<int64_t> nstf::systolic::countRounds(scf::ForOp loop) {
  std::optional<int64_t> begin = getConstantIntValue(loop.getLowerBound()), step = getConstantIntValue(loop.getStep()),
                         end = getEnd(loop);
  return begin && step && end ? std::optional(llvm::divideCeil(*end - *begin, *step)) : std::nullopt;
}

llvm::SetVector<Operation *> nstf::systolic::findSlice(Value value, scf::ForOp loop) {
  llvm::SetVector<Operation *> slice;
  BackwardSliceOptions inLoop;
  inLoop.omitUsesFromAbove = false;
  inLoop.inclusive = true;
  inLoop.omitBlockArguments = true;
  inLoop.filter = [&](Operation *op) { return op->getBlock() == loop.getBody(); };
  (void)getBackwardSlice(value, &slice, inLoop);
  return slice;
}

/// The loop-carried value that each round replaces by itself plus this product, and by nothing else.
static std::optional<unsigned> findSum(MmaOp mma, scf::ForOp loop) {
  auto sum = dyn_cast<BlockArgument>(mma.getAcc());
  if (!sum || sum.getOwner() != loop.getBody() || !sum.hasOneUse() || !mma->hasOneUse())
    return std::nullopt;
  unsigned index = sum.getArgNumber() - loop.getNumInductionVars();
  return loop.getYieldedValues()[index] == mma.getResult() ? std::optional(index) : std::nullopt;
}

/// Whether the product uses the load's result other than through another product.
static bool isOperandOf(LoadOp load, MmaOp product, scf::ForOp loop) {
  BackwardSliceOptions inLoop;
  inLoop.omitUsesFromAbove = false;
  inLoop.inclusive = true;
  inLoop.omitBlockArguments = true;
  inLoop.filter = [&](Operation *op) { return op->getBlock() == loop.getBody() && (op == product || !isa<MmaOp>(op)); };
  llvm::SetVector<Operation *> slice;
  (void)getBackwardSlice(product.getOperation(), &slice, inLoop);
  return slice.contains(load);
}

/// Whether a value that the loop carries is computed from the load by elementwise ops, for example if the load is a
/// factor of the loop's products.
static bool isWorkedOn(LoadOp load, scf::ForOp loop) {
  return !load.getWhen() && llvm::any_of(scf::ForOp(loop).getYieldedValues(), [&](Value next) {
    return next.getDefiningOp() && findSlice(next, loop).contains(load);
  });
}

/// Calls `each` for the operations of a loop's body in program order, including those inside its overlaps.
static void forEachOp(scf::ForOp loop, function_ref<void(Operation &)> each) {
  for (Operation &op : loop.getBody()->without_terminator()) {
    each(op);
    if (auto overlap = dyn_cast<OverlapOp>(op))
      for (Region &part : overlap.getParts())
        for (Operation &inside : part.front().without_terminator())
          each(inside);
  }
}

ProductLoop::ProductLoop(scf::ForOp loop)
    : loop(loop), begin(getConstantIntValue(loop.getLowerBound())), step(getConstantIntValue(loop.getStep())),
      end(getEnd(loop)), blocks(countRounds(loop)) {
  forEachOp(loop, [&](Operation &op) {
    if (auto mma = dyn_cast<MmaOp>(op))
      products.push_back(
          {mma, mma.getA().getDefiningOp<ReadOp>(), mma.getB().getDefiningOp<ReadOp>(), findSum(mma, loop), {}});
    else if (auto write = dyn_cast<WriteOp>(op))
      writes.push_back({write, {}});
    else if (auto stage = dyn_cast<StageOp>(op))
      stages.push_back(stage);
    else if (isa<LoadOp>(op) || isPure(&op))
      loading.push_back(&op);
    if (auto load = dyn_cast<LoadOp>(op))
      loads.push_back(load);
  });
  llvm::stable_sort(products, [](const LoopProduct &left, const LoopProduct &right) {
    return left.sum.value_or(UINT_MAX) < right.sum.value_or(UINT_MAX);
  });
  for (LoopWrite &one : writes)
    for (Operation *op : findSlice(one.write.getTile(), loop))
      if (auto load = dyn_cast<LoadOp>(op))
        one.loads.push_back(load);
  for (LoopProduct &one : products) {
    llvm::SetVector<Operation *> slice = findSlice(one.mma.getA(), loop);
    slice.insert_range(findSlice(one.mma.getB(), loop));
    for (auto [index, other] : llvm::enumerate(products))
      if (slice.contains(other.mma))
        one.chain.push_back(index);
  }
  // Sort in program order, so that the last product comes last.
  SmallVector<unsigned> order = llvm::to_vector(llvm::seq<unsigned>(products.size()));
  llvm::sort(order, [&](unsigned left, unsigned right) {
    Operation *a = products[left].mma, *b = products[right].mma;
    return a->getBlock() == b->getBlock() && a->isBeforeInBlock(b);
  });
  for (LoadOp load : loads) {
    if (llvm::any_of(writes, [&](const LoopWrite &one) { return llvm::is_contained(one.loads, load); }))
      continue;
    auto wants = [&](unsigned product) { return isOperandOf(load, products[product].mma, loop); };
    auto last = llvm::find_if(llvm::reverse(order), wants);
    if (last != order.rend())
      directLoads.push_back({load, *last});
    else if (isWorkedOn(load, loop))
      directLoads.push_back({load, order.back()});
  }
  depth = products.empty() ? 0 : getTileType(products.front().mma.getA()).getDimSize(1);
  if (!llvm::all_of(products, [&](LoopProduct &one) { return getTileType(one.mma.getA()).getDimSize(1) == depth; }))
    depth = 0;
}

bool ProductLoop::isSumOfProducts() const {
  auto isTerm = [](const LoopProduct &one) { return one.sum.has_value(); };
  return loop->getNumResults() > 0 && llvm::count_if(products, isTerm) == loop->getNumResults();
}

bool ProductLoop::beginsWithZero() const {
  return llvm::all_of(scf::ForOp(loop).getInitArgs(),
                      [](Value init) { return matchPattern(init, m_AnyZeroFloat()) || matchPattern(init, m_Zero()); });
}

std::string ProductLoop::findMoreThanSums() const {
  if (!step)
    return "its step is no constant";
  for (Operation &op : scf::ForOp(loop).getBody()->without_terminator())
    if (!isa<LoadOp, WriteOp, StageOp, BarrierOp, ReadOp, MmaOp, WaitOp>(op) && !isPure(&op))
      return "it does more than load and multiply: " + op.getName().getStringRef().str();
  if (writes.empty() && stages.empty())
    return "nothing goes through LDS";
  for (Operation *op : loading)
    for (Value operand : op->getOperands())
      if (operand.getDefiningOp<ReadOp>() || operand.getDefiningOp<MmaOp>())
        return "it computes with what it read or multiplied: " + op->getName().getStringRef().str();
  if (loop->getNumResults() == 0)
    return "it carries no sum";
  if (!isSumOfProducts() || products.size() != loop->getNumResults())
    return "it carries more than sums of products";
  auto goesThroughLds = [&](ReadOp read) {
    auto isWritten = [&](const LoopWrite &one) { return WriteOp(one.write).getLds() == read.getLds(); };
    auto isStaged = [&](StageOp stage) { return stage.getLds() == read.getLds(); };
    return read && (llvm::any_of(writes, isWritten) || llvm::any_of(stages, isStaged));
  };
  for (const LoopProduct &one : products)
    if (!goesThroughLds(one.a) || !goesThroughLds(one.b))
      return "an operand of its products does not come through LDS";
  return depth ? "" : "its products are of different depths";
}

std::string ProductLoop::findObstacleToLoadingAhead(size_t tile) const {
  if (tile < writes.size())
    for (Operation *op : findSlice(WriteOp(writes[tile].write).getTile(), loop))
      if (!isa<LoadOp>(op) && !isPure(op))
        return "what is written to LDS comes from more than loads: " + op->getName().getStringRef().str();
  for (LoadOp load : getLoads(tile)) {
    if (load.getWhen() || load.getAt())
      return "a load has a condition or places of its own";
    for (Operation *op : findSlice(load.getResult(), loop)) {
      if (op != load && !isPure(op))
        return "where it loads depends on " + op->getName().getStringRef().str();
      for (Value operand : op->getOperands())
        if (llvm::is_contained(scf::ForOp(loop).getRegionIterArgs(), operand))
          return "where it loads depends on the round before";
    }
  }
  return "";
}

bool ProductLoop::writesOfRoundBefore() const {
  auto isCarried = [&](Value value) { return llvm::is_contained(scf::ForOp(loop).getRegionIterArgs(), value); };
  return llvm::any_of(writes, [&](const LoopWrite &one) {
    Value tile = WriteOp(one.write).getTile();
    return isCarried(tile) || llvm::any_of(findSlice(tile, loop),
                                           [&](Operation *op) { return llvm::any_of(op->getOperands(), isCarried); });
  });
}

std::optional<int64_t> ProductLoop::getColumnsBefore(LoadOp load) const {
  Value column = load.getIndices().back(), induction = scf::ForOp(loop).getInductionVar();
  if (column == induction)
    return 0;
  auto before = column.getDefiningOp<arith::SubIOp>();
  return before && before.getLhs() == induction ? getConstantIntValue(before.getRhs()) : std::nullopt;
}

bool ProductLoop::isHalfOfLine(LoadOp load, int64_t lineBytes) const {
  if (load.getAt() || load.getRows() || load.getCols() || load.getIndices().size() != 2 ||
      findPacking(load.getBuffer()) || !getColumnsBefore(load))
    return false;
  RankedTensorType tile = getTileType(load.getResult());
  unsigned bits = tile.getElementTypeBitWidth();
  size_t along = load.getTransposed() ? 0 : 1;
  if (tile.getDimSize(along) != step || 2 * *step * bits != 8 * lineBytes)
    return false;
  // Once lanes have a layout, a lane must hold more than one element along the line.
  FragmentAttr layout = getFragment(tile);
  return !layout || getVectorWidth(layout, along, bits) > 1;
}

LoopAnalysis::LoopAnalysis(Operation *kernel) {
  kernel->walk([&](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      bool multiplies = false;
      forEachOp(loop, [&](Operation &inside) { multiplies |= isa<MmaOp>(inside); });
      if (multiplies)
        loops.emplace_back(loop);
    }
    if (auto mma = dyn_cast<MmaOp>(op); mma && !isa<scf::ForOp, OverlapOp>(mma->getParentOp()))
      loneProducts.push_back(mma);
  });
}

MmaOp nstf::systolic::findLastProduct(Value tile) {
  if (auto product = tile.getDefiningOp<MmaOp>())
    return product;
  auto result = dyn_cast<OpResult>(tile);
  if (auto loop = tile.getDefiningOp<scf::ForOp>())
    return findLastProduct(loop.getYieldedValues()[result.getResultNumber()]);
  if (auto overlap = tile.getDefiningOp<OverlapOp>()) {
    SmallVector<Value> yielded;
    for (Region &part : overlap.getParts())
      llvm::append_range(yielded, part.front().getTerminator()->getOperands());
    return findLastProduct(yielded[result.getResultNumber()]);
  }
  return {};
}
