#include "compiler/compress/StepBytes.h"

#include "compiler/calibrate/LinearSites.h"
#include "passes/nstf/FormedGraph.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace nstf;
using namespace nstf::compress;

/// A context that most models have and in which caches are a visible part of the bytes.
static constexpr int64_t statedPositions = 1024;

static bool isLookup(OpOperand &use) {
  return isa<EmbeddingOp, AddPositionsOp>(use.getOwner()) && use.getOperandNumber() == 1;
}

static uint64_t countRow(RankedTensorType type) { return type.getNumElements() / type.getDimSize(0); }

/// Bytes per position in the caches that an attention reads.
static uint64_t countPosition(AttentionOp op, uint64_t numberSize) {
  if (!op.readsCache())
    return 0;
  llvm::SmallSetVector<Value, 4> caches;
  caches.insert(op.getK());
  caches.insert(op.getV());
  uint64_t bytes = 0;
  for (Value cache : caches) {
    auto type = cast<RankedTensorType>(cache.getType());
    bytes += countRow(type) * (op.readsCodes() ? type.getElementTypeBitWidth() / 8 : numberSize);
  }
  caches.clear();
  caches.insert(op.getScales().begin(), op.getScales().end());
  for (Value scales : caches)
    bytes += countRow(cast<RankedTensorType>(scales.getType())) * sizeof(float);
  return bytes;
}

StepBytes nstf::compress::countStepBytes(ModuleOp module, support::ElementType cacheType) {
  GraphOp graph = *getGraph(module);
  SymbolTable symbols(module);
  StepBytes bytes{std::min<int64_t>(statedPositions, graph.getContext()), 0, 0};
  for (AttentionOp op : graph.getBody().getOps<AttentionOp>())
    bytes.caches += bytes.positions * countPosition(op, sizeOf(cacheType));
  struct Read {
    bool all = false, row = false;
  };
  llvm::MapVector<Operation *, Read> reads;
  for (GetOp get : graph.getBody().getOps<GetOp>())
    if (auto weight = symbols.lookup<WeightOp>(get.getSymbol()))
      for (OpOperand &use : get->getUses())
        (isLookup(use) ? reads[weight].row : reads[weight].all) = true;
  for (auto [op, read] : reads) {
    auto weight = cast<WeightOp>(op);
    auto type = cast<RankedTensorType>(weight.getType());
    uint64_t size = weight.getPlane() ? type.getElementTypeBitWidth() / 8 : sizeOf(calibrate::getStoredType(weight));
    bytes.weights += size * ((read.all ? type.getNumElements() : 0) + (read.row ? countRow(type) : 0));
  }
  return bytes;
}
