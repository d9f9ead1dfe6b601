#include "passes/systolic/CheckPlan.h"
#include <deque>
#include <map>

using namespace mlir;
using namespace nstf::systolic;

namespace {

std::string getText(StringRef what, int64_t number, int64_t block) {
  return (what + " " + Twine(number) + " of block " + Twine(block)).str();
}

/// The max number of blocks that an action may be ahead (plan_c3).
constexpr int64_t maxAhead = 8;

/// Simulates the blocks of a planned sum, and checks the contents of LDS and registers. Each barrier begins an epoch.
class PlanRun {
public:
  PlanRun(PlanAttr plan, const ProductLoop &product) : plan(plan), product(product) {
    for (const LoopProduct &one : product.products)
      operands.append({one.b, one.a});
  }

  std::string run() {
    queues.resize(operands.size());
    prepare();
    // Three rounds cover every difference between blocks, and the 8 blocks before them fill the pipeline.
    for (int64_t block = 0; fault.empty() && block < 3 * plan.getBlocksOfRound() + 8; ++block)
      runBlock(block);
    return fault;
  }

private:
  struct Buffer {
    int64_t block = -1;    ///< the block that the buffer holds
    int64_t there = -1;    ///< the epoch in which it was written or waited for; -1: neither yet
    int64_t lastRead = -1; ///< the epoch of the last read
  };

  /// Does the actions that the first block expects to be done; they come before the loop.
  void prepare() {
    for (int64_t block = 0; block < maxAhead; ++block)
      for (const PlanAction &action : plan.getRound())
        if (action.kind == PlanActionKind::Write && block < action.ahead)
          write(getLds(action), block);
        else if (action.kind == PlanActionKind::Stage && block < action.ahead)
          stage(getLds(action), block);
    for (auto &[key, buffer] : buffers) // the code before the loop waits for the staged first block
      if (buffer.block == 0)
        buffer.there = epoch;
    ++epoch;
    for (const PlanAction &action : plan.getRound())
      for (int64_t block = 0; action.kind == PlanActionKind::Read && block < action.ahead; ++block)
        read(action.index, block, action.step);
  }

  void runBlock(int64_t block) {
    int64_t step = 0;
    for (const PlanAction &action : plan.getRound()) {
      int64_t of = block + action.ahead;
      switch (action.kind) {
      case PlanActionKind::Write:
        write(getLds(action), of);
        break;
      case PlanActionKind::Stage:
        stage(getLds(action), of);
        break;
      case PlanActionKind::Wait:
        wait(action.ahead);
        break;
      case PlanActionKind::Barrier:
        ++epoch;
        break;
      case PlanActionKind::Read:
        read(action.index, of, action.step);
        break;
      case PlanActionKind::Multiply:
        multiply(block, step++);
        break;
      case PlanActionKind::Load:
      case PlanActionKind::Reduce:
        break;
      }
    }
  }

  Value getLds(const PlanAction &action) const {
    return action.kind == PlanActionKind::Write ? WriteOp(product.writes[action.index].write).getLds()
                                                : StageOp(product.stages[action.index]).getLds();
  }

  Buffer &getBuffer(Value lds, int64_t block) { return buffers[{lds.getAsOpaquePointer(), block % plan.getBuffers()}]; }

  void write(Value lds, int64_t block) {
    Buffer &buffer = getBuffer(lds, block);
    if (buffer.lastRead == epoch) // plan_c10
      fail("expected a barrier between the last read of block " + std::to_string(buffer.block) +
           " and what puts block " + std::to_string(block) + " in its place but got none");
    buffer = {block, epoch, -1};
  }

  void stage(Value lds, int64_t block) {
    write(lds, block);
    getBuffer(lds, block).there = -1;
    staged.push_back({lds, block});
  }

  static int64_t getBytes(Value lds) { return cast<LdsType>(lds.getType()).getSizeInBytes(); }

  /// Waits until only the newest accesses are in flight, as many as `blocks` blocks issue.
  void wait(int64_t blocks) {
    int64_t underWay = 0;
    for (StageOp stage : product.stages)
      underWay += blocks * getBytes(stage.getLds());
    for (auto [lds, block] : llvm::reverse(staged)) {
      Buffer &buffer = getBuffer(lds, block);
      if (underWay <= 0 && buffer.block == block && buffer.there < 0)
        buffer.there = epoch;
      underWay -= getBytes(lds);
    }
  }

