// For each tensor op, the elements of its operands that an element of its result needs (TensorPull.h).
#include "passes/nstf_to_systolic/TensorPull.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace nstf;

static RankedTensorType getTensor(Value value) { return cast<RankedTensorType>(value.getType()); }

Value TensorPull::pull(Value tensor, const TensorPlace &place) {
  for (auto &[other, where, value] : llvm::reverse(known))
    if (other == tensor && where == place)
      return value;
  Value value = pullUnknown(tensor, place);
  if (value)
    known.push_back({tensor, place, value});
  return value;
}

Value TensorPull::pullUnknown(Value tensor, const TensorPlace &place) {
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return load(argument, place);
  return llvm::TypeSwitch<Operation *, Value>(tensor.getDefiningOp())
      .Case<linalg::GenericOp>(
          [&](linalg::GenericOp op) { return pullGeneric(op, cast<OpResult>(tensor).getResultNumber(), place); })
      // An empty tensor is read only where the value does not matter; 0 will do.
      .Case<tensor::EmptyOp>([&](tensor::EmptyOp op) { return tiles.zero(op.getType().getElementType()); })
      .Case<tensor::SplatOp>([&](tensor::SplatOp op) {
        ScalarScope scope;
        return compute(op.getInput(), scope);
      })
      .Case<arith::ConstantOp>([&](arith::ConstantOp op) { return pullConstant(op, place); })
      .Case<tensor::FromElementsOp>([&](tensor::FromElementsOp op) { return pullElements(op, place); })
      .Case<tensor::ExtractSliceOp>([&](tensor::ExtractSliceOp op) { return pullExtractSlice(op, place); })
      .Case<tensor::InsertSliceOp>([&](tensor::InsertSliceOp op) { return pullInsertSlice(op, place); })
      .Case<tensor::CollapseShapeOp>([&](tensor::CollapseShapeOp op) { return pullCollapse(op, place); })
      .Case<tensor::ExpandShapeOp>([&](tensor::ExpandShapeOp op) { return pullExpand(op, place); })
      .Case<tensor::ConcatOp>([&](tensor::ConcatOp op) { return pullConcat(op, place); })
      .Case<tensor::PadOp>([&](tensor::PadOp op) { return pullPad(op, place); })
      .Case<tensor::GatherOp>([&](tensor::GatherOp op) { return pullGather(op, place); })
      .Case<tensor::GenerateOp>([&](tensor::GenerateOp op) { return pullGenerate(op, place); })
      .Default([](Operation *op) {
        op->emitOpError("expected tensor code with a meaning on tiles");
        return Value();
      });
}

Value TensorPull::load(BlockArgument argument, const TensorPlace &place) {
  RankedTensorType type = getTensor(argument);
  Value buffer = options.buffers.lookup(argument), linear = getLinear(tiles, place, type);
  RankedTensorType result = tiles.getType(type.getElementType());
  if (linear == options.linear) // the elements are consecutive, so the load is wide
    return systolic::LoadOp::create(builder, tiles.loc, result, buffer, ValueRange{options.start}, ValueRange(),
                                    Value(), Value());
  Value zero = arith::ConstantIndexOp::create(builder, tiles.loc, 0);
  return systolic::LoadOp::create(builder, tiles.loc, result, buffer, ValueRange{zero}, ValueRange(), Value(), Value(),
                                  linear, /*when=*/Value());
}

Value TensorPull::pullConstant(arith::ConstantOp op, const TensorPlace &place) {
  auto elements = cast<DenseElementsAttr>(op.getValue());
  if (elements.isSplat())
    return tiles.constant(elements.getSplatValue<TypedAttr>());
  auto values = llvm::to_vector(elements.getValues<TypedAttr>());
  Value result = tiles.constant(values.back());
  Value linear = getLinear(tiles, place, getTensor(op));
  for (size_t i = values.size() - 1; i-- > 0;)
    result = tiles.select(tiles.equal(linear, tiles.constant(i)), tiles.constant(values[i]), result);
  return result;
}

