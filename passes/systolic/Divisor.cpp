#include "passes/systolic/Divisor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include <numeric>

using namespace mlir;
using namespace nstf::systolic;

/// The loop whose induction variable is `index`, or null.
static scf::ForOp getLoopOf(Value index) {
  auto argument = dyn_cast<BlockArgument>(index);
  auto loop = argument ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()) : scf::ForOp();
  return loop && argument == loop.getInductionVar() ? loop : scf::ForOp();
}

Congruence nstf::systolic::getCongruence(Value index) {
  if (auto constant = getConstantIntValue(index))
    return {0, *constant};
  if (auto mul = index.getDefiningOp<arith::MulIOp>()) {
    Congruence left = getCongruence(mul.getLhs()), right = getCongruence(mul.getRhs());
    int64_t crossed = std::gcd(left.modulus * right.residue, right.modulus * left.residue);
    return {std::gcd(crossed, left.modulus * right.modulus), left.residue * right.residue};
  }
  if (isa_and_nonnull<arith::AddIOp, arith::SubIOp>(index.getDefiningOp())) {
    Congruence left = getCongruence(index.getDefiningOp()->getOperand(0)),
               right = getCongruence(index.getDefiningOp()->getOperand(1));
    int64_t sign = isa<arith::AddIOp>(index.getDefiningOp()) ? 1 : -1;
    return {std::gcd(left.modulus, right.modulus), left.residue + sign * right.residue};
  }
  if (auto div = index.getDefiningOp<arith::DivUIOp>()) {
    int64_t dividend = getDivisor(div.getLhs()), divisor = getConstantIntValue(div.getRhs()).value_or(0);
    return {divisor > 0 && dividend % divisor == 0 ? dividend / divisor : 1, 0};
  }
  if (auto select = index.getDefiningOp<arith::SelectOp>()) {
    Congruence left = getCongruence(select.getTrueValue()), right = getCongruence(select.getFalseValue());
    return {std::gcd(std::gcd(left.modulus, right.modulus), left.residue - right.residue), left.residue};
  }
  if (scf::ForOp loop = getLoopOf(index)) {
    Congruence begin = getCongruence(loop.getLowerBound());
    return {std::gcd(begin.modulus, getDivisor(loop.getStep())), begin.residue};
  }
  return {};
}

int64_t nstf::systolic::getDivisor(Value index) {
  Congruence congruence = getCongruence(index);
  return std::gcd(congruence.modulus, congruence.residue);
}

int64_t nstf::systolic::getMinimum(Value index) {
  if (auto constant = getConstantIntValue(index))
    return *constant;
  if (auto add = index.getDefiningOp<arith::AddIOp>())
    return getMinimum(add.getLhs()) + getMinimum(add.getRhs());
  if (auto sub = index.getDefiningOp<arith::SubIOp>())
    if (auto constant = getConstantIntValue(sub.getRhs()))
      return getMinimum(sub.getLhs()) - *constant;
  if (scf::ForOp loop = getLoopOf(index))
    return getMinimum(loop.getLowerBound());
  return 0;
}