  void read(int64_t operand, int64_t block, int64_t step) {
    Buffer &buffer = getBuffer(operands[operand].getLds(), block);
    std::string what = getText("read", operand, block);
    if (buffer.block != block) // plan_c9
      fail("expected what " + what + " reads to be written by then but got " +
           (buffer.block < 0 ? "nothing" : "block " + std::to_string(buffer.block)) + " there");
    else if (buffer.there < 0) // plan_c9
      fail("expected a wait for what " + what + " reads but got none");
    else if (buffer.there == epoch) // plan_c9
      fail("expected a barrier before " + what + " but got none behind what puts it there");
    buffer.lastRead = epoch;
    queues[operand].emplace_back(block, step);
  }

  void multiply(int64_t block, int64_t step) {
    for (auto [operand, queue] : llvm::enumerate(queues)) {
      if (queue.empty() || queue.front() != std::pair(block, step)) // plan_c11
        return fail("expected " + getText("read", operand, block) + " for step " + std::to_string(step) +
                    " before its product but got " +
                    (queue.empty() ? "none"
                                   : "that of block " + std::to_string(queue.front().first) + ", step " +
                                         std::to_string(queue.front().second)));
      queue.pop_front();
    }
  }

  void fail(const std::string &text) {
    if (fault.empty())
      fault = text;
  }

