// BEFORE  for k { load; barrier; write → lds[0]; barrier; read lds[0]; mma }
// AFTER   actions that the plan's first block expects to be done: loads, writes, barrier, reads
//         for k, with as many blocks in a round as the plan's buffers and pairs need {
//           block in lds[0]: the plan's round
//           block in lds[1]: the same with the buffers exchanged
//         }
//         the remaining blocks
//
// A load past the last block is disabled (`when`) and returns 0, so the blocks that fill up the last round add nothing.
#include "passes/systolic/ProductPipeline.h"
#include "dialects/systolic/Layouts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "passes/systolic/LoopResources.h"
#include <deque>
#include <map>

using namespace mlir;
using namespace nstf::systolic;

namespace {

/// The max number of outstanding memory accesses that a wave can wait for by count.
constexpr int64_t maxCounted = 63;

/// Rebuilds the loop block by block.
class Pipeline {
public:
  Pipeline(const ProductLoop &product, KernelOp kernel, PlanAttr plan)
      : product(product), plan(plan), loop(product.loop), array(*kernel.getArray()), waveSize(*kernel.getWaveSize()),
        builder(loop), loc(loop.getLoc()) {
    // The instructions need b's fragments first, all of them, then a's cells row by row.
    for (const LoopProduct &one : product.products)
      operands.append({{one.b, MmaOperand::B}, {one.a, MmaOperand::A}});
    onTheirWay.resize(product.writes.size());
    fragments.resize(operands.size());
  }

  void run() {
    bool sharesArrays = findSharedArray();
    for (LoopWrite one : product.writes)
      widen(one.write.getLds());
    for (StageOp stage : product.stages)
      widen(stage.getLds());
    for (int64_t buffer = 0; buffer < plan.getBuffers(); ++buffer)
      bufferNumbers.push_back(constant(buffer));
    int64_t left = product.blocks.value_or(0) % plan.getBlocksOfRound();
    Value end = left ? endOfRounds(left) : loop.getUpperBound();
    prepare(sharesArrays);
    auto pipelined = scf::ForOp::create(builder, loc, loop.getLowerBound(), end,
                                        constant(plan.getBlocksOfRound() * *product.step), gather());
    pipelined->setAttr(planAttributeName, plan);
    pipelined->setAttr(pipelinedAttributeName, builder.getUnitAttr());
    builder.setInsertionPointToStart(pipelined.getBody());
    scatter(pipelined.getRegionIterArgs());
    for (int64_t block = 0; block < plan.getBlocksOfRound(); ++block)
      makeBlock(block, pipelined.getInductionVar(), /*left=*/std::nullopt);
    scf::YieldOp::create(builder, loc, gather());
    builder.setInsertionPointAfter(pipelined);
    scatter(pipelined.getResults());
    for (int64_t block = 0; block < left; ++block)
      makeBlock(block, /*begin=*/{}, left);
    loop.replaceAllUsesWith(sums);
    loop.erase();
  }

private:
  Value constant(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }
  Value blocksAfter(Value k, int64_t blocks) {
    return arith::AddIOp::create(builder, loc, k, constant(blocks * *product.step));
  }
  /// The begin of a block before the rounds.
  Value blockAt(int64_t block) { return block ? blocksAfter(loop.getLowerBound(), block) : loop.getLowerBound(); }

  bool findSharedArray() {
    auto isOthers = [&](Operation *user) { return !loop->isAncestor(user); };
    return llvm::any_of(product.writes,
                        [&](LoopWrite one) { return llvm::any_of(one.write.getLds().getUsers(), isOthers); });
  }

  /// The begin of the last `left` blocks, or of the loop if it runs no round.
  Value endOfRounds(int64_t left) {
    Value last = constant(*product.begin + (*product.blocks - left) * *product.step);
    auto choice = loop.getUpperBound().getDefiningOp<arith::SelectOp>();
    if (!choice)
      return last;
    return arith::SelectOp::create(builder, loc, choice.getCondition(), last, loop.getLowerBound());
  }

  void widen(Value lds) {
    auto type = cast<LdsType>(lds.getType());
    auto kernel = cast<KernelOp>(lds.getParentBlock()->getParentOp());
    lds.setType(LdsType::get(type.getContext(), plan.getBuffers(), type.getShape(), type.getElementType(),
                             type.getSwizzle(), type.getAxes()));
    kernel.setFunctionType(Builder(lds.getContext()).getFunctionType(kernel.getBody().front().getArgumentTypes(), {}));
  }

