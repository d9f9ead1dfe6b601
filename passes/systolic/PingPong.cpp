// The ping-pong schedule (PingPong.h).
//
// BEFORE  for k {                       AFTER  if (second half of the waves) s_barrier
//           reads, writes, loads               for k {
//           mma                                  reads, writes, loads
//           barrier                              barrier             waits for LDS: the next cluster reads what was
//           written reads                                s_setprio 1; mma; s_setprio 0 mma s_barrier
//         }                                      reads
//                                                s_barrier           waits for nothing
//                                                s_setprio 1; mma; s_setprio 0
//                                                s_barrier
//                                              }
//                                              if (first half) s_barrier
//
// Between two barriers the waves of the other half are one cluster ahead or behind. If the next memory cluster accesses
// the same buffer, the accesses of this one must be complete, not only issued, at the barrier at its end: the next
// memory cluster of the other half runs at the same time as this half's products.
#include "passes/systolic/PingPong.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace nstf::systolic;

namespace {

struct LdsAccess {
  Operation *op;
  Value lds;
  std::optional<int64_t> buffer; ///< nothing: any buffer
  bool writes;
  int64_t stretch = 0; ///< number of the loop's barriers before it
  bool moves = false;  ///< moves ahead to an earlier turn

  bool conflictsWith(const LdsAccess &other) const {
    bool isSame = lds == other.lds && (!buffer || !other.buffer || buffer == other.buffer);
    return isSame && (writes || other.writes);
  }
};

/// Memory work and the products after it.
struct Turn {
  SmallVector<LoadOp> loads;
  SmallVector<LdsAccess> accesses;
  SmallVector<MmaOp> products;
  bool waits = false; ///< memory work waits at its end for its own accesses
};

std::optional<LdsAccess> getAccess(Operation &op) {
  if (auto read = dyn_cast<ReadOp>(op))
    return LdsAccess{read, read.getLds(), getConstantIntValue(read.getBuffer()), false};
  if (auto write = dyn_cast<WriteOp>(op))
    return LdsAccess{write, write.getLds(), getConstantIntValue(write.getBuffer()), true};
  return std::nullopt;
}

/// Splits the loop into turns; returns empty, or the reason why it has none. Barriers between turns go into `barriers`.
std::string collectTurns(scf::ForOp loop, SmallVectorImpl<Turn> &turns, SmallVectorImpl<BarrierOp> &barriers) {
  Turn turn;
  int64_t stretch = 0;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto mma = dyn_cast<MmaOp>(op)) {
      turn.products.push_back(mma);
      continue;
    }
    bool isFree = isPure(&op);
    if (!isFree && !turn.products.empty())
      turns.push_back(std::exchange(turn, {}));
    if (auto barrier = dyn_cast<BarrierOp>(op)) {
      ++stretch;
      barriers.push_back(barrier);
    } else if (std::optional<LdsAccess> access = getAccess(op)) {
      access->stretch = stretch;
      turn.accesses.push_back(*access);
    } else if (auto load = dyn_cast<LoadOp>(op)) {
      turn.loads.push_back(load);
    } else if (!isFree) {
      return "it does more than move tiles and multiply: " + op.getName().getStringRef().str();
    }
  }
  if (!turn.products.empty())
    turns.push_back(std::move(turn));
  else if (!turn.accesses.empty() || !turn.loads.empty())
    return "memory work stands behind its last product";
  return turns.size() < 2 ? "it has one step" : "";
}