  PlanAttr plan;
  const ProductLoop &product;
  SmallVector<ReadOp> operands;
  std::map<std::pair<const void *, int64_t>, Buffer> buffers;
  SmallVector<std::deque<std::pair<int64_t, int64_t>>> queues; ///< fragments of each operand, not yet multiplied
  SmallVector<std::pair<Value, int64_t>> staged;               ///< arrays and blocks in the order of their accesses
  int64_t epoch = 0;
  std::string fault;
};

std::string getName(const PlanAction &action) {
  static constexpr StringRef names[] = {"load", "write", "stage", "wait", "barrier", "read", "multiply", "reduce"};
  std::string name = names[int(action.kind)].str();
  bool isCounted = action.kind != PlanActionKind::Wait && action.kind != PlanActionKind::Barrier;
  return isCounted ? name + " " + std::to_string(action.index) : name;
}

/// plan_c7 of a sum with steps: each action occurs once, and reads and products once for each step.
std::string findForeign(PlanAttr plan, const ProductLoop &product, int64_t steps) {
  std::map<PlanActionKind, int64_t> counts = {{PlanActionKind::Load, product.writes.size()},
                                              {PlanActionKind::Write, product.writes.size()},
                                              {PlanActionKind::Stage, product.stages.size()},
                                              {PlanActionKind::Read, 2 * product.products.size()},
                                              {PlanActionKind::Multiply, 1},
                                              {PlanActionKind::Reduce, 0}};
  std::map<std::pair<PlanActionKind, int64_t>, int64_t> found;
  for (const PlanAction &action : plan.getRound()) {
    auto count = counts.find(action.kind);
    if (count == counts.end())
      continue;
    if (action.index >= count->second || action.step >= std::max<int64_t>(steps, 1))
      return "expected the plan of a loop with " + std::to_string(count->second) + " of its kind and " +
             std::to_string(steps) + " steps but got " + getName(action) +
             (action.step ? " of step " + std::to_string(action.step) : "");
    ++found[{action.kind, action.index}];
  }
  for (auto [kind, count] : counts)
    for (int64_t index = 0; index < count; ++index) {
      bool isOfStep = kind == PlanActionKind::Read || kind == PlanActionKind::Multiply;
      int64_t expected = isOfStep ? steps : 1;
      if (found[{kind, index}] != expected)
        return "expected the plan of this loop, with " + getName({kind, index}) + " " + std::to_string(expected) +
               (expected == 1 ? " time" : " times") + " in a round, but got it " +
               std::to_string(found[{kind, index}]) + " times";
    }
  return "";
}

/// plan_c15: with two buffers, the original loop must write at the begin of a round, between two barriers, and have no
/// further barrier. The plan has a single barrier, and writes one round ahead after it.
std::string findUnbuffered(PlanAttr plan, ArrayRef<PlanAction> stands, const ProductLoop &product) {
  const size_t writes = product.writes.size();
  if (plan.getBuffers() > 2)
    return "expected at most two buffers in a loop that does more than add up products but got " +
           std::to_string(plan.getBuffers());
  if (!isWrittenFirst(stands, writes))
    return "expected one buffer in a loop that does not begin with a barrier, what it writes and another barrier but "
           "got " +
           std::to_string(plan.getBuffers());
  if (product.writesOfRoundBefore())
    return "expected one buffer of what hangs on the round before but got " + std::to_string(plan.getBuffers());
  size_t barriers =
      llvm::count_if(plan.getRound(), [](const PlanAction &action) { return action.kind == PlanActionKind::Barrier; });
  if (barriers != 1 || plan.getRound().front().kind != PlanActionKind::Barrier)
    return "expected a round of two buffers to have one barrier, at its begin, but got " + std::to_string(barriers);
  for (size_t index = 0; index < writes; ++index)
    if (llvm::count(plan.getRound(), PlanAction{PlanActionKind::Write, int64_t(index), /*ahead=*/1}) != 1)
      return "expected each write of two buffers once, a block ahead, but got none such of write " +
             std::to_string(index);
  for (const PlanAction &action : plan.getRound())
    if (action.kind == PlanActionKind::Load && action.index < int64_t(writes) && action.ahead < 2)
      return "expected what goes to two buffers to be loaded two blocks ahead but got " + getName(action) + ", " +
             std::to_string(action.ahead);
  return "";
}

/// plan_c7 and plan_c15 of other loops: all actions keep their order, except loads and writes to a second buffer.
std::string findReordered(PlanAttr plan, const ProductLoop &product) {
  SmallVector<int64_t> loads;
  SmallVector<PlanAction> stands = describeRound(product), planned;
  bool hasTwo = plan.getBuffers() > 1;
  if (hasTwo)
    if (std::string fault = findUnbuffered(plan, stands, product); !fault.empty())
      return fault;
  auto isOrdered = [&](const PlanAction &action) {
    bool isBuffered = action.kind == PlanActionKind::Write || action.kind == PlanActionKind::Barrier;
    return action.kind != PlanActionKind::Load && !(hasTwo && isBuffered);
  };
  llvm::erase_if(stands, [&](const PlanAction &action) { return !isOrdered(action); });
  for (const PlanAction &action : plan.getRound()) {
    if (isOrdered(action))
      planned.push_back(action);
    else if (action.kind == PlanActionKind::Load)
      loads.push_back(action.index);
    if (isOrdered(action) && action.ahead) // plan_c15
      return "expected loads alone to be ahead in a loop that does more than add up products but got " +
             getName(action) + " of " + std::to_string(action.ahead) + " blocks ahead";
    if (action.pairs) // plan_c14
      return "expected pairs in a loop that adds up products alone but got them of " + getName(action);
  }
  auto [left, right] = std::mismatch(stands.begin(), stands.end(), planned.begin(), planned.end());
  if (left != stands.end() || right != planned.end())
    return "expected the plan of this loop, with " + (left == stands.end() ? "nothing more" : getName(*left)) +
           ", but got " + (right == planned.end() ? "nothing more" : getName(*right)) + " there";
  llvm::sort(loads);
  SmallVector<int64_t> all = llvm::to_vector(llvm::seq<int64_t>(product.countTiles()));
  if (loads != all)
    return "expected each of the " + std::to_string(all.size()) + " tiles of this loop to be loaded once but got " +
           std::to_string(loads.size()) + " loads";
  return "";
}

/// plan_c8, plan_c13 and plan_c14, checked for each tile.
std::string findMisplaced(PlanAttr plan, const ProductLoop &product, const LoopResources &resources) {
  for (const PlanAction &load : plan.getRound()) {
    if (product.blocks && load.ahead > *product.blocks + plan.getBlocksOfRound()) // plan_c13
      return "expected blocks of a loop that has " + std::to_string(*product.blocks) + " but got " + getName(load) +
             ", " + std::to_string(load.ahead) + " ahead";
    if (load.kind != PlanActionKind::Load)
      continue;
    const PlanAction *write = plan.find(PlanActionKind::Write, load.index);
    if (!write) // the tile does not go through LDS
      continue;
    if (load.ahead < write->ahead || (load.ahead == write->ahead && write < &load)) // plan_c8
      return "expected a tile to be loaded before it is written but got " + getName(load) + ", " +
             std::to_string(load.ahead) + " blocks ahead, and " + getName(*write) + ", " + std::to_string(write->ahead);
    if (!load.pairs) // plan_c14
      continue;
    auto loaded = WriteOp(product.writes[load.index].write).getTile().getDefiningOp<LoadOp>();
    if (!loaded || !product.isHalfOfLine(loaded, resources.getCosts().getLineBytes()))
      return "expected pairs of blocks whose rows are halves of a line of " +
             std::to_string(resources.getCosts().getLineBytes()) + " bytes but got " + getName(load);
    if (!product.blocks || *product.blocks % 2)
      return "expected pairs in a loop of an even number of blocks but got " +
             (product.blocks ? std::to_string(*product.blocks) : "one that is not known");
    if (!plan.getFirstAlone() && (product.getColumnsBefore(loaded) != 0 || product.begin != 0))
      return "expected first_alone, since the first block begins before its row, but got pairs";
  }
  return "";
}

} // namespace