Value TensorPull::pullElements(tensor::FromElementsOp op, const TensorPlace &place) {
  Value linear = getLinear(tiles, place, op.getType()), result;
  ScalarScope scope;
  for (size_t i = op.getElements().size(); i-- > 0;) {
    Value element = compute(op.getElements()[i], scope);
    if (!element)
      return {};
    result = result ? tiles.select(tiles.equal(linear, tiles.constant(i)), element, result) : element;
  }
  return result;
}

Value TensorPull::pullExtractSlice(tensor::ExtractSliceOp op, const TensorPlace &place) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  TensorPlace source;
  ScalarScope scope;
  int64_t next = 0;
  for (int64_t dim = 0; dim < op.getSourceType().getRank(); ++dim) {
    Value at = computeFoldResult(op.getMixedOffsets()[dim], scope);
    Value stride = computeFoldResult(op.getMixedStrides()[dim], scope);
    if (!at || !stride)
      return {};
    if (!dropped.test(dim))
      at = tiles.add(at, tiles.mul(getCoordinate(tiles, place, op.getType(), next++), stride));
    source.at.push_back(at);
  }
  return pull(op.getSource(), source);
}

Value TensorPull::pullInsertSlice(tensor::InsertSliceOp op, const TensorPlace &place) {
  llvm::SmallBitVector dropped = op.getDroppedDims();
  TensorPlace source;
  ScalarScope scope;
  Value isInside;
  for (int64_t dim = 0; dim < op.getType().getRank(); ++dim) {
    Value offset = computeFoldResult(op.getMixedOffsets()[dim], scope);
    Value size = computeFoldResult(op.getMixedSizes()[dim], scope);
    Value stride = computeFoldResult(op.getMixedStrides()[dim], scope);
    if (!offset || !size || !stride)
      return {};
    // As an unsigned number, a coordinate below the offset has a huge distance, so one comparison covers both ends.
    Value distance = tiles.sub(getCoordinate(tiles, place, op.getType(), dim), offset), at = distance;
    if (getConstantIntValue(op.getMixedStrides()[dim]) != 1) {
      at = arith::DivUIOp::create(builder, tiles.loc, distance, stride);
      isInside = tiles.both(isInside, tiles.equal(tiles.mul(at, stride), distance));
    }
    isInside = tiles.both(isInside, tiles.lessThan(at, size));
    if (!dropped.test(dim))
      source.at.push_back(at);
  }
  Value inside = pull(op.getSource(), source), outside = inside ? pull(op.getDest(), place) : Value();
  return outside ? tiles.select(isInside, inside, outside) : Value();
}

Value TensorPull::pullCollapse(tensor::CollapseShapeOp op, const TensorPlace &place) {
  RankedTensorType type = op.getSrcType();
  if (place.linear && hasLinear(type))
    return pull(op.getSrc(), {{}, place.linear});
  TensorPlace source;
  source.at.resize(type.getRank());
  for (auto [i, group] : llvm::enumerate(op.getReassociationIndices())) {
    Value rest = getCoordinate(tiles, place, op.getResultType(), i);
    for (int64_t dim : llvm::reverse(group)) {
      int64_t size = type.getDimSize(dim);
      // Dimensions merged with a `?` are all 1. The dynamic dimension, or else the first one, takes the rest of the
      // index.
      bool takesAll = ShapedType::isDynamic(size) || dim == group.front();
      source.at[dim] = size == 1 ? tiles.constant(0) : takesAll ? rest : tiles.rem(rest, size);
      if (!takesAll)
        rest = tiles.div(rest, size);
    }
  }
  if (type.getRank() == 0)
    source.linear = tiles.constant(0);
  return pull(op.getSrc(), source);
}

