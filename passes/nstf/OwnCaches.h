// Attention over caches that are its own.
#pragma once

#include "dialects/nstf/NSTF.h"

namespace nstf {

/// Whether keys and values are caches of states that rows are appended to and that no other operation reads.
bool readsOwnCaches(AttentionOp op);
/// The same of the scales of codes.
bool hasOwnScales(AttentionOp op);

/// A cache that attention reads: where rows are appended to it, its value before, and the state.
struct OwnCache {
  KvAppendOp append;
  GetOp get;
  StateOp state;

  /// Gives the cache another type.
  void setType(mlir::RankedTensorType type);
};

/// Precondition: readsOwnCaches of the attention whose keys or values `cache` are, or
/// hasOwnScales of the one whose scales it is.
OwnCache getOwnCache(mlir::Value cache, const mlir::SymbolTable &symbols);

} // namespace nstf
