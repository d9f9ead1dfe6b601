// Index arithmetic on tiles (TensorTiles.h). Folding constants here keeps code short that does not depend on data.
#include "passes/nstf_to_systolic/TensorTiles.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace nstf;

static std::optional<int64_t> getConstant(Value value) {
  DenseIntElementsAttr splat;
  if (matchPattern(value, m_Constant(&splat)) && splat.isSplat())
    return splat.getSplatValue<APInt>().getSExtValue();
  return std::nullopt;
}

RankedTensorType TileShape::getType(Type scalar) const {
  Type element = scalar.isIndex()         ? Type(builder.getI32Type())
                 : isa<FloatType>(scalar) ? Type(builder.getF32Type())
                                          : scalar;
  return RankedTensorType::get(tile.getShape(), element, tile.getEncoding());
}

Value TileShape::constant(int64_t value) const { return constant(builder.getI32IntegerAttr(int32_t(value))); }

Value TileShape::constant(TypedAttr scalar) const {
  RankedTensorType type = getType(scalar.getType());
  Attribute element = scalar;
  if (auto number = dyn_cast<IntegerAttr>(scalar); number && number.getType().isIndex())
    element = builder.getI32IntegerAttr(int32_t(number.getInt()));
  if (auto number = dyn_cast<FloatAttr>(scalar); number && !number.getType().isF32())
    element = builder.getF32FloatAttr(float(number.getValueAsDouble()));
  return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, element));
}

Value TileShape::zero(Type scalar) const {
  RankedTensorType type = getType(scalar);
  return arith::ConstantOp::create(builder, loc, cast<TypedAttr>(builder.getZeroAttr(type)));
}

Value TileShape::splat(Value scalar) const {
  if (scalar.getType().isIndex())
    scalar = arith::IndexCastOp::create(builder, loc, builder.getI32Type(), scalar);
  return systolic::BroadcastOp::create(builder, loc, getType(scalar.getType()), scalar, 0);
}

Value TileShape::iota(int64_t dim) const { return systolic::IotaOp::create(builder, loc, getType(getI32()), dim); }

Value TileShape::add(Value left, Value right) const {
  auto a = getConstant(left), b = getConstant(right);
  if (a && b)
    return constant(*a + *b);
  return a == 0 ? right : b == 0 ? left : Value(arith::AddIOp::create(builder, loc, left, right));
}

Value TileShape::sub(Value left, Value right) const {
  auto a = getConstant(left), b = getConstant(right);
  if (a && b)
    return constant(*a - *b);
  return b == 0 ? left : Value(arith::SubIOp::create(builder, loc, left, right));
}

Value TileShape::mul(Value left, Value right) const {
  auto a = getConstant(left), b = getConstant(right);
  if (a && b)
    return constant(*a * *b);
  if (a == 0 || b == 0)
    return constant(0);
  return a == 1 ? right : b == 1 ? left : Value(arith::MulIOp::create(builder, loc, left, right));
}

Value TileShape::mul(Value left, int64_t right) const { return mul(left, constant(right)); }

Value TileShape::div(Value left, int64_t right) const {
  if (right == 1 || getConstant(left) == 0)
    return left;
  return arith::DivUIOp::create(builder, loc, left, constant(right));
}

Value TileShape::rem(Value left, int64_t right) const {
  if (right == 1)
    return constant(0);
  return getConstant(left) == 0 ? left : Value(arith::RemUIOp::create(builder, loc, left, constant(right)));
}

Value TileShape::lessThan(Value left, Value right) const {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, left, right);
}

Value TileShape::equal(Value left, Value right) const {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, left, right);
}

Value TileShape::both(Value left, Value right) const {
  if (!left || !right)
    return left ? left : right;
  return arith::AndIOp::create(builder, loc, left, right);
}

Value TileShape::select(Value condition, Value yes, Value no) const {
  return condition ? Value(arith::SelectOp::create(builder, loc, condition, yes, no)) : yes;
}

/// Whether an expression is at least 0 for all dimensions that are.
static bool isNatural(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue() >= 0;
  if (auto binary = dyn_cast<AffineBinaryOpExpr>(expr))
    return isNatural(binary.getLHS()) && isNatural(binary.getRHS());
  return isa<AffineDimExpr>(expr); // a symbol may be negative
}

Value TileShape::apply(AffineExpr expr, llvm::function_ref<Value(unsigned)> dims,
                       llvm::function_ref<Value(unsigned)> symbols) const {
  if (auto value = dyn_cast<AffineConstantExpr>(expr))
    return constant(value.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims(dim.getPosition());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols(symbol.getPosition());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value left = apply(binary.getLHS(), dims, symbols);
  if (expr.getKind() == AffineExprKind::Add)
    return add(left, apply(binary.getRHS(), dims, symbols));
  if (expr.getKind() == AffineExprKind::Mul)
    return mul(left, apply(binary.getRHS(), dims, symbols));
  // The divisor of mod, floordiv and ceildiv is a constant.
  int64_t divisor = cast<AffineConstantExpr>(binary.getRHS()).getValue();
  if (expr.getKind() == AffineExprKind::CeilDiv)
    left = add(left, constant(divisor - 1));
  bool isMod = expr.getKind() == AffineExprKind::Mod;
  if (isNatural(binary.getLHS()))
    return isMod ? rem(left, divisor) : div(left, divisor);
  Value by = constant(divisor), remainder = arith::RemSIOp::create(builder, loc, left, by);
  Value isNegative = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, remainder, constant(0));
  remainder = select(isNegative, add(remainder, by), remainder);
  return isMod ? remainder : Value(arith::DivSIOp::create(builder, loc, sub(left, remainder), by));
}

// Indices of tensors

bool nstf::hasLinear(RankedTensorType tensor) {
  return tensor.getRank() == 0 || !llvm::is_contained(tensor.getShape().drop_front(), ShapedType::kDynamic);
}

Value nstf::getCoordinate(const TileShape &tiles, const TensorPlace &place, RankedTensorType tensor, int64_t dim) {
  if (tensor.getDimSize(dim) == 1)
    return tiles.constant(0);
  if (!place.at.empty())
    return place.at[dim];
  int64_t stride = 1;
  for (int64_t size : tensor.getShape().drop_front(dim + 1))
    stride *= size;
  Value quotient = tiles.div(place.linear, stride);
  bool isFirst = llvm::all_of(tensor.getShape().take_front(dim), [](int64_t size) { return size == 1; });
  return isFirst ? quotient : tiles.rem(quotient, tensor.getDimSize(dim));
}

SmallVector<Value> nstf::getCoordinates(const TileShape &tiles, const TensorPlace &place, RankedTensorType tensor) {
  SmallVector<Value> coordinates;
  for (int64_t dim = 0; dim < tensor.getRank(); ++dim)
    coordinates.push_back(getCoordinate(tiles, place, tensor, dim));
  return coordinates;
}

Value nstf::getLinear(const TileShape &tiles, const TensorPlace &place, RankedTensorType tensor) {
  if (place.linear)
    return place.linear;
  Value linear = tiles.constant(0);
  int64_t stride = 1;
  for (int64_t dim = tensor.getRank(); dim-- > 0;) {
    if (tensor.getDimSize(dim) != 1)
      linear = tiles.add(tiles.mul(place.at[dim], stride), linear);
    stride *= dim == 0 ? 1 : tensor.getDimSize(dim);
  }
  return linear;
}
