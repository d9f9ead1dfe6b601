// BEFORE  for k { load; barrier; write → lds[0]; barrier; read lds[0]; mma }
// AFTER   load 0; load 1; write 0 → lds[0]; barrier; read the first step of lds[0]
//         for k by two blocks {
//           block in lds[0]: steps { read the next step | in the first: write block + 1 → lds[1]; load block + 2 |
//                                    in the last: barrier, and the next step is lds[1]'s first;  mma }
//           block in lds[1]: the same with the buffers exchanged
//         }
//
// A load past the last block is none (`when`), and what it gives is 0: the blocks that fill the last round add nothing.
#include "passes/systolic/ProductPipeline.h"
#include "dialects/systolic/Layouts.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include <deque>
#include <map>

using namespace mlir;
using namespace nstf::systolic;

namespace {

/// Accesses to memory that a wave can wait for by count.
constexpr int64_t maxCounted = 63;

/// Makes the loop anew, block by block.
class Pipeline {
public:
  Pipeline(ProductLoop &product, KernelOp kernel, const PrefetchPlan &plan)
      : product(product), plan(plan), loop(product.loop), array(*kernel.getArray()), waveSize(*kernel.getWaveSize()),
        builder(loop), loc(loop.getLoc()), steps(product.depth / array.getDepth()) {
    // The order in which operands come that the instructions want, row by row of a's cells: b's all at once.
    for (Product &one : product.products)
      operands.append({{one.b, MmaOperand::B}, {one.a, MmaOperand::A}});
  }

  void run() {
    bool sharesArrays = findSharedArray();
    for (WriteOp write : product.writes)
      widen(write.getLds());
    for (StageOp stage : product.stages)
      widen(stage.getLds());
    for (int64_t buffer = 0; buffer < plan.buffers; ++buffer)
      bufferNumbers.push_back(constant(buffer));
    int64_t left = product.blocks.value_or(0) % plan.blocksOfRound;
    Value end = left ? endOfRounds(left) : loop.getUpperBound();
    // The first block, and what of those behind it the rounds take for loaded.
    auto loadedBefore = [](const PrefetchPlan::Slot &slot) { return llvm::alignTo(slot.ahead, slot.blocks); };
    int64_t depth = 1;
    for (const PrefetchPlan::Slot &slot : plan.loads)
      depth = std::max<int64_t>(depth, loadedBefore(slot));
    onTheirWay.resize(plan.loads.size());
    auto loadBlocks = [&](int64_t begin, int64_t end) {
      for (int64_t block = begin; block < end; ++block) {
        Loading loading = beginLoading(block == 0 ? loop.getLowerBound() : blocksAfter(loop.getLowerBound(), block));
        for (auto [index, slot] : llvm::enumerate(plan.loads))
          if (block < int64_t(loadedBefore(slot)))
            load(loading, index, block);
      }
    };
    int64_t atOnce = plan.loadsWrittenFirst ? plan.writeAhead : depth;
    loadBlocks(0, atOnce);
    // What the loop read the last time it ran may still be wanted, or what another one read of its arrays.
    if (loop->getParentOfType<LoopLikeOpInterface>() || sharesArrays)
      BarrierOp::create(builder, loc);
    for (int64_t block = 0; block < plan.writeAhead; ++block)
      write(block);
    if (!product.stages.empty())
      for (int64_t block = 0; block < plan.buffers; ++block)
        stage(block == 0 ? loop.getLowerBound() : blocksAfter(loop.getLowerBound(), block), block);
    waitForStages(plan.buffers - 1);
    BarrierOp::create(builder, loc);
    fragments = read(0, 0);
    loadBlocks(atOnce, depth);

    sums.assign(loop.getInitArgs().begin(), loop.getInitArgs().end());
    auto pipelined = scf::ForOp::create(builder, loc, loop.getLowerBound(), end,
                                        constant(plan.blocksOfRound * product.blockStep), gather());
    builder.setInsertionPointToStart(pipelined.getBody());
    scatter(pipelined.getRegionIterArgs());
    for (int64_t block = 0; block < plan.blocksOfRound; ++block)
      makeBlock(block, pipelined.getInductionVar(), /*isLast=*/false);
    scf::YieldOp::create(builder, loc, gather());
    builder.setInsertionPointAfter(pipelined);
    scatter(pipelined.getResults());
    for (int64_t block = 0; block < left; ++block)
      makeBlock(block, /*begin=*/{}, /*isLast=*/block == left - 1);
    loop.replaceAllUsesWith(sums);
    loop.erase();
  }

private:
  Value constant(int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }
  Value blocksAfter(Value k, int64_t blocks) {
    return arith::AddIOp::create(builder, loc, k, constant(blocks * product.blockStep));
  }

