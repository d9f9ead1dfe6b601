#include "passes/systolic/ChoosePlan.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nstf::systolic;
using nstf::support::Schedule;

namespace {

/// The choices from which a plan of a loop that only sums products is made.
struct Draft {
  /// When a tile is loaded: the number of blocks ahead, and the step of the block.
  struct Slot {
    int64_t ahead = 2, step = 0;
    bool pairs = false;
  };
  int64_t buffers = 2;
  int64_t writeAhead = 1; ///< two if a block has one step
  int64_t stageAhead = 2;
  SmallVector<Slot> loads;
  LoopOrder order = LoopOrder::merged;
  bool firstAlone = false, readsFirst = false;
};

class SumPlanner {
public:
  SumPlanner(const ProductLoop &product, KernelOp kernel, const LoopResources &resources, nstf::TargetView target)
      : product(product), kernel(kernel), fields(kernel.getScheduleFields()), resources(resources), target(target) {}

  PlanChoice choose() {
    steps = resources.countSteps(product);
    if (steps == 0)
      return refuse("a block of " + std::to_string(product.depth) + " along K is no whole number of cells");
    if (product.blocks && *product.blocks < 2)
      return refuse("it has no more than one block");
    bool isStaged = !product.stages.empty(), takesTurns = fields.order == Schedule::Order::Turns;
    draft.order = takesTurns ? LoopOrder::turns : LoopOrder::merged;
    if (std::string reason = placeBuffers(isStaged); !reason.empty())
      return refuse(reason);
    // For tiles whose waves divide K, tuning rows were measured with blocks written one ahead, so these stay so.
    if (draft.buffers > 1 && steps == 1 && !isStaged && !takesTurns && kernel.getArray()->getParts() == 1 &&
        fields.ahead != 2)
      draft.writeAhead = 2;
    if (fields.ahead && *fields.ahead <= draft.writeAhead && (isStaged || draft.buffers > 1))
      return refuse("a block that is in LDS " + std::to_string(draft.writeAhead) +
                    " blocks before its products is loaded earlier than " + std::to_string(*fields.ahead) + " before");
    placeLoads(takesTurns);
    draft.firstAlone = llvm::any_of(product.writes, [&](const LoopWrite &one) {
      LoadOp load = getWrittenLoad(one);
      return load && (product.getColumnsBefore(load) != 0 || product.begin != 0);
    });
    // Every load in flight occupies a line of the L1. Loads beyond the number of its lines wait for a free one, and the
    // wave's products wait behind them.
    int64_t bytes = LoopResources::countBlockBytes(product);
    if (resources.getWavesPerSimd() == 1 && bytes > target.l1Bytes())
      return refuse("a block of " + std::to_string(bytes) + " bytes would be on its way, the L1 of " +
                    target.name().str() + " has lines for " + std::to_string(target.l1Bytes()) +
                    ", and no other wave would make products meanwhile");
    // Only the loads of the blocks that are written first delay the first products.
    draft.readsFirst = (draft.writeAhead + 1) * bytes > target.l1Bytes();
    PlanAttr plan = makePlan();
    if (int64_t registers = resources.countRegisters(product, plan); registers > resources.getRegisterLimit())
      return refuse("sums, operands and what is on its way would take " + std::to_string(registers) + " of " +
                    std::to_string(resources.getRegisterLimit()) + " registers");
    return {plan, describe(), ""};
  }

private:
  PlanChoice refuse(const std::string &reason) {
    return {PlanAttr::get(kernel.getContext(), /*buffers=*/1, LoopOrder::merged, {}, /*pinned=*/true, false, false,
                          describeRound(product)),
            "", reason};
  }

  /// Chooses the number of buffers; returns empty, or the reason why there is no choice.
  std::string placeBuffers(bool isStaged) {
    if (fields.buffers) {
      draft.buffers = *fields.buffers;
      if (draft.buffers == 1 && (steps == 1 || isStaged))
        return "one buffer is read to the end of a block";
      int64_t bytes = resources.countLdsBytes(product, makePlan());
      draft.stageAhead = fields.ahead.value_or(draft.buffers);
      return bytes <= target.ldsBytes()
                 ? ""
                 : std::to_string(draft.buffers) + " buffers would take " + std::to_string(bytes) + " bytes of LDS, " +
                       target.name().str() + " has " + std::to_string(target.ldsBytes());
    }
    int64_t block = LoopResources::countBlockBytes(product), total = resources.countLdsBytes(product, makePlan());
    if (total > target.ldsBytes()) {
      if (steps == 1 || isStaged)
        return "a second buffer would take " + std::to_string(total) + " bytes of LDS, " + target.name().str() +
               " has " + std::to_string(target.ldsBytes()) + ", and one is read to the end of a block";
      draft.buffers = 1;
    } else if (isStaged && total + block <= target.ldsBytes()) {
      draft.buffers = 3; // staged tiles take no registers, so they can be two blocks ahead
    }
    draft.stageAhead = fields.ahead.value_or(draft.buffers);
    return "";
  }

