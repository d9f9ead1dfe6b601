// The values of a formed graph that live in its arena: how long, how large, and whether a plan keeps them apart.
#pragma once

#include "passes/analysis/MemoryPlan.h"
#include "passes/nstf/FormedGraph.h"

namespace nstf {

/// What device allocations are aligned to, too: a value's rows begin where full-width loads may.
constexpr int64_t arenaAlignment = 256;

/// A result lives from its step to the last step that uses it; `lifetimes` is of the values in their order.
struct ArenaValues {
  llvm::SmallVector<mlir::OpResult> values;
  std::vector<LiveInterval> lifetimes;
};

/// A leading `?` counts as `tokens` rows. Precondition: verifyFormed succeeded.
ArenaValues collectArenaValues(GraphOp graph, int64_t tokens);

/// Emits an error unless verifyFormed succeeds and, in steps of up to `tokens` rows, every value of the arena has an
/// aligned place inside it that no other value has while it lives, and no other result has one.
mlir::LogicalResult verifyPlanned(GraphOp graph, int64_t tokens);

} // namespace nstf