Value TensorPull::pullExpand(tensor::ExpandShapeOp op, const TensorPlace &place) {
  RankedTensorType type = op.getResultType();
  if (place.linear && hasLinear(op.getSrcType()) && hasLinear(type))
    return pull(op.getSrc(), {{}, place.linear});
  TensorPlace source;
  for (ArrayRef<int64_t> group : op.getReassociationIndices()) {
    Value at = tiles.constant(0);
    int64_t stride = 1;
    for (int64_t dim : llvm::reverse(group)) {
      at = tiles.add(tiles.mul(getCoordinate(tiles, place, type, dim), stride), at);
      if (!type.isDynamicDim(dim))
        stride *= type.getDimSize(dim);
    }
    source.at.push_back(at);
  }
  if (source.at.empty())
    source.linear = tiles.constant(0);
  return pull(op.getSrc(), source);
}

Value TensorPull::pullConcat(tensor::ConcatOp op, const TensorPlace &place) {
  SmallVector<Value> coordinates = getCoordinates(tiles, place, op.getResultType());
  int64_t dim = op.getDim(), end = op.getResultType().getDimSize(dim);
  Value at = coordinates[dim], result;
  for (Value input : llvm::reverse(op.getInputs())) {
    int64_t begin = end - getTensor(input).getDimSize(dim);
    TensorPlace source{coordinates, {}};
    source.at[dim] = tiles.sub(at, tiles.constant(begin));
    Value value = pull(input, source);
    if (!value)
      return {};
    result = result ? tiles.select(tiles.lessThan(at, tiles.constant(end)), value, result) : value;
    end = begin;
  }
  return result;
}

Value TensorPull::pullPad(tensor::PadOp op, const TensorPlace &place) {
  SmallVector<Value> coordinates = getCoordinates(tiles, place, op.getResultType());
  TensorPlace source;
  Value isInside;
  for (auto [dim, at] : llvm::enumerate(coordinates)) {
    int64_t low = op.getStaticLow()[dim], high = op.getStaticHigh()[dim];
    source.at.push_back(tiles.sub(at, tiles.constant(low)));
    if (low != 0 || high != 0)
      isInside = tiles.both(isInside, tiles.lessThan(source.at.back(), getSize(op.getSourceType().getDimSize(dim))));
  }
  Value inside = pull(op.getSource(), source);
  ScalarScope scope;
  scope.argument = [&](BlockArgument argument) { return coordinates[argument.getArgNumber()]; };
  Value padding = inside ? compute(cast<tensor::YieldOp>(op.getBody()->getTerminator()).getValue(), scope) : Value();
  return padding ? tiles.select(isInside, inside, padding) : Value();
}

/// result[b…, s…] = source[…]: gathered dimensions of the source are indexed by indices[b…], the others by s…, where
/// the gathered ones are 1 or left out.
Value TensorPull::pullGather(tensor::GatherOp op, const TensorPlace &place) {
  int64_t batch = op.getIndicesType().getRank() - 1, rank = op.getSourceType().getRank();
  SmallVector<Value> coordinates = getCoordinates(tiles, place, op.getResultType());
  bool keepsDims = op.getResultType().getRank() == batch + rank;
  SmallVector<Value> source(rank);
  for (auto [i, dim] : llvm::enumerate(op.getGatherDims())) {
    TensorPlace where{SmallVector<Value>(ArrayRef(coordinates).take_front(batch)), {}};
    where.at.push_back(tiles.constant(i));
    source[dim] = pull(op.getIndices(), where);
    if (!source[dim])
      return {};
  }
  int64_t next = batch;
  for (int64_t dim = 0; dim < rank; ++dim) {
    bool isGathered = bool(source[dim]);
    if (!isGathered)
      source[dim] = coordinates[next];
    next += keepsDims || !isGathered;
  }
  return extract(op.getSource(), source);
}

Value TensorPull::pullGenerate(tensor::GenerateOp op, const TensorPlace &place) {
  SmallVector<Value> coordinates = getCoordinates(tiles, place, cast<RankedTensorType>(op.getType()));
  ScalarScope scope;
  scope.argument = [&](BlockArgument argument) { return coordinates[argument.getArgNumber()]; };
  return compute(cast<tensor::YieldOp>(op.getBody().front().getTerminator()).getValue(), scope);
}
