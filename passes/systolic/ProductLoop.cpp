#include "passes/systolic/ProductLoop.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nstf::systolic;

std::optional<int64_t> nstf::systolic::getEnd(scf::ForOp loop) {
  Value end = loop.getUpperBound();
  if (auto choice = end.getDefiningOp<arith::SelectOp>()) {
    std::optional<int64_t> begin = getConstantIntValue(loop.getLowerBound());
    return begin && getConstantIntValue(choice.getFalseValue()) == begin ? getConstantIntValue(choice.getTrueValue())
                                                                         : std::nullopt;
  }
  return getConstantIntValue(end);
}

std::optional<int64_t> nstf::systolic::countRounds(scf::ForOp loop) {
  std::optional<int64_t> begin = getConstantIntValue(loop.getLowerBound()), step = getConstantIntValue(loop.getStep()),
                         end = getEnd(loop);
  return begin && step && end ? std::optional(llvm::divideCeil(*end - *begin, *step)) : std::nullopt;
}

std::string ProductLoop::match(scf::ForOp candidate) {
  loop = candidate;
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!step)
    return "its step is no constant";
  blockStep = *step;
  blocks = countRounds(loop);
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto write = dyn_cast<WriteOp>(op))
      writes.push_back(write);
    else if (auto stage = dyn_cast<StageOp>(op))
      stages.push_back(stage);
    else if (isa<LoadOp>(op) || (isPure(&op) && !isa<MmaOp>(op)))
      loading.push_back(&op);
    else if (!isa<BarrierOp, ReadOp, MmaOp, WaitOp>(op))
      return "it does more than load and multiply: " + op.getName().getStringRef().str();
  }
  if (writes.empty() && stages.empty())
    return "nothing goes through LDS";
  for (Operation *op : loading)
    for (Value operand : op->getOperands())
      if (operand.getDefiningOp<ReadOp>() || operand.getDefiningOp<MmaOp>())
        return "it computes with what it read or multiplied: " + op->getName().getStringRef().str();
  auto isStaged = [&](ReadOp read) {
    auto goesThere = [&](auto op) { return op.getLds() == read.getLds(); };
    return read && (llvm::any_of(writes, goesThere) || llvm::any_of(stages, goesThere));
  };
  for (auto [sum, yielded] : llvm::zip_equal(loop.getRegionIterArgs(), loop.getYieldedValues())) {
    auto mma = yielded.getDefiningOp<MmaOp>();
    if (!mma || mma->getBlock() != loop.getBody() || mma.getAcc() != sum || !sum.hasOneUse() || !yielded.hasOneUse())
      return "it carries more than sums of products";
    Product product{mma, mma.getA().getDefiningOp<ReadOp>(), mma.getB().getDefiningOp<ReadOp>()};
    if (!isStaged(product.a) || !isStaged(product.b))
      return "an operand of its products does not come through LDS";
    int64_t k = getTileType(mma.getA()).getDimSize(1);
    if (depth != 0 && depth != k)
      return "its products are of different depths";
    depth = k;
    products.push_back(product);
  }
  if (products.empty())
    return "it carries no sum";
  return "";
}
