#include "passes/systolic/Operands.h"
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

LoadOp nstf::systolic::findLoad(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (!op)
    return {};
  if (auto load = dyn_cast<LoadOp>(op))
    return load;
  if (!isElementwise(op))
    return {};
  LoadOp found;
  for (Value operand : op->getOperands()) {
    if (operand.getDefiningOp() && isFreeToClone(operand.getDefiningOp()))
      continue;
    LoadOp load = findLoad(operand);
    if (!load)
      return {};
    found = found ? found : load;
  }
  return found;
}
