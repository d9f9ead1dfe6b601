#include "passes/analysis/Operands.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace nstf::systolic;

bool nstf::systolic::isElementwise(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() && !op->hasTrait<OpTrait::ConstantLike>();
}

bool nstf::systolic::isFreeToClone(Operation *op) {
  return op->getNumResults() == 1 && getTileType(op->getResult(0)) && isa<arith::ConstantOp, IotaOp, BroadcastOp>(op) &&
         llvm::none_of(op->getOperands(), [](Value value) { return bool(getTileType(value)); });
}

/// Whether a tile is computed from scalars and constants alone.
static bool isMadeOfScalars(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (!op || isFreeToClone(op))
    return op;
  return (isElementwise(op) || isa<BroadcastOp>(op)) && llvm::all_of(op->getOperands(), isMadeOfScalars);
}

/// Whether each lane computes its elements of the result from elements that it holds itself.
static bool staysInLane(Operation *op) {
  auto broadcast = dyn_cast<BroadcastOp>(op);
  return isElementwise(op) || isa<UnpackOp>(op) || (broadcast && broadcast.getEach());
}

LoadOp nstf::systolic::findLoad(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (!op)
    return {};
  if (auto load = dyn_cast<LoadOp>(op))
    return load;
  if (auto branch = dyn_cast<IfAnyOp>(op)) { // an if_any changes some rows of the tile, or none
    unsigned index = cast<OpResult>(tile).getResultNumber();
    LoadOp changed = findLoad(branch.getBody().front().getTerminator()->getOperand(index));
    return changed && changed == findLoad(branch.getOtherwise()[index]) ? changed : LoadOp();
  }
  if (!staysInLane(op))
    return {};
  LoadOp found;
  for (Value operand : op->getOperands()) {
    if (isMadeOfScalars(operand))
      continue;
    LoadOp load = findLoad(operand);
    if (!load)
      return {};
    found = found ? found : load;
  }
  return found;
}

bool nstf::systolic::movesBetweenLanes(ConvertLayoutOp op) {
  FragmentAttr from = getFragment(op.getTile().getType()), to = getFragment(op.getResult().getType());
  return from.getLane() != to.getLane() || from.getWave() != to.getWave();
}

bool nstf::systolic::isOperand(ConvertLayoutOp op) {
  return movesBetweenLanes(op) && llvm::any_of(op->getUsers(), llvm::IsaPred<MmaOp, DotOp>) && findLoad(op.getTile());
}

PackedAttr nstf::systolic::findPacking(Value buffer) {
  auto argument = dyn_cast<BlockArgument>(buffer);
  auto kernel = argument ? dyn_cast<KernelOp>(argument.getOwner()->getParentOp()) : KernelOp();
  return kernel ? kernel.getPacking(argument.getArgNumber()) : PackedAttr();
}
