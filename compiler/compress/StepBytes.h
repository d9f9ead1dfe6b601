// The bytes that decoding a token reads, which determine its time at batch 1.
#pragma once

#include "support/ElementType.h"

#include "mlir/IR/BuiltinOps.h"

namespace nstf::compress {

/// The bytes of a step of one row; `positions` counts the context up to and including that row.
struct StepBytes {
  int64_t positions = 0;
  uint64_t weights = 0; ///< each weight once, in its file's type; of a lookup table, one row
  uint64_t caches = 0;

  uint64_t getAll() const { return weights + caches; }
};

/// `cacheType`: element type of caches that hold numbers.
StepBytes countStepBytes(mlir::ModuleOp module, support::ElementType cacheType);

} // namespace nstf::compress
