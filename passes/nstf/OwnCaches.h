// Attention over caches that no other operation reads.
#pragma once

#include "dialects/nstf/NSTF.h"

namespace nstf {

/// Whether keys and values are caches in states that rows are appended to and that no other operation reads.
bool readsOwnCaches(AttentionOp op);
/// The same for the scales of codes.
bool hasOwnScales(AttentionOp op);

/// A cache that attention reads: the append of rows, the value before it, and the state.
struct OwnCache {
  KvAppendOp append;
  GetOp get;
  StateOp state;

  /// Changes the type of the cache.
  void setType(mlir::RankedTensorType type);
};

/// Precondition: `cache` is keys or values of an attention with readsOwnCaches, or scales of one with hasOwnScales.
OwnCache getOwnCache(mlir::Value cache, const mlir::SymbolTable &symbols);

} // namespace nstf