  bool findSharedArray() {
    auto isOthers = [&](Operation *user) { return !loop->isAncestor(user); };
    return llvm::any_of(product.writes,
                        [&](WriteOp write) { return llvm::any_of(write.getLds().getUsers(), isOthers); });
  }

  /// Where the last `left` blocks begin, or the loop's begin where it has no round.
  Value endOfRounds(int64_t left) {
    int64_t begin = *getConstantIntValue(loop.getLowerBound());
    Value last = constant(begin + (*product.blocks - left) * product.blockStep);
    auto choice = loop.getUpperBound().getDefiningOp<arith::SelectOp>();
    if (!choice)
      return last;
    return arith::SelectOp::create(builder, loc, choice.getCondition(), last, loop.getLowerBound());
  }

  void widen(Value lds) {
    auto type = cast<LdsType>(lds.getType());
    auto kernel = cast<KernelOp>(lds.getParentBlock()->getParentOp());
    lds.setType(LdsType::get(type.getContext(), plan.buffers, type.getShape(), type.getElementType(), type.getSwizzle(),
                             type.getAxes()));
    kernel.setFunctionType(Builder(lds.getContext()).getFunctionType(kernel.getBody().front().getArgumentTypes(), {}));
  }

  // What a round carries: sums, tiles on their way, the operands of the next step.

  SmallVector<Value> gather() const {
    SmallVector<Value> values(sums);
    for (const std::deque<Value> &tiles : onTheirWay)
      llvm::append_range(values, tiles);
    llvm::append_range(values, fragments);
    return values;
  }

  void scatter(ValueRange values) {
    auto take = [&](auto &into) {
      llvm::copy(values.take_front(into.size()), into.begin());
      values = values.drop_front(into.size());
    };
    take(sums);
    for (std::deque<Value> &tiles : onTheirWay)
      take(tiles);
    take(fragments);
  }

  /// A block whose tiles are loaded one after the other.
  struct Loading {
    Value inside;
    IRMapping mapping;
  };

  Loading beginLoading(Value k) {
    Loading block{arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, k, loop.getUpperBound()), {}};
    block.mapping.map(loop.getInductionVar(), k);
    return block;
  }

  /// The tile that is written at `index`.
  Value loadTile(Loading &block, size_t index) { return computeFor(block, product.writes[index].getTile()); }

  /// What a value of the loop is for a block.
  Value computeFor(Loading &block, Value value) {
    llvm::SetVector<Operation *> needed;
    BackwardSliceOptions inLoop;
    inLoop.inclusive = true;
    inLoop.filter = [&](Operation *op) { return op->getBlock() == loop.getBody(); };
    (void)getBackwardSlice(value, &needed, inLoop);
    for (Operation *op : product.loading)
      if (needed.contains(op) && !block.mapping.contains(op))
        if (auto load = dyn_cast<LoadOp>(builder.clone(*op, block.mapping)))
          load.getWhenMutable().assign(block.inside);
    return block.mapping.lookupOrDefault(value);
  }

  /// The tiles of the next block.
  void write(int64_t buffer) {
    for (size_t index = 0; index < onTheirWay.size(); ++index)
      writeTile(index, buffer);
  }

  void writeTile(size_t index, int64_t buffer) {
    WriteOp write = product.writes[index];
    WriteOp::create(builder, write.getLoc(), onTheirWay[index].front(), write.getLds(), bufferNumbers[buffer],
                    write.getTransposed());
    onTheirWay[index].pop_front();
  }

  /// The block at `k`, past the registers.
  void stage(Value k, int64_t buffer) {
    Loading block = beginLoading(k);
    for (StageOp stage : product.stages) {
      SmallVector<Value> indices =
          llvm::map_to_vector(stage.getIndices(), [&](Value index) { return computeFor(block, index); });
      StageOp::create(builder, stage.getLoc(), stage.getBuffer(), indices, stage.getLds(), bufferNumbers[buffer],
                      block.inside);
    }
  }

