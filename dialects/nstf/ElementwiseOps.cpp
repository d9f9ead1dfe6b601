// Result types and folders of the elementwise operations, and their computation on a tile. Constraint numbers are those
// of ElementwiseOps.td.
#include "dialects/nstf/NSTF.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>
#include <numbers>

using namespace mlir;
using namespace nstf;

namespace {

/// Emits arithmetic on tiles of one type.
struct TileCode {
  OpBuilder &builder;
  Location loc;
  RankedTensorType type;

  Value constant(double value) {
    Attribute number = builder.getFloatAttr(type.getElementType(), value);
    return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, number));
  }
  Value add(Value left, Value right) { return arith::AddFOp::create(builder, loc, left, right); }
  Value mul(Value left, Value right) { return arith::MulFOp::create(builder, loc, left, right); }
  Value above20(Value x) { return arith::MaxNumFOp::create(builder, loc, x, constant(-20)); }

  /// x / (1 + exp(-x)); exp overflows to infinity for very negative x, and the quotient is -0.
  Value silu(Value x) {
    Value negated = arith::NegFOp::create(builder, loc, x);
    Value exponential = math::ExpOp::create(builder, loc, negated);
    Value denominator = add(exponential, constant(1));
    return arith::DivFOp::create(builder, loc, x, denominator);
  }

  /// x/2·(1 + erf(x/√2)). x is clamped to at least -20, where the factor is 0 already, so that -infinity does not give
  /// 0·∞.
  Value geluErf(Value x) {
    Value erf = math::ErfOp::create(builder, loc, mul(x, constant(1 / std::numbers::sqrt2)));
    return mul(mul(above20(x), constant(0.5)), add(erf, constant(1)));
  }

  /// x/2·(1 + tanh(t)) is x / (1 + exp(-2t)), and t = x·(c + 0.044715·c·x²) for c = √(2/π).
  Value geluTanh(Value x) {
    const double c = -2 * std::sqrt(2 / std::numbers::pi);
    Value square = mul(x, x);
    Value factor = math::FmaOp::create(builder, loc, square, constant(0.044715 * c), constant(c));
    Value denominator = add(math::ExpOp::create(builder, loc, mul(x, factor)), constant(1));
    return arith::DivFOp::create(builder, loc, above20(x), denominator);
  }

  /// A comparison and a select: maximumf would be three instructions, and the select also passes NaN.
  Value relu(Value x) {
    Value zero = constant(0);
    Value isBelow = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, x, zero);
    return arith::SelectOp::create(builder, loc, isBelow, zero, x);
  }
};

TileCode onTile(OpBuilder &builder, Location loc, Value tile) {
  return {builder, loc, cast<RankedTensorType>(tile.getType())};
}

} // namespace

// ConvertOp

LogicalResult ConvertOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ConvertOp::Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  // convert_c2
  auto x = cast<RankedTensorType>(adaptor.getX().getType());
  types.push_back(RankedTensorType::get(x.getShape(), adaptor.getType()));
  return success();
}

OpFoldResult ConvertOp::fold(FoldAdaptor) {
  return getX().getType() == getResult().getType() ? getX() : OpFoldResult();
}

/// Rounds to the type and converts back, because tiles are f32.
Value ConvertOp::computeOnTile(OpBuilder &builder, Location loc, ValueRange operands) {
  if (getType().isF32())
    return operands[0];
  auto tile = cast<RankedTensorType>(operands[0].getType());
  Value rounded = arith::TruncFOp::create(builder, loc, tile.clone(getType()), operands[0]);
  return arith::ExtFOp::create(builder, loc, tile, rounded);
}

// The others

Value SiluOp::computeOnTile(OpBuilder &builder, Location loc, ValueRange operands) {
  return onTile(builder, loc, operands[0]).silu(operands[0]);
}

Value GeluOp::computeOnTile(OpBuilder &builder, Location loc, ValueRange operands) {
  TileCode code = onTile(builder, loc, operands[0]);
  return getTanh() ? code.geluTanh(operands[0]) : code.geluErf(operands[0]);
}

Value ReluOp::computeOnTile(OpBuilder &builder, Location loc, ValueRange operands) {
  return onTile(builder, loc, operands[0]).relu(operands[0]);
}

Value TanhOp::computeOnTile(OpBuilder &builder, Location loc, ValueRange operands) {
  return math::TanhOp::create(builder, loc, operands[0]);
}

Value SwigluOp::computeOnTile(OpBuilder &builder, Location loc, ValueRange operands) {
  TileCode code = onTile(builder, loc, operands[0]);
  return code.mul(code.silu(operands[0]), operands[1]);
}

Value AddOp::computeOnTile(OpBuilder &builder, Location loc, ValueRange operands) {
  return arith::AddFOp::create(builder, loc, operands[0], operands[1]);
}

Value MulOp::computeOnTile(OpBuilder &builder, Location loc, ValueRange operands) {
  return arith::MulFOp::create(builder, loc, operands[0], operands[1]);
}
