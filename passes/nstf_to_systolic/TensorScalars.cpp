// Computes the scalar ops of tensor code on tiles (TensorPull.h).
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "passes/nstf_to_systolic/TensorPull.h"

using namespace mlir;
using namespace nstf;

Value TensorPull::getSize(int64_t size) {
  return ShapedType::isDynamic(size) ? tiles.splat(options.tokens) : tiles.constant(size);
}

Value TensorPull::round(Value tile, Type type) {
  if (!type.isF16() && !type.isBF16())
    return tile;
  auto wide = cast<RankedTensorType>(tile.getType());
  auto narrow = RankedTensorType::get(wide.getShape(), type, wide.getEncoding());
  Value rounded = arith::TruncFOp::create(builder, tiles.loc, narrow, tile);
  return arith::ExtFOp::create(builder, tiles.loc, wide, rounded);
}

Value TensorPull::computeFoldResult(OpFoldResult scalar, ScalarScope &scope) {
  if (std::optional<int64_t> constant = getConstantIntValue(scalar))
    return tiles.constant(*constant);
  return compute(cast<Value>(scalar), scope);
}

Value TensorPull::compute(Value scalar, ScalarScope &scope) {
  if (Value value = scope.known.lookup(scalar))
    return value;
  Value result;
  if (auto argument = dyn_cast<BlockArgument>(scalar)) {
    result = scope.argument(argument);
  } else if (auto index = scalar.getDefiningOp<linalg::IndexOp>()) {
    result = scope.loop(index.getDim());
  } else if (auto constant = scalar.getDefiningOp<arith::ConstantOp>()) {
    result = tiles.constant(cast<TypedAttr>(constant.getValue()));
  } else if (auto dim = scalar.getDefiningOp<tensor::DimOp>()) {
    std::optional<int64_t> index = dim.getConstantIndex();
    auto type = cast<RankedTensorType>(dim.getSource().getType());
    if (!index || *index >= type.getRank()) {
      dim.emitOpError("expected a constant dimension of the tensor");
      return {};
    }
    result = getSize(type.getDimSize(*index));
  } else {
    Operation *op = scalar.getDefiningOp();
    SmallVector<Value> operands;
    auto extraction = dyn_cast<tensor::ExtractOp>(op);
    for (Value operand : extraction ? ValueRange(extraction.getIndices()) : ValueRange(op->getOperands())) {
      operands.push_back(compute(operand, scope));
      if (!operands.back())
        return {};
    }
    if (extraction) {
      result = extract(extraction.getTensor(), operands);
    } else if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
      // All operands are passed as symbols, dimensions first, because unlike loop indices they may be negative.
      AffineMap map = apply.getAffineMap();
      SmallVector<AffineExpr> dims, symbols;
      for (unsigned i = 0; i < map.getNumInputs(); ++i)
        (i < map.getNumDims() ? dims : symbols).push_back(getAffineSymbolExpr(i, op->getContext()));
      result = tiles.apply(map.getResult(0).replaceDimsAndSymbols(dims, symbols), {},
                           [&](unsigned i) { return operands[i]; });
    } else {
      result = computeFunction(op, operands);
    }
  }
  if (result)
    scope.known[scalar] = result;
  return result;
}

