#include "passes/nstf/OwnCaches.h"

using namespace mlir;
using namespace nstf;

bool nstf::readsOwnCaches(AttentionOp op) {
  return op.readsCache() && llvm::all_of(ValueRange{op.getK(), op.getV()}, [&](Value cache) {
           auto append = cache.getDefiningOp<KvAppendOp>();
           return append && append.getCache().getDefiningOp<GetOp>() &&
                  llvm::all_of(cache.getUses(),
                               [&](OpOperand &use) { return use.getOwner() == op && use.getOperandNumber() != 0; });
         });
}

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