  /// Chooses when tiles are loaded. With two buffers, as soon as registers are free. With one buffer, which is read to
  /// its end before the next block is written, over the steps until then. If halves of the waves take turns, in the
  /// steps with the fewest reads, so that no turn is much longer than its products: the last one, after the write, and
  /// the first.
  void placeLoads(bool takesTurns) {
    int64_t tiles = product.writes.size();
    draft.loads.assign(tiles, {/*ahead=*/fields.ahead.value_or(draft.writeAhead + 1), /*step=*/0});
    for (int64_t i = 0; draft.buffers == 1 && i < tiles; ++i)
      if (takesTurns && i < tiles / 2)
        draft.loads[i] = {/*ahead=*/2, /*step=*/steps - 1};
      else
        draft.loads[i] = {fields.ahead.value_or(1), /*step=*/takesTurns ? 0 : i * (steps - 1) / tiles};
    if (draft.writeAhead != 2 || !product.blocks || *product.blocks % 2)
      return;
    // Two tiles loaded in pairs are loaded in different blocks: together they would need more lines of the L1 than it
    // has for loads in flight.
    int64_t pairs = 0;
    for (auto [slot, one] : llvm::zip_equal(draft.loads, product.writes)) {
      LoadOp load = getWrittenLoad(one);
      slot.pairs = load && product.isHalfOfLine(load, target.l1LineBytes());
      slot.ahead += slot.pairs ? pairs++ % 2 : 0;
    }
  }

  /// The load whose tile is written as loaded, or null.
  static LoadOp getWrittenLoad(LoopWrite one) { return one.write.getTile().getDefiningOp<LoadOp>(); }

  std::string describe() const {
    if (!product.stages.empty())
      return "a block is staged " + std::to_string(draft.stageAhead) +
             " blocks before its products, behind the reads of its buffer";
    return draft.writeAhead == 1 ? "a block is loaded two blocks and written to LDS one block before its products"
                                 : "a block is loaded three blocks and written to LDS two blocks before its products";
  }

  // The round

  void add(PlanActionKind kind, int64_t index = 0, int64_t ahead = 0, int64_t step = 0, bool pairs = false) {
    round.push_back({kind, index, ahead, step, pairs});
  }
  void load(size_t index) { add(PlanActionKind::Load, index, draft.loads[index].ahead, 0, draft.loads[index].pairs); }
  void loadInStep(int64_t step) {
    for (size_t index = 0; index < draft.loads.size(); ++index)
      if (draft.loads[index].step == step)
        load(index);
  }
  void readAll(int64_t ahead, int64_t step) {
    for (size_t index = 0; index < 2 * product.products.size(); ++index)
      add(PlanActionKind::Read, index, ahead, step);
  }

  PlanAttr makePlan() {
    round.clear();
    if (draft.writeAhead > 1)
      makeRoundOfOneStep();
    else
      makeRoundOfSteps();
    // Of two waves on a SIMD the older one goes first. Then the other one has the rest of a block to itself while the
    // first waits at the barrier, and each wait of the second leaves the matrix core idle. Priorities that fall behind
    // the memory work, and again at the end of a block, make the waves alternate and reach the barrier together. Blocks
    // of several products keep the matrix core busy across a barrier anyway.
    int64_t simds = target.simdsPerComputeUnit();
    bool falls = steps == 1 && kernel.getArray()->getNumWaves() >= 2 * simds;
    if (fields.priorities)
      falls = fields.priorities == Schedule::Priorities::Falling;
    falls &= draft.order == LoopOrder::merged;
    SmallVector<int64_t> priorities = falls ? SmallVector<int64_t>{0, 2, 1} : SmallVector<int64_t>();
    return PlanAttr::get(kernel.getContext(), draft.buffers, draft.order, priorities, /*pinned=*/true, draft.firstAlone,
                         draft.readsFirst, round);
  }

  /// Operands by size, the largest first: a tile written after the reads of a large operand has been in flight for
  /// longest.
  SmallVector<size_t> getOperandsBySize() const {
    SmallVector<ReadOp> reads;
    for (const LoopProduct &one : product.products)
      reads.append({one.b, one.a});
    SmallVector<size_t> order = llvm::to_vector(llvm::seq(reads.size()));
    llvm::stable_sort(order, [&](size_t a, size_t b) {
      auto registers = [&](size_t index) { return getFragment(reads[index].getType()).getNumRegisters(); };
      return registers(a) > registers(b);
    });
    return order;
  }

