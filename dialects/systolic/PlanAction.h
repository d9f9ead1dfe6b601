// One action of a planned loop for each of its blocks (Plan.td, #systolic.plan).
#pragma once

#include "llvm/ADT/Hashing.h"
#include <cstdint>

namespace nstf::systolic {

enum class PlanActionKind { Load, Write, Stage, Wait, Barrier, Read, Multiply, Reduce };

struct PlanAction {
  PlanActionKind kind = PlanActionKind::Barrier;
  int64_t index = 0;  ///< number of the tile, stage, operand, product or reduction of the loop
  int64_t ahead = 0;  ///< blocks after the one that is multiplied; of a wait: blocks that may still be in flight
  int64_t step = 0;   ///< of a read: the step of that block's products
  bool pairs = false; ///< of a load: two blocks at once, in every other block

  bool operator==(const PlanAction &other) const = default;
};

inline llvm::hash_code hash_value(const PlanAction &action) {
  return llvm::hash_combine(int(action.kind), action.index, action.ahead, action.step, action.pairs);
}

} // namespace nstf::systolic
