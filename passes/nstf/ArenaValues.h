// The values of a formed graph in its arena: their lifetimes and sizes, and the check that a plan keeps them apart.
#pragma once

#include "passes/analysis/MemoryPlan.h"
#include "passes/nstf/FormedGraph.h"

namespace nstf {

/// The alignment of values, which is also that of device allocations, so that full-width loads can start at a value's
/// rows.
constexpr int64_t arenaAlignment = 256;

/// A result is live from its step to the last step that uses it; `lifetimes` has the order of `values`.
struct ArenaValues {
  llvm::SmallVector<mlir::OpResult> values;
  std::vector<LiveInterval> lifetimes;
};

/// A leading `?` counts as `tokens` rows. Precondition: verifyFormed succeeded.
ArenaValues collectArenaValues(GraphOp graph, int64_t tokens);

/// Emits an error unless verifyFormed succeeds and, in steps of up to `tokens` rows, every value of the arena has an
/// aligned place inside it that no other live value overlaps. Results outside the arena must have no offset.
mlir::LogicalResult verifyPlanned(GraphOp graph, int64_t tokens);

} // namespace nstf