  /// For all but the newest blocks that are staged.
  void waitForStages(int64_t blocks) {
    int64_t accesses = 0;
    for (StageOp stage : product.stages)
      accesses += stage.getAccesses(array.getNumWaves());
    if (accesses)
      WaitOp::create(builder, loc, std::min(blocks * accesses, maxCounted));
  }

  /// What the products of a step take.
  SmallVector<Value> read(int64_t buffer, int64_t step) {
    return llvm::map_to_vector(llvm::seq(operands.size()),
                               [&](size_t index) { return readOperand(index, buffer, step); });
  }

  Value readOperand(size_t index, int64_t buffer, int64_t step) {
    auto &[whole, role] = operands[index];
    RankedTensorType tile = getTileType(whole.getResult());
    SmallVector<int64_t> shape(tile.getShape()), from = {0, 0};
    shape[role == MmaOperand::A ? 1 : 0] = array.getDepth();
    // K runs along the array's columns where the operand is read as memory lies along it.
    from[(role == MmaOperand::A) != whole.getTransposed() ? 1 : 0] = step * array.getDepth();
    auto part = RankedTensorType::get(shape, tile.getElementType(), getMmaLayout(array, role, shape, waveSize));
    return ReadOp::create(builder, whole.getLoc(), part, whole.getLds(), bufferNumbers[buffer],
                          builder.getDenseI64ArrayAttr(from), whole.getTransposed());
  }

  void multiply() {
    for (auto [i, one] : llvm::enumerate(product.products))
      sums[i] = MmaOp::create(builder, one.mma->getLoc(), sums[i].getType(), fragments[2 * i + 1], fragments[2 * i],
                              sums[i], one.mma.getParts());
  }

  /// The block `number` of a round that begins at `begin`; without one, of those behind the rounds, for which all is
  /// loaded.
  void makeBlock(int64_t number, Value begin, bool isLast) {
    if (plan.writeAhead > 1)
      makeBlockOfOneStep(number, begin, isLast);
    else
      makeBlockOfSteps(number, begin, isLast);
  }

  /// The largest first: what is written behind its reads has been on its way for longest then.
  SmallVector<size_t> getOperandsBySize() {
    SmallVector<size_t> order = llvm::to_vector(llvm::seq(operands.size()));
    llvm::stable_sort(order, [&](size_t a, size_t b) {
      auto registers = [&](size_t index) { return getFragment(operands[index].first.getType()).getNumRegisters(); };
      return registers(a) > registers(b);
    });
    return order;
  }

  /// All of the block is in registers, so that its buffer is free for the one two ahead: between two barriers reads,
  /// writes and loads have nothing to do with each other, and flow beside the products from first to last.
  void makeBlockOfOneStep(int64_t number, Value begin, bool isLast) {
    int64_t current = number % plan.buffers, other = (number + 1) % plan.buffers;
    SmallVector<Value> following;
    if (!isLast) {
      BarrierOp::create(builder, loc);
      following.resize(operands.size());
      Loadings blocks;
      bool hasPairs = llvm::any_of(plan.loads, [](const PrefetchPlan::Slot &slot) { return slot.blocks > 1; });
      SmallVector<size_t> order = hasPairs ? getOperandsBySize() : llvm::to_vector(llvm::seq(operands.size()));
      for (size_t index = 0; index < std::max(operands.size(), plan.loads.size()); ++index) {
        if (index < operands.size())
          following[order[index]] = readOperand(order[index], other, 0);
        for (size_t tile = 0; hasPairs && index == 0 && tile < plan.loads.size(); ++tile)
          writeTile(tile, current);
        if (!hasPairs && index < plan.loads.size()) {
          writeTile(index, current);
          load(number, index, begin, blocks);
        }
      }
      // A block has one pair, which comes last, so that products cover what the next ones and the barrier wait for.
      for (size_t index = 0; hasPairs && index < plan.loads.size(); ++index)
        load(number, index, begin, blocks);
    }
    multiply();
    fragments = following;
  }

  /// Each tile is loaded behind its write, so that no write waits for all that is on its way.
  void writeAndLoad(int64_t buffer, int64_t number, int64_t step, Value begin) {
    Loadings blocks;
    for (size_t index = 0; index < onTheirWay.size(); ++index) {
      writeTile(index, buffer);
      if (plan.loads[index].step == step)
        load(number, index, begin, blocks);
    }
  }