/// Computes an arith or math op on tiles. Tiles hold indices as i32, and f16 and bf16 as f32: a conversion between an
/// index and i32 is dropped, and the result of an op of 16-bit type is rounded to it.
Value TensorPull::computeFunction(Operation *op, ArrayRef<Value> operands) {
  if (op->getNumResults() != 1 || !op->hasTrait<OpTrait::Elementwise>()) {
    op->emitOpError("expected an arith or math op that the generic kernel template computes");
    return {};
  }
  Type type = op->getResult(0).getType();
  RankedTensorType tile = tiles.getType(type);
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtFOp, arith::TruncFOp>(op)) {
    Type from = cast<RankedTensorType>(operands[0].getType()).getElementType();
    if (from == tile.getElementType())
      return round(operands[0], type);
    // A conversion between i1 and index.
    if (from.isInteger(1) && isa<arith::IndexCastOp>(op))
      return arith::ExtSIOp::create(builder, tiles.loc, tile, operands[0]);
    if (from.isInteger(1))
      return arith::ExtUIOp::create(builder, tiles.loc, tile, operands[0]);
    return arith::TruncIOp::create(builder, tiles.loc, tile, operands[0]);
  }
  if (isa<math::SinOp, math::CosOp>(op))
    return round(turn(op, operands[0]), type);
  if (isa<math::PowFOp>(op))
    return round(power(operands[0], operands[1]), type);
  IRMapping mapping;
  mapping.map(op->getOperands(), operands);
  Operation *copy = builder.clone(*op, mapping);
  copy->setLoc(tiles.loc);
  copy->getResult(0).setType(tile);
  return round(copy->getResult(0), type);
}

/// sin or cos. The instructions take a fraction of a turn, and lose the digits that whole turns occupy. So whole turns
/// are subtracted first. 2π is split in three parts of few bits, which makes the subtraction exact for up to 2^12 turns
/// (Cody and Waite, Software Manual for the Elementary Functions, 1980).
Value TensorPull::turn(Operation *op, Value x) {
  Type f32 = builder.getF32Type();
  auto number = [&](double value) { return tiles.constant(builder.getF32FloatAttr(float(value))); };
  Value turns = math::RoundEvenOp::create(
      builder, tiles.loc, arith::MulFOp::create(builder, tiles.loc, x, number(0.15915494309189535)).getResult());
  Value back = arith::NegFOp::create(builder, tiles.loc, turns);
  for (double part : {6.28125, 0.0019350051879882812, 3.019916050561733e-07})
    x = math::FmaOp::create(builder, tiles.loc, back, number(part), x);
  return isa<math::SinOp>(op) ? Value(math::SinOp::create(builder, tiles.loc, tiles.getType(f32), x))
                              : Value(math::CosOp::create(builder, tiles.loc, tiles.getType(f32), x));
}

/// x to the power of y. The chips compute exp2(y·log2(x)), which is defined for positive x only.
Value TensorPull::power(Value x, Value y) {
  auto number = [&](double value) { return tiles.constant(builder.getF32FloatAttr(float(value))); };
  auto is = [&](arith::CmpFPredicate predicate, Value left, Value right) -> Value {
    return arith::CmpFOp::create(builder, tiles.loc, predicate, left, right);
  };
  auto isWhole = [&](Value value) {
    return is(arith::CmpFPredicate::OEQ, math::FloorOp::create(builder, tiles.loc, value), value);
  };
  Value zero = number(0), one = number(1);
  Value size = math::PowFOp::create(builder, tiles.loc, math::AbsFOp::create(builder, tiles.loc, x).getResult(), y);
  Value half = arith::MulFOp::create(builder, tiles.loc, y, number(0.5));
  Value negative = arith::NegFOp::create(builder, tiles.loc, size);
  Value ofNegative = tiles.select(isWhole(half), size, tiles.select(isWhole(y), negative, number(NAN)));
  Value result = tiles.select(is(arith::CmpFPredicate::OLT, x, zero), ofNegative, size);
  return tiles.select(is(arith::CmpFPredicate::OEQ, y, zero), one, result);
}

/// An index outside the tensor gives 0, even if its row-major address falls inside the buffer.
Value TensorPull::extract(Value tensor, ArrayRef<Value> indices) {
  auto type = cast<RankedTensorType>(tensor.getType());
  TensorPlace place{SmallVector<Value>(indices), {}};
  Value isInside;
  for (auto [dim, index] : llvm::enumerate(indices))
    isInside = tiles.both(isInside, tiles.lessThan(index, getSize(type.getDimSize(dim))));
  if (indices.empty())
    place.linear = tiles.constant(0);
  Value value = pull(tensor, place);
  return value ? tiles.select(isInside, value, tiles.zero(type.getElementType())) : Value();
}