/// Restricts each turn to the accesses of one stretch, so that all barriers are between turns; accesses of earlier
/// stretches move to the turns before. Returns empty, or the reason why that is impossible.
std::string separateStretches(MutableArrayRef<Turn> turns) {
  SmallVector<LdsAccess> ahead;
  for (Turn &turn : llvm::reverse(turns)) {
    turn.accesses.append(ahead);
    auto isLast = [&](const LdsAccess &access) { return access.stretch == turn.accesses.back().stretch; };
    auto kept = llvm::find_if(turn.accesses, isLast);
    ahead.assign(turn.accesses.begin(), kept);
    for (LdsAccess &access : ahead)
      access.moves = true;
    turn.accesses.erase(turn.accesses.begin(), kept);
  }
  if (!ahead.empty())
    return "LDS accesses between more barriers than it has steps";
  for (Turn &turn : turns)
    for (LdsAccess &access : turn.accesses)
      for (Value operand : access.op->getOperands())
        if (Operation *source = operand.getDefiningOp(); access.moves && source &&
                                                         source->getBlock() == access.op->getBlock() &&
                                                         !source->isBeforeInBlock(turn.products.front()))
          return "a tile is written in the step in which it comes";
  for (Turn &turn : turns)
    for (LdsAccess &access : turn.accesses)
      if (access.moves)
        access.op->moveBefore(turn.products.front());
  return "";
}

/// Spreads adjacent loads over the turns after them that have none, to keep the longest turn short.
void spreadLoads(MutableArrayRef<Turn> turns) {
  for (size_t first = 0; first < turns.size(); ++first) {
    size_t count = turns[first].loads.size(), room = 1;
    while (room < count && first + room < turns.size() && turns[first + room].loads.empty())
      ++room;
    for (auto [i, load] : llvm::enumerate(turns[first].loads)) {
      size_t turn = first + i * room / count;
      Operation *place = turns[turn].products.front();
      auto isBehind = [&](Operation *user) {
        return user->getBlock() == place->getBlock() && place->isBeforeInBlock(user);
      };
      if (turn != first && llvm::all_of(load->getUsers(), isBehind))
        load->moveBefore(place);
    }
  }
}

/// Decides where memory work waits for its own accesses. The loop is visited twice, because accesses of one round may
/// still be in flight at the begin of the next.
void placeWaits(MutableArrayRef<Turn> turns) {
  SmallVector<LdsAccess> underWay;
  for (size_t i = 0; i < 2 * turns.size(); ++i) {
    Turn &turn = turns[i % turns.size()], &next = turns[(i + 1) % turns.size()];
    llvm::append_range(underWay, turn.accesses);
    turn.waits |= llvm::any_of(underWay, [&](const LdsAccess &access) {
      return llvm::any_of(next.accesses, [&](const LdsAccess &other) { return access.conflictsWith(other); });
    });
    if (turn.waits)
      underWay.clear();
  }
}

/// Puts barriers around a turn's products, and gives these a higher priority.
void multiply(Turn &turn, Location loc) {
  OpBuilder builder(turn.products.front());
  BarrierOp::create(builder, loc, /*nowait=*/!turn.waits, /*pinned=*/true);
  PriorityOp::create(builder, loc, 1);
  for (auto [before, product] : llvm::zip(turn.products, llvm::drop_begin(turn.products)))
    product->moveAfter(before);
  builder.setInsertionPointAfter(turn.products.back());
  PriorityOp::create(builder, loc, 0);
  BarrierOp::create(builder, loc, /*nowait=*/true, /*pinned=*/true);
}

} // namespace

std::string nstf::systolic::pingPong(scf::ForOp loop, KernelOp kernel, int64_t simds) {
  int64_t waves = kernel.getArray()->getNumWaves();
  if (waves % (2 * simds) != 0)
    return std::to_string(waves) + " waves are no two halves of " + std::to_string(simds) + " SIMDs";
  SmallVector<Turn> turns;
  SmallVector<BarrierOp> barriers;
  if (std::string reason = collectTurns(loop, turns, barriers); !reason.empty())
    return reason;
  if (std::string reason = separateStretches(turns); !reason.empty())
    return reason;
  spreadLoads(turns);
  placeWaits(turns);
  for (BarrierOp barrier : barriers)
    barrier.erase();
  for (Turn &turn : turns)
    multiply(turn, loop.getLoc());
  OpBuilder builder(loop);
  SkewOp::create(builder, loop.getLoc());
  builder.setInsertionPointAfter(loop);
  SkewOp::create(builder, loop.getLoc(), /*end=*/true);
  return "";
}