  /// All of a block is in registers, so its buffer is free for the block two ahead. Between two barriers reads, writes
  /// and loads are therefore independent, and overlap with all products of the block.
  void makeRoundOfOneStep() {
    size_t operands = 2 * product.products.size(), tiles = product.writes.size();
    bool hasPairs = llvm::any_of(draft.loads, [](const Draft::Slot &slot) { return slot.pairs; });
    SmallVector<size_t> order = hasPairs ? getOperandsBySize() : llvm::to_vector(llvm::seq(operands));
    add(PlanActionKind::Barrier);
    for (size_t index = 0; index < std::max(operands, tiles); ++index) {
      if (index < operands)
        add(PlanActionKind::Read, order[index], 1);
      for (size_t tile = 0; hasPairs && index == 0 && tile < tiles; ++tile)
        add(PlanActionKind::Write, tile, draft.writeAhead);
      // Each tile is loaded directly after its write, so that a write does not wait for all loads in flight.
      if (!hasPairs && index < tiles) {
        add(PlanActionKind::Write, index, draft.writeAhead);
        load(index);
      }
    }
    // A block loads one pair. It comes last, so that products cover the time that the next accesses and the barrier
    // wait.
    for (size_t tile = 0; hasPairs && tile < tiles; ++tile)
      load(tile);
    add(PlanActionKind::Multiply);
  }

  void makeRoundOfSteps() {
    bool hasOneBuffer = draft.buffers == 1;
    for (int64_t step = 0; step < steps; ++step) {
      bool isFinal = step + 1 == steps;
      if (!isFinal)
        readAll(0, step + 1);
      // Write to the other buffer at once, or to the same buffer when it is read to its end.
      if (step == (hasOneBuffer ? steps - 1 : 0)) {
        if (hasOneBuffer)
          add(PlanActionKind::Barrier);
        for (size_t index = 0; index < draft.loads.size(); ++index) {
          add(PlanActionKind::Write, index, 1);
          if (!hasOneBuffer && draft.loads[index].step == step)
            load(index);
        }
      } else if (!hasOneBuffer) {
        loadInStep(step);
      }
      if (isFinal) {
        if (!product.stages.empty())
          add(PlanActionKind::Wait, 0, draft.stageAhead - 2);
        add(PlanActionKind::Barrier);
        // The current buffer is read to its end.
        for (size_t index = 0; index < product.stages.size(); ++index)
          add(PlanActionKind::Stage, index, draft.stageAhead);
        readAll(1, 0);
      }
      if (hasOneBuffer)
        loadInStep(step);
      add(PlanActionKind::Multiply);
    }
  }

  const ProductLoop &product;
  KernelOp kernel;
  Schedule fields;
  const LoopResources &resources;
  nstf::TargetView target;
  int64_t steps = 1;
  Draft draft;
  SmallVector<PlanAction> round;
};

} // namespace

/// The action after which the next round's tile is loaded. For a tile that goes through LDS it is the barrier after
/// the last write, where no wave waits for the tile. For a direct load it is the product that uses the tile, since its
/// registers are free then. The end of the round: there is no such action.
static const PlanAction *findPlace(const ProductLoop &product, ArrayRef<PlanAction> round, size_t tile) {
  if (tile >= product.writes.size())
    return llvm::find(round,
                      PlanAction{PlanActionKind::Multiply, product.directLoads[tile - product.writes.size()].product});
  auto isWrite = [](const PlanAction &action) { return action.kind == PlanActionKind::Write; };
  auto isBarrier = [](const PlanAction &action) { return action.kind == PlanActionKind::Barrier; };
  const PlanAction *behindWrites = llvm::find_if(llvm::reverse(round), isWrite).base();
  return product.getLoads(tile).empty() ? round.end() : std::find_if(behindWrites, round.end(), isBarrier);
}

namespace {

/// Plans a loop that does more than sum products.
class AheadPlanner {
public:
  AheadPlanner(const ProductLoop &product, KernelOp kernel, const LoopResources &resources, nstf::TargetView target)
      : product(product), kernel(kernel), fields(kernel.getScheduleFields()), resources(resources), target(target),
        stands(describeRound(product)) {}

  PlanChoice choose() {
    std::string reason = "nothing that is loaded goes to a product";
    for (size_t tile = 0; tile < product.countTiles(); ++tile)
      if (std::string obstacle = product.findObstacleToLoadingAhead(tile); !obstacle.empty())
        reason = obstacle;
      else if (const PlanAction *place = findPlace(product, stands, tile); place != stands.end())
        places[tile] = place;
    if (places.empty())
      return refuse(reason);
    PlanAttr plan = hasRoomForTwo() ? makePlanOfTwo() : makePlan();
    if (int64_t registers = resources.countRegisters(product, plan); registers > resources.getRegisterLimit())
      return refuse("with the tiles of the next round it would take " + std::to_string(registers) + " of " +
                    std::to_string(resources.getRegisterLimit()) + " registers");
    return {plan,
            plan.getBuffers() == 1 ? "tiles are loaded a round before"
                                   : "a block is loaded two blocks and written to LDS one block before its products",
            ""};
  }

private:
  PlanChoice refuse(const std::string &reason) { return {getPlan(1, stands), "", reason}; }

