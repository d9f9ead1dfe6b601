// systolic-expand-math: expands tanh and erf to arithmetic and exp (Passes.td).
//
// The chips have no instructions for them, and upstream's lowering would call a device library. Both functions are odd,
// so they are computed for t = |x| and take the sign of x, which covers zeros. Near 0 a polynomial is used, elsewhere a
// form of exp that converges to 1, also at infinity. Polynomials are minimax (Remez, 40 digits), in Horner's form with
// fused multiply-adds. Max errors against float64: erf 7.8e-8, tanh 7.9e-8 and 1.5e-7 relative.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Remarks.h"
#include "passes/systolic/Passes.h"
#include "passes/systolic/Preconditions.h"

namespace nstf::systolic {
#define GEN_PASS_DEF_EXPANDMATHPASS
#include "passes/systolic/Passes.h.inc"
} // namespace nstf::systolic

using namespace mlir;
using namespace nstf::systolic;

namespace {

/// Emits arithmetic on f32 or tiles of f32 in place of one op.
class Expander {
public:
  explicit Expander(Operation *op) : builder(op), loc(op->getLoc()), type(op->getResult(0).getType()) {}

  /// t < 0.625: t + t·s·p(s) for s = t², relative error 4.4e-9; else 1 - 2/(exp(2t) + 1).
  Value tanh(Value x) {
    Value t = math::AbsFOp::create(builder, loc, x), s = mul(t, t);
    Value p = polynomial(s, {-0.333332819421, 0.133314421999, -0.0537397151849, 0.0206390874643, -0.00570498715756});
    Value near = fma(mul(p, s), t, t);
    Value far = sub(constant(1), div(constant(2), add(exp(add(t, t)), constant(1))));
    return withSign(selectBelow(t, 0.625, near, far), x);
  }

  /// t < 1: t + t·p(t²), relative error 1.2e-9; else 1 - exp(t·q(t) + c - t), where the exponent approximates
  /// log(erfc(t)) on 1 … 4, with an error of 1.6e-8 after exp. Beyond 4 the exponent keeps falling, because its leading
  /// coefficient is negative.
  Value erf(Value x) {
    Value t = math::AbsFOp::create(builder, loc, x);
    Value p = polynomial(mul(t, t), {0.128379165727, -0.376126258243, 0.112835851489, -0.0268538119449,
                                     0.00518832770198, -0.000801019375646, 7.85386175855e-5});
    Value near = fma(p, t, t);
    Value q = polynomial(
        t, {-0.00267172770585, -0.117438391215, -0.654489076642, -0.0886340842042, 0.0147780894204, -0.00115041805338});
    Value far = sub(constant(1), fastExp(sub(q, t))); // 1 - exp rounds its error away
    return withSign(selectBelow(t, 1, near, far), x);
  }

private:
  Value constant(double value) {
    TypedAttr attribute = builder.getFloatAttr(getElementTypeOrSelf(type), value);
    if (auto tile = dyn_cast<RankedTensorType>(type))
      attribute = DenseElementsAttr::get(tile, Attribute(attribute));
    return arith::ConstantOp::create(builder, loc, attribute);
  }

  /// Σ coefficients[i]·x^i
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value result = constant(coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      result = fma(result, x, constant(coefficient));
    return result;
  }

  Value add(Value a, Value b) { return arith::AddFOp::create(builder, loc, a, b); }
  Value sub(Value a, Value b) { return arith::SubFOp::create(builder, loc, a, b); }
  Value mul(Value a, Value b) { return arith::MulFOp::create(builder, loc, a, b); }
  Value div(Value a, Value b) { return arith::DivFOp::create(builder, loc, a, b); }
  Value fma(Value a, Value b, Value c) { return math::FmaOp::create(builder, loc, a, b, c); }
  Value exp(Value x) { return math::ExpOp::create(builder, loc, x); }
  /// exp by `x` times log2(e), then exp2, without the steps that keep denormal results exact.
  Value fastExp(Value x) { return math::ExpOp::create(builder, loc, x, arith::FastMathFlags::afn); }
  Value withSign(Value magnitude, Value sign) { return math::CopySignOp::create(builder, loc, magnitude, sign); }

  /// A NaN takes `far`, which keeps it.
  Value selectBelow(Value t, double limit, Value near, Value far) {
    Value isBelow = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, t, constant(limit));
    return arith::SelectOp::create(builder, loc, isBelow, near, far);
  }

  OpBuilder builder;
  Location loc;
  Type type;
};

struct ExpandMathPass : nstf::systolic::impl::ExpandMathPassBase<ExpandMathPass> {
  using Base::Base;

  void runOnOperation() override {
    if (failed(requireInlined(getOperation())))
      return signalPassFailure();
    SmallVector<Operation *> functions;
    getOperation().walk([&](Operation *op) {
      if (isa<math::TanhOp, math::ErfOp>(op))
        functions.push_back(op);
    });
    for (Operation *op : functions) {
      Type element = getElementTypeOrSelf(op->getResult(0).getType());
      if (!element.isF32()) {
        op->emitOpError() << "expected numbers of f32 but got " << element;
        return signalPassFailure();
      }
      Expander expander(op);
      Value x = op->getOperand(0);
      op->getResult(0).replaceAllUsesWith(isa<math::TanhOp>(op) ? expander.tanh(x) : expander.erf(x));
      op->erase();
    }
    if (!functions.empty())
      remark::passed(
          getOperation().getLoc(),
          remark::RemarkOpts::name("ExpandMath").category(getArgument()).function(getOperation().getSymName()))
          << "functions became arithmetic" << remark::metric("functions", int64_t(functions.size()));
  }
};

} // namespace