  void makeBlockOfSteps(int64_t number, Value begin, bool isLast) {
    int64_t current = number % plan.buffers, other = (number + 1) % plan.buffers;
    for (int64_t step = 0; step < steps; ++step) {
      bool isFinal = step + 1 == steps, hasOneBuffer = plan.buffers == 1;
      SmallVector<Value> following;
      if (!isFinal)
        following = read(current, step + 1);
      // Into the other buffer at once; into the same one when all of it is read.
      if (!isLast && step == (hasOneBuffer ? steps - 1 : 0)) {
        if (hasOneBuffer)
          BarrierOp::create(builder, loc);
        writeAndLoad(other, number, step, hasOneBuffer ? Value() : begin);
      } else if (!hasOneBuffer) {
        load(number, step, begin);
      }
      if (!isLast && isFinal) {
        // Behind the rounds nothing new is on its way.
        waitForStages(begin ? plan.buffers - 2 : 0);
        BarrierOp::create(builder, loc);
        // All of the present buffer is read.
        if (begin && !product.stages.empty())
          stage(blocksAfter(begin, number + plan.buffers), current);
        following = read(other, 0);
      }
      if (hasOneBuffer)
        load(number, step, begin);
      multiply();
      fragments = following;
    }
  }

  using Loadings = std::map<int64_t, Loading>; ///< by how far ahead

  /// What is due in a step of a block.
  void load(int64_t number, int64_t step, Value begin) {
    Loadings blocks;
    for (auto [index, slot] : llvm::enumerate(plan.loads))
      if (slot.step == step)
        load(number, index, begin, blocks);
  }

  void load(int64_t number, size_t index, Value begin, Loadings &blocks) {
    if (!begin)
      return;
    int64_t ahead = plan.loads[index].ahead;
    auto [block, isNew] = blocks.try_emplace(ahead);
    if (isNew)
      block->second = beginLoading(blocksAfter(begin, number + ahead));
    load(block->second, index, number + ahead);
  }

  /// Block `number` of a tile; of pairs, which begin at even blocks, where lines do, all or nothing.
  void load(Loading &block, size_t index, int64_t number) {
    if (plan.loads[index].blocks == 1 || (plan.firstAlone && number < plan.writeAhead))
      onTheirWay[index].push_back(loadTile(block, index));
    else if (number % 2 == 0)
      llvm::append_range(onTheirWay[index], widenLoad(loadTile(block, index).getDefiningOp<LoadOp>()));
  }

  /// Makes a block's load one of two blocks, whose neighbouring registers are of one line.
  SmallVector<Value> widenLoad(LoadOp load) {
    RankedTensorType tile = getTileType(load.getResult());
    size_t along = load.getTransposed() ? 0 : 1;
    FragmentAttr layout = getFragment(tile);
    SmallVector<Digit> registers(layout.getReg());
    registers.insert(registers.begin() + 1, {int64_t(along), 2, product.blockStep});
    SmallVector<int64_t> shape(tile.getShape()), from = {0, 0};
    shape[along] *= 2;
    load.getResult().setType(RankedTensorType::get(
        shape, tile.getElementType(),
        FragmentAttr::getCanonical(load.getContext(), registers, layout.getLane(), layout.getWave())));
    SmallVector<Value> blocks;
    for (from[along] = 0; from[along] < shape[along]; from[along] += product.blockStep)
      blocks.push_back(SliceOp::create(builder, load.getLoc(), tile, load.getResult(), from));
    return blocks;
  }

  ProductLoop &product;
  const PrefetchPlan &plan;
  scf::ForOp loop;
  SystolicArrayAttr array;
  int64_t waveSize;
  OpBuilder builder;
  Location loc;
  int64_t steps; ///< of a block
  SmallVector<std::pair<ReadOp, MmaOperand>> operands;
  SmallVector<Value> bufferNumbers;

  // Where the pipeline stands.
  SmallVector<Value> sums, fragments;
  SmallVector<std::deque<Value>> onTheirWay; ///< of each tile, those in registers or on their way there, the next first
};

} // namespace

void nstf::systolic::makePipeline(ProductLoop &product, KernelOp kernel, const PrefetchPlan &plan) {
  Pipeline(product, kernel, plan).run();
}