  PlanAttr getPlan(int64_t buffers, ArrayRef<PlanAction> round) {
    return PlanAttr::get(kernel.getContext(), buffers, LoopOrder::merged, {}, /*pinned=*/true, false, false, round);
  }

  /// Whether LDS has room for two buffers. They save a barrier and the wait for the last write, but must leave each
  /// SIMD its second wave.
  bool hasRoomForTwo() {
    int64_t waves = kernel.getArray()->getNumWaves();
    bool movesAll = llvm::all_of(llvm::seq(product.writes.size()), [&](size_t tile) { return places.contains(tile); });
    if (!movesAll || fields.buffers == 1 || product.writesOfRoundBefore() ||
        !isWrittenFirst(stands, product.writes.size()))
      return false;
    int64_t bytes = resources.countLdsBytes(product, getPlan(1, stands));
    for (Type type : kernel.getArgumentTypes())
      if (auto lds = dyn_cast<LdsType>(type))
        bytes += lds.getSizeInBytes();
    int64_t wanted = fields.buffers == 2 ? waves : 2 * target.simdsPerComputeUnit();
    return waves > 1 && target.ldsBytes() / bytes * waves >= wanted;
  }

  PlanAttr makePlan() {
    SmallVector<PlanAction> round;
    for (const PlanAction &action : stands) {
      if (action.kind != PlanActionKind::Load || !places.contains(action.index))
        round.push_back(action);
      addLoads(round, &action, [](size_t) { return true; }, /*ahead=*/1);
    }
    return getPlan(1, round);
  }

  /// The plan with two buffers: writes come after the reads of the first product.
  PlanAttr makePlanOfTwo() {
    SmallVector<PlanAction> round = {{PlanActionKind::Barrier}};
    auto isOfLds = [&](size_t tile) { return tile < product.writes.size(); };
    auto isPast = [&](size_t tile) { return !isOfLds(tile); };
    bool hasWritten = false;
    for (const PlanAction &action : stands) {
      bool isMoved = action.kind == PlanActionKind::Load && places.contains(action.index);
      if (action.kind == PlanActionKind::Barrier || action.kind == PlanActionKind::Write || isMoved)
        continue;
      if (action.kind == PlanActionKind::Multiply && !hasWritten) {
        for (size_t tile = 0; tile < product.writes.size(); ++tile)
          round.push_back({PlanActionKind::Write, int64_t(tile), /*ahead=*/1});
        for (size_t tile = 0; tile < product.writes.size(); ++tile)
          round.push_back({PlanActionKind::Load, int64_t(tile), getAhead(/*least=*/2)});
        hasWritten = true;
      }
      round.push_back(action);
      addLoads(round, &action, isPast, /*ahead=*/1);
    }
    return getPlan(2, round);
  }

  void addLoads(SmallVector<PlanAction> &round, const PlanAction *behind, function_ref<bool(size_t)> isMeant,
                int64_t ahead) {
    for (size_t tile = 0; tile < product.countTiles(); ++tile)
      if (isMeant(tile) && places.lookup(tile) == behind)
        round.push_back({PlanActionKind::Load, int64_t(tile), getAhead(ahead)});
  }

  int64_t getAhead(int64_t least) { return std::max(fields.ahead.value_or(least), least); }

  const ProductLoop &product;
  KernelOp kernel;
  Schedule fields;
  const LoopResources &resources;
  nstf::TargetView target;
  SmallVector<PlanAction> stands;
  llvm::SmallDenseMap<size_t, const PlanAction *> places; ///< of loads ahead: the action before each
};

} // namespace

PlanChoice nstf::systolic::choosePlan(const ProductLoop &product, KernelOp kernel, const LoopResources &resources,
                                      nstf::TargetView target) {
  return product.findMoreThanSums().empty() ? SumPlanner(product, kernel, resources, target).choose()
                                            : AheadPlanner(product, kernel, resources, target).choose();
}

int64_t nstf::systolic::getDistance(PlanAttr plan) {
  int64_t distance = 0;
  for (const PlanAction &action : plan.getRound())
    if (action.kind == PlanActionKind::Load || action.kind == PlanActionKind::Stage)
      distance = std::max(distance, action.ahead);
  return distance;
}