SmallVector<LoopAction> nstf::systolic::listRound(const ProductLoop &product) {
  SmallVector<LoopAction> round;
  int64_t reductions = 0;
  llvm::DenseMap<Operation *, int64_t> reads;
  for (auto [index, one] : llvm::enumerate(product.products)) {
    if (one.b)
      reads[one.b] = 2 * index;
    if (one.a)
      reads[one.a] = 2 * index + 1;
  }
  for (Operation &op : scf::ForOp(product.loop).getBody()->without_terminator()) {
    auto add = [&](PlanActionKind kind, int64_t index = 0) { round.push_back({{kind, index}, &op}); };
    for (auto [index, one] : llvm::enumerate(product.writes)) {
      if (one.write == &op)
        add(PlanActionKind::Write, index);
      if (!one.loads.empty() && one.loads.back() == &op)
        add(PlanActionKind::Load, index);
    }
    for (auto [index, stage] : llvm::enumerate(product.stages))
      if (stage == &op)
        add(PlanActionKind::Stage, index);
    for (auto [index, one] : llvm::enumerate(product.products))
      if (one.mma == &op)
        add(PlanActionKind::Multiply, index);
    if (auto read = reads.find(&op); read != reads.end())
      add(PlanActionKind::Read, read->second);
    for (auto [index, direct] : llvm::enumerate(product.directLoads))
      if (direct.load == &op)
        add(PlanActionKind::Load, product.writes.size() + index);
    if (isa<BarrierOp>(op))
      add(PlanActionKind::Barrier);
    if (isa<WaitOp>(op))
      add(PlanActionKind::Wait);
    if (isa<ReduceOp>(op))
      add(PlanActionKind::Reduce, reductions++);
  }
  return round;
}

bool nstf::systolic::isWrittenFirst(ArrayRef<PlanAction> round, size_t writes) {
  SmallVector<PlanAction> rest;
  for (const PlanAction &action : round)
    if (action.kind != PlanActionKind::Load)
      rest.push_back(action);
  auto isOf = [](PlanActionKind kind) { return [kind](const PlanAction &action) { return action.kind == kind; }; };
  return writes && rest.size() > writes + 2 && rest.front().kind == PlanActionKind::Barrier &&
         llvm::all_of(ArrayRef(rest).slice(1, writes), isOf(PlanActionKind::Write)) &&
         rest[writes + 1].kind == PlanActionKind::Barrier &&
         llvm::none_of(ArrayRef(rest).drop_front(writes + 2), isOf(PlanActionKind::Barrier)) &&
         llvm::none_of(rest, isOf(PlanActionKind::Stage));
}

SmallVector<PlanAction> nstf::systolic::describeRound(const ProductLoop &product) {
  return llvm::map_to_vector(listRound(product), [](const LoopAction &one) { return one.action; });
}

std::string nstf::systolic::findFault(PlanAttr plan, const ProductLoop &product, const LoopResources &resources) {
  if (plan.isAsItStands() && plan.getRound() == ArrayRef<PlanAction>(describeRound(product)))
    return "";
  bool isSum = product.findMoreThanSums().empty();
  int64_t steps = resources.countSteps(product);
  std::string fault = isSum ? findForeign(plan, product, steps) : findReordered(plan, product);
  if (fault.empty())
    fault = findMisplaced(plan, product, resources);
  for (const PlanAction &action : plan.getRound())
    if (fault.empty() && !isSum && action.kind == PlanActionKind::Load && action.ahead)
      fault = product.findObstacleToLoadingAhead(action.index);
  if (!fault.empty())
    return fault;
  if (int64_t bytes = resources.countLdsBytes(product, plan); bytes > resources.getLdsLimit()) // plan_c12
    return "expected buffers of at most " + std::to_string(resources.getLdsLimit()) + " bytes of LDS but got " +
           std::to_string(bytes);
  if (int64_t registers = resources.countRegisters(product, plan); registers > resources.getRegisterLimit()) // plan_c8
    return "expected at most " + std::to_string(resources.getRegisterLimit()) + " registers a lane but got " +
           std::to_string(registers);
  return isSum ? PlanRun(plan, product).run() : "";
}
