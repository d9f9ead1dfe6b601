#include "passes/nstf/ArenaValues.h"

using namespace mlir;
using namespace nstf;

static int64_t countBytes(Type type, int64_t tokens) {
  auto tensor = cast<RankedTensorType>(type);
  int64_t bytes = tensor.getElementTypeBitWidth() / 8;
  for (int64_t size : tensor.getShape())
    bytes *= ShapedType::isDynamic(size) ? tokens : size;
  return bytes;
}

ArenaValues nstf::collectArenaValues(GraphOp graph, int64_t tokens) {
  SmallVector<StepOp> steps(graph.getBody().getOps<StepOp>());
  DenseMap<Operation *, int64_t> position;
  for (auto [i, step] : llvm::enumerate(steps))
    position[step] = i;
  SymbolTableCollection symbols;
  ArenaValues found;
  for (auto [i, step] : llvm::enumerate(steps))
    for (OpResult value : step->getResults()) {
      if (getStorage(value, symbols).kind != Storage::Arena)
        continue;
      LiveInterval lifetime{countBytes(value.getType(), tokens), int64_t(i), int64_t(i)};
      for (Operation *user : value.getUsers())
        lifetime.last = std::max(lifetime.last, position.at(user));
      found.values.push_back(value);
      found.lifetimes.push_back(lifetime);
    }
  return found;
}

static int64_t getOffset(OpResult value) {
  std::optional<ArrayRef<int64_t>> offsets = cast<StepOp>(value.getOwner()).getOffsets();
  return offsets ? (*offsets)[value.getResultNumber()] : -1;
}

LogicalResult nstf::verifyPlanned(GraphOp graph, int64_t tokens) {
  if (failed(verifyFormed(graph)))
    return failure();
  const ArenaValues arena = collectArenaValues(graph, tokens);
  const int64_t size = graph.getArenaSize().value_or(0);
  std::vector<int64_t> offsets;
  for (auto [value, lifetime] : llvm::zip_equal(arena.values, arena.lifetimes)) {
    offsets.push_back(getOffset(value));
    if (offsets.back() < 0 || offsets.back() % arenaAlignment != 0 || offsets.back() > size - lifetime.size)
      return value.getOwner()->emitOpError()
             << "expected " << lifetime.size << " bytes inside the arena's " << size << ", at a multiple of "
             << arenaAlignment << ", for result " << value.getResultNumber() << " but got offset " << offsets.back();
  }
  DenseSet<Value> inArena(arena.values.begin(), arena.values.end());
  for (StepOp step : graph.getBody().getOps<StepOp>())
    for (OpResult result : step->getResults())
      if (!inArena.contains(result) && getOffset(result) != -1)
        return step.emitOpError() << "expected offset -1 of result " << result.getResultNumber()
                                  << ", which has memory of its own, but got " << getOffset(result);
  if (std::optional<std::pair<size_t, size_t>> clash = findOverlap(arena.lifetimes, offsets)) {
    OpResult value = arena.values[clash->second], other = arena.values[clash->first];
    InFlightDiagnostic error = value.getOwner()->emitOpError()
                               << "expected a place of its own for result " << value.getResultNumber()
                               << " but got bytes that another value has while it lives";
    error.attachNote(other.getLoc()) << "result " << other.getResultNumber() << " of this step lives until step "
                                     << arena.lifetimes[clash->first].last;
    return error;
  }
  return success();
}
