// Tolerances of tensor code.

#include "compiler/reference/Tolerance.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace nstf;
using namespace nstf::reference;

/// The same allowances as in Tolerance.cpp: 2 u for an arith operation, 16 u for a function, a margin for K in a sum,
/// and half a unit in the last place when a float is narrowed.
static Tolerance scalarTolerance(Operation *op) {
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  if (!isa<FloatType>(type) || isa<arith::ConstantOp, arith::SelectOp, arith::ExtFOp, arith::NegFOp>(op))
    return {};
  double rounding = type.isF16() ? 0x1p-10 : type.isBF16() ? 0x1p-7 : 0;
  if (isa<arith::TruncFOp, arith::SIToFPOp, arith::UIToFPOp>(op))
    return {0, rounding + (type.isF32() ? 1.2e-7 : 0)};
  if (isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp, arith::BitcastOp, math::AbsFOp,
          math::CeilOp, math::CopySignOp, math::FloorOp, math::RoundOp, math::RoundEvenOp, math::TruncOp>(op))
    return {};
  if (isa<math::PowFOp>(op)) // error of y·log2(x), which is below 128
    return {1e-7, 1e-5 + rounding};
  bool isFunction = isa<math::MathDialect>(op->getDialect()) && !isa<math::FmaOp>(op);
  return isFunction ? Tolerance{1e-7, 1e-6 + rounding} : Tolerance{1e-7, 1.2e-7 + rounding};
}

Tolerance nstf::reference::tensorTolerance(Operation *op) {
  Tolerance sum;
  op->walk([&](Operation *inner) {
    if (inner->getNumResults() != 1 || !isa<arith::ArithDialect, math::MathDialect>(inner->getDialect()))
      return;
    Tolerance one = scalarTolerance(inner);
    sum.absolute += one.absolute;
    sum.relative += one.relative;
  });
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (generic && generic.getNumReductionLoops() > 0 && sum.relative > 0) {
    sum.absolute += 5e-7;
    sum.relative += 4e-6;
  }
  return sum;
}
