// What decoding a token reads: at batch 1 its time.
#pragma once

#include "support/ElementType.h"

#include "mlir/IR/BuiltinOps.h"

namespace nstf::compress {

/// Of a step of one row with `positions` of its context before and in it.
struct StepBytes {
  int64_t positions = 0;
  uint64_t weights = 0; ///< each one once, as its file has it; of a table that rows are looked up in a row
  uint64_t caches = 0;

  uint64_t getAll() const { return weights + caches; }
};

/// `cacheType`: of caches that are no codes.
StepBytes countStepBytes(mlir::ModuleOp module, support::ElementType cacheType);

} // namespace nstf::compress
