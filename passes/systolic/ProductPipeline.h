// A loop of products as a software pipeline over one to three LDS buffers.
#pragma once

#include "passes/systolic/ProductLoop.h"

namespace nstf::systolic {

/// How far ahead a pipelined loop works.
struct PrefetchPlan {
  /// When a tile is loaded: in this step of the block so many blocks before its own.
  struct Slot {
    int64_t ahead = 2, step = 0;
    int64_t blocks = 1; ///< 2: the block behind it as well, every other time, so that whole lines come at once
  };

  int64_t buffers = 2; ///< of LDS: 1 to 3
  /// Blocks before its products that a block is written: as many as buffers where blocks have one step.
  int64_t writeAhead = 1;
  llvm::SmallVector<Slot> loads; ///< one for each of the loop's writes
  int64_t blocksOfRound = 2;     ///< after so many, buffers and registers have the same roles again
  /// What is written in front of the rounds begins before its row, so it isn't loaded by pairs.
  bool firstAlone = false;
  /// What is written in front of the rounds is read from LDS before anything else is loaded.
  bool loadsWrittenFirst = false;
};

/// Replaces the loop.
void makePipeline(ProductLoop &product, KernelOp kernel, const PrefetchPlan &plan);

} // namespace nstf::systolic
