#include "passes/systolic/Divisor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include <numeric>

using namespace mlir;

int64_t nstf::systolic::getDivisor(Value index) {
  if (auto constant = getConstantIntValue(index))
    return std::abs(*constant);
  if (auto mul = index.getDefiningOp<arith::MulIOp>())
    return getDivisor(mul.getLhs()) * getDivisor(mul.getRhs());
  if (auto add = index.getDefiningOp<arith::AddIOp>())
    return std::gcd(getDivisor(add.getLhs()), getDivisor(add.getRhs()));
  if (auto div = index.getDefiningOp<arith::DivUIOp>()) {
    int64_t dividend = getDivisor(div.getLhs()), divisor = getConstantIntValue(div.getRhs()).value_or(0);
    return divisor > 0 && dividend % divisor == 0 ? dividend / divisor : 1;
  }
  if (auto argument = dyn_cast<BlockArgument>(index))
    if (auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
        loop && argument == loop.getInductionVar())
      return std::gcd(getDivisor(loop.getLowerBound()), getDivisor(loop.getStep()));
  return 1;
}
