#include "passes/nstf/OwnCaches.h"

using namespace mlir;
using namespace nstf;

static bool areOwn(AttentionOp op, ValueRange caches) {
  return llvm::all_of(caches, [&](Value cache) {
    auto append = cache.getDefiningOp<KvAppendOp>();
    return append && append.getCache().getDefiningOp<GetOp>() && llvm::all_of(cache.getUses(), [&](OpOperand &use) {
             return use.getOwner() == op && use.getOperandNumber() != 0;
           });
  });
}

bool nstf::readsOwnCaches(AttentionOp op) { return op.readsCache() && areOwn(op, ValueRange{op.getK(), op.getV()}); }

bool nstf::hasOwnScales(AttentionOp op) { return op.readsCache() && areOwn(op, op.getScales()); }

OwnCache nstf::getOwnCache(Value cache, const SymbolTable &symbols) {
  auto append = cache.getDefiningOp<KvAppendOp>();
  auto get = append.getCache().getDefiningOp<GetOp>();
  return {append, get, symbols.lookup<StateOp>(get.getSymbol())};
}

void OwnCache::setType(RankedTensorType type) {
  state.setType(type);
  get.getResult().setType(type);
  append.getResult().setType(type);
}