  /// The max number of blocks that the plan's actions of a kind are ahead.
  int64_t getAhead(PlanActionKind kind) const {
    int64_t ahead = 0;
    for (const PlanAction &action : plan.getRound())
      if (action.kind == kind)
        ahead = std::max(ahead, action.pairs ? int64_t(llvm::alignTo(action.ahead, 2)) : action.ahead);
    return ahead;
  }

  /// Does the actions that the first block expects to be done.
  void prepare(bool sharesArrays) {
    int64_t loaded = getAhead(PlanActionKind::Load), written = getAhead(PlanActionKind::Write),
            staged = getAhead(PlanActionKind::Stage), first = plan.getReadsFirst() ? written : loaded;
    loadFirst(0, first);
    // The arrays may still be read: by the previous run of this loop, or by another loop that shares them.
    if (loop->getParentOfType<LoopLikeOpInterface>() || sharesArrays)
      BarrierOp::create(builder, loc);
    for (int64_t block = 0; block < written; ++block)
      for (size_t index = 0; index < product.writes.size(); ++index)
        if (block < plan.find(PlanActionKind::Write, index)->ahead)
          write(index, block, [&] { return blockAt(block); });
    for (int64_t block = 0; block < staged; ++block) {
      Loading loading = beginLoading(blockAt(block));
      for (size_t index = 0; index < product.stages.size(); ++index)
        if (block < plan.find(PlanActionKind::Stage, index)->ahead)
          stage(loading, index, block);
    }
    waitForFirstStage();
    BarrierOp::create(builder, loc);
    for (int64_t block = 0; block < getAhead(PlanActionKind::Read); ++block)
      for (int64_t step = 0; step < plan.countProducts(); ++step)
        for (size_t index = 0; index < operands.size(); ++index)
          if (isReadBefore(index, block, step))
            read(index, block, step);
    loadFirst(first, loaded);
    sums.assign(loop.getInitArgs().begin(), loop.getInitArgs().end());
  }

  bool isReadBefore(size_t index, int64_t block, int64_t step) const {
    return llvm::any_of(plan.getRound(), [&](const PlanAction &action) {
      return action.kind == PlanActionKind::Read && action.index == int64_t(index) && action.step == step &&
             block < action.ahead;
    });
  }

  void loadFirst(int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block) {
      Loading loading = beginLoading(blockAt(block));
      for (size_t index = 0; index < product.writes.size(); ++index) {
        const PlanAction &action = *plan.find(PlanActionKind::Load, index);
        if (block < (action.pairs ? int64_t(llvm::alignTo(action.ahead, 2)) : action.ahead))
          load(loading, action, block);
      }
    }
  }

  // The values that a round carries: sums, tiles in flight, fragments already read.

  SmallVector<Value> gather() const {
    SmallVector<Value> values(sums);
    for (const std::deque<SmallVector<Value>> &tiles : onTheirWay)
      for (const SmallVector<Value> &loaded : tiles)
        llvm::append_range(values, loaded);
    for (const std::deque<Value> &tiles : fragments)
      llvm::append_range(values, tiles);
    return values;
  }

  void scatter(ValueRange values) {
    auto take = [&](auto &into) {
      llvm::copy(values.take_front(into.size()), into.begin());
      values = values.drop_front(into.size());
    };
    take(sums);
    for (std::deque<SmallVector<Value>> &tiles : onTheirWay)
      for (SmallVector<Value> &loaded : tiles)
        take(loaded);
    for (std::deque<Value> &tiles : fragments)
      take(tiles);
  }

  /// A block whose tiles are loaded one by one.
  struct Loading {
    Value inside;
    IRMapping mapping;
  };

  Loading beginLoading(Value k) {
    Loading block{arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, k, loop.getUpperBound()), {}};
    block.mapping.map(loop.getInductionVar(), k);
    return block;
  }

  /// The value that a value of the loop has for a block; clones the ops it needs.
  Value computeFor(Loading &block, Value value) {
    llvm::SetVector<Operation *> needed = findSlice(value, loop);
    for (Operation *op : product.loading)
      if (needed.contains(op) && !block.mapping.contains(op))
        if (auto load = dyn_cast<LoadOp>(builder.clone(*op, block.mapping)))
          load.getWhenMutable().assign(block.inside);
    return block.mapping.lookupOrDefault(value);
  }

  /// Loads block `number` of a tile. Pairs begin at even blocks, as lines do; an even block loads both, an odd one
  /// nothing.
  void load(Loading &block, const PlanAction &action, int64_t number) {
    int64_t written = plan.find(PlanActionKind::Write, action.index)->ahead;
    bool isAlone = !action.pairs || (plan.getFirstAlone() && number < written);
    if (!isAlone && number % 2)
      return;
    if (isComputedLate(action.index)) {
      onTheirWay[action.index].push_back(llvm::map_to_vector(
          product.getLoads(action.index), [&](LoadOp one) { return computeFor(block, one.getResult()); }));
      return;
    }
    Value tile = computeFor(block, WriteOp(product.writes[action.index].write).getTile());
    if (isAlone)
      onTheirWay[action.index].push_back({tile});
    else
      for (Value half : widenLoad(tile.getDefiningOp<LoadOp>()))
        onTheirWay[action.index].push_back({half});
  }

  /// Whether the loaded values take no more registers than the tile computed from them. Then the tile is computed where
  /// it is written, and nothing waits for the load until then.
  bool isComputedLate(size_t index) const {
    Value tile = WriteOp(product.writes[index].write).getTile();
    int64_t registers = 0;
    for (LoadOp load : product.getLoads(index))
      registers += countRegisters(load.getType());
    return !tile.getDefiningOp<LoadOp>() && registers <= countRegisters(tile.getType());
  }

  /// Computes a tile from its loaded values. `k`: the begin of its block.
  Value computeLate(size_t index, ArrayRef<Value> loaded, Value k) {
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), k);
    for (auto [load, value] : llvm::zip_equal(product.getLoads(index), loaded))
      mapping.map(LoadOp(load).getResult(), value);
    Value tile = WriteOp(product.writes[index].write).getTile();
    llvm::SetVector<Operation *> needed = findSlice(tile, loop);
    for (Operation *op : product.loading)
      if (needed.contains(op) && !isa<LoadOp>(op))
        builder.clone(*op, mapping);
    return mapping.lookup(tile);
  }

  /// Widens a block's load to two blocks, which lie in one line; returns the two tiles.
  SmallVector<Value> widenLoad(LoadOp load) {
    RankedTensorType tile = getTileType(load.getResult());
    size_t along = load.getTransposed() ? 0 : 1;
    FragmentAttr layout = getFragment(tile);
    SmallVector<Digit> registers(layout.getReg());
    registers.insert(registers.begin() + 1, {int64_t(along), 2, *product.step});
    SmallVector<int64_t> shape(tile.getShape()), from = {0, 0};
    shape[along] *= 2;
    load.getResult().setType(RankedTensorType::get(
        shape, tile.getElementType(),
        FragmentAttr::getCanonical(load.getContext(), registers, layout.getLane(), layout.getWave())));
    SmallVector<Value> blocks;
    for (from[along] = 0; from[along] < shape[along]; from[along] += *product.step)
      blocks.push_back(SliceOp::create(builder, load.getLoc(), tile, load.getResult(), from));
    return blocks;
  }

  Value getBuffer(int64_t block) const { return bufferNumbers[block % plan.getBuffers()]; }

  /// `getBegin` creates the begin of the block.
  void write(size_t index, int64_t block, function_ref<Value()> getBegin) {
    WriteOp write = product.writes[index].write;
    ArrayRef<Value> loaded = onTheirWay[index].front();
    Value tile = isComputedLate(index) ? computeLate(index, loaded, getBegin()) : loaded.front();
    WriteOp::create(builder, write.getLoc(), tile, write.getLds(), getBuffer(block), write.getTransposed());
    onTheirWay[index].pop_front();
  }

  void stage(Loading &block, size_t index, int64_t number) {
    StageOp stage = product.stages[index];
    SmallVector<Value> indices =
        llvm::map_to_vector(stage.getIndices(), [&](Value place) { return computeFor(block, place); });
    StageOp::create(builder, stage.getLoc(), stage.getBuffer(), indices, stage.getLds(), getBuffer(number),
                    block.inside);
  }

  /// Waits before the rounds for the staged first block.
  void waitForFirstStage() {
    int64_t accesses = 0;
    for (auto [index, stage] : llvm::enumerate(product.stages))
      accesses +=
          (plan.find(PlanActionKind::Stage, index)->ahead - 1) * StageOp(stage).getAccesses(array.getNumWaves());
    if (!product.stages.empty())
      WaitOp::create(builder, loc, std::clamp<int64_t>(accesses, 0, maxCounted));
  }

  /// Waits for all staged blocks but the newest `blocks`.
  void waitForStages(int64_t blocks) {
    int64_t accesses = 0;
    for (StageOp stage : product.stages)
      accesses += stage.getAccesses(array.getNumWaves());
    if (accesses)
      WaitOp::create(builder, loc, std::min(blocks * accesses, maxCounted));
  }

  void read(size_t index, int64_t block, int64_t step) {
    auto &[whole, role] = operands[index];
    // Two products that read the same fragment one after another share the read.
    for (size_t other = 0; other < index; ++other)
      if (operands[other] == operands[index] && fragments[other].size() == fragments[index].size() + 1)
        return fragments[index].push_back(fragments[other].back());
    RankedTensorType tile = getTileType(whole.getResult());
    SmallVector<int64_t> shape(tile.getShape()), from = {0, 0};
    shape[role == MmaOperand::A ? 1 : 0] = array.getDepth();
    // K runs along the array's columns, unless the read transposes.
    from[(role == MmaOperand::A) != whole.getTransposed() ? 1 : 0] = step * array.getDepth();
    auto part = RankedTensorType::get(shape, tile.getElementType(), getMmaLayout(array, role, shape, waveSize));
    fragments[index].push_back(ReadOp::create(builder, whole.getLoc(), part, whole.getLds(), getBuffer(block),
                                              builder.getDenseI64ArrayAttr(from), whole.getTransposed()));
  }

  void multiply() {
    for (auto [i, one] : llvm::enumerate(product.products))
      sums[i] = MmaOp::create(builder, one.mma->getLoc(), sums[i].getType(), fragments[2 * i + 1].front(),
                              fragments[2 * i].front(), sums[i], MmaOp(one.mma).getParts());
    for (std::deque<Value> &read : fragments)
      read.pop_front();
  }

  /// Emits block `number` of a round that begins at `begin`, or one of the last `left` blocks after the rounds.
  void makeBlock(int64_t number, Value begin, std::optional<int64_t> left) {
    bool isLast = left && number + 1 == *left;
    std::map<int64_t, Loading> blocks; // by the number of blocks ahead
    auto getBegin = [&](int64_t ahead) -> Value {
      return begin ? blocksAfter(begin, number + ahead)
                   : constant(*product.begin + (*product.blocks - *left + number + ahead) * *product.step);
    };
    auto getLoading = [&](int64_t ahead) -> Loading & {
      auto [block, isNew] = blocks.try_emplace(ahead);
      if (isNew)
        block->second = beginLoading(getBegin(ahead));
      return block->second;
    };
    for (const PlanAction &action : plan.getRound()) {
      int64_t block = number + action.ahead;
      if (left && block >= *left && action.kind != PlanActionKind::Wait)
        continue;
      switch (action.kind) {
      case PlanActionKind::Load:
        if (!action.pairs || block % 2 == 0)
          load(getLoading(action.ahead), action, block);
        break;
      case PlanActionKind::Write:
        write(action.index, block, [&] { return getBegin(action.ahead); });
        break;
      case PlanActionKind::Stage:
        stage(getLoading(action.ahead), action.index, block);
        break;
      case PlanActionKind::Wait:
        if (!isLast) // few accesses are in flight after the rounds
          waitForStages(begin ? action.ahead : 0);
        break;
      case PlanActionKind::Barrier:
        if (!isLast || writesOwnBlock())
          BarrierOp::create(builder, loc);
        break;
      case PlanActionKind::Read:
        read(action.index, block, action.step);
        break;
      case PlanActionKind::Multiply:
        multiply();
        blocks.clear();
        break;
      case PlanActionKind::Reduce:
        break;
      }
    }
  }

  /// Whether a block is written in the same block as its products, so that the last one needs barriers too.
  bool writesOwnBlock() const {
    return llvm::any_of(plan.getRound(), [](const PlanAction &action) {
      return action.kind == PlanActionKind::Write && action.ahead == 0;
    });
  }

  const ProductLoop &product;
  PlanAttr plan;
  scf::ForOp loop;
  SystolicArrayAttr array;
  int64_t waveSize;
  OpBuilder builder;
  Location loc;
  SmallVector<std::pair<ReadOp, MmaOperand>> operands;
  SmallVector<Value> bufferNumbers;

  // State of the pipeline.
  SmallVector<Value> sums;
  /// For each tile, what is loaded for it or the tile itself; for each operand, the fragments read. They are in
  /// registers or in flight, the next one first.
  SmallVector<std::deque<SmallVector<Value>>> onTheirWay;
  SmallVector<std::deque<Value>> fragments;
};

} // namespace

void nstf::systolic::makePipeline(const ProductLoop &product, KernelOp kernel, PlanAttr plan) {
  Pipeline(product, kernel, plan).run();
}
