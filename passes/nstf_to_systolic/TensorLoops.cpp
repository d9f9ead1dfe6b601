// Computes linalg.generic on tiles: bodies and reductions (TensorPull.h).
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/nstf_to_systolic/TensorPull.h"

using namespace mlir;
using namespace nstf;

/// The indices of a linalg.generic's loops. Those of parallel loops are coordinates of the result, computed on demand;
/// those of reduction loops are set by the caller.
struct TensorPull::Loops {
  const TileShape &tiles;
  TensorPlace place;     ///< of the tile in the result
  RankedTensorType type; ///< type of the result
  AffineMap map;         ///< indexing map of the result
  mutable SmallVector<Value> values;

  Loops(const TileShape &tiles, TensorPlace place, RankedTensorType type, AffineMap map)
      : tiles(tiles), place(std::move(place)), type(type), map(map), values(map.getNumDims()) {}

  Value get(unsigned loop) const {
    if (!values[loop])
      for (auto [i, expr] : llvm::enumerate(map.getResults()))
        if (expr == getAffineDimExpr(loop, map.getContext()))
          values[loop] = getCoordinate(tiles, place, type, i);
    if (!values[loop]) // the caller asks for a reduction's index outside the loop
      values[loop] = tiles.constant(0);
    return values[loop];
  }
};

TensorPlace TensorPull::getOperandPlace(linalg::GenericOp op, OpOperand &operand, const Loops &loops) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  auto type = cast<RankedTensorType>(operand.get().getType());
  // The operand is indexed like the result, so its row-major index is the same.
  if (loops.type && map == loops.map && type.getShape() == loops.type.getShape())
    return loops.place;
  TensorPlace place;
  for (auto [expr, size] : llvm::zip_equal(map.getResults(), type.getShape()))
    place.at.push_back(size == 1 ? tiles.constant(0)
                                 : tiles.apply(expr, [&](unsigned loop) { return loops.get(loop); }, {}));
  if (place.at.empty())
    place.linear = tiles.constant(0);
  return place;
}

/// Computes `results` of the body. Accumulators are given in a reduction only; without them inits are read like inputs.
bool TensorPull::computeBody(linalg::GenericOp op, const Loops &loops, ArrayRef<Value> accumulators,
                             ArrayRef<unsigned> results, SmallVectorImpl<Value> &values) {
  ScalarScope scope;
  scope.loop = [&](unsigned loop) { return loops.get(loop); };
  scope.argument = [&](BlockArgument argument) -> Value {
    OpOperand &operand = *op.getMatchingOpOperand(argument);
    if (!accumulators.empty() && op.isDpsInit(&operand))
      return accumulators[argument.getArgNumber() - op.getNumDpsInputs()];
    if (!isa<RankedTensorType>(operand.get().getType())) {
      ScalarScope outer;
      return compute(operand.get(), outer);
    }
    return pull(operand.get(), getOperandPlace(op, operand, loops));
  };
  // Computes the ops in order, so that a long body does not recurse deeply. The canonicalizer removes unused results.
  for (Operation &inner : op.getBody()->without_terminator())
    if (!compute(inner.getResult(0), scope))
      return false;
  Operation *yield = op.getBody()->getTerminator();
  for (unsigned result : results) {
    values.push_back(compute(yield->getOperand(result), scope));
    if (!values.back())
      return false;
  }
  return true;
}

Value TensorPull::pullGeneric(linalg::GenericOp op, unsigned result, const TensorPlace &place) {
  Loops loops(tiles, place, cast<RankedTensorType>(op.getResult(result).getType()),
              op.getMatchingIndexingMap(op.getDpsInitOperand(result)));
  if (op.getNumReductionLoops() == 0) {
    SmallVector<Value> values;
    return computeBody(op, loops, {}, {result}, values) ? values.front() : Value();
  }
  if (tiles.getRank() == 1 && options.lanes > 1 && getLaneReduction(op))
    return reduceAcrossLanes(op, result, loops);
  return reduceInOrder(op, result, loops);
}

Value TensorPull::getExtent(int64_t size) {
  return ShapedType::isDynamic(size) ? options.tokens : Value(arith::ConstantIndexOp::create(builder, tiles.loc, size));
}

static SmallVector<unsigned> getReductionLoops(linalg::GenericOp op) {
  SmallVector<unsigned> loops;
  op.getReductionDims(loops);
  return loops;
}

// Reductions by one lane, element by element

Value TensorPull::reduceInOrder(linalg::GenericOp op, unsigned result, Loops &loops) {
  SmallVector<Value> carried;
  SmallVector<unsigned> all;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    all.push_back(all.size());
    carried.push_back(pull(init.get(), getOperandPlace(op, init, loops)));
    if (!carried.back())
      return {};
  }
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (!llvm::is_contained(getReductionLoops(op), loop))
      loops.get(loop); // compute it outside the scf.for, since it does not change inside
  size_t outside = known.size();
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  Value zero = arith::ConstantIndexOp::create(builder, tiles.loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, tiles.loc, 1);
  SmallVector<scf::ForOp> nest;
  for (unsigned loop : getReductionLoops(op)) {
    auto next = scf::ForOp::create(builder, tiles.loc, zero, getExtent(extents[loop]), one, carried);
    nest.push_back(next);
    builder.setInsertionPointToStart(next.getBody());
    loops.values[loop] = tiles.splat(next.getInductionVar());
    carried = SmallVector<Value>(next.getRegionIterArgs());
  }
  SmallVector<Value> values;
  if (!computeBody(op, loops, carried, all, values))
    return {};
  for (scf::ForOp loop : llvm::reverse(nest)) {
    builder.setInsertionPointToEnd(loop.getBody());
    scf::YieldOp::create(builder, tiles.loc, values);
    values = SmallVector<Value>(loop.getResults());
  }
  known.erase(known.begin() + outside, known.end()); // the code after the loops cannot use their values
  return values[result];
}

// Reductions across lanes

std::optional<LaneReduction> nstf::getLaneReduction(linalg::GenericOp op) {
  if (op.getNumResults() != 1 || op.getNumReductionLoops() == 0)
    return std::nullopt;
  BlockArgument acc = op.getRegionOutputArgs().front();
  Operation *combiner = op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  if (!combiner || !acc.hasOneUse() || *acc.getUsers().begin() != combiner)
    return std::nullopt;
  Builder builder(op.getContext());
  Type type = acc.getType();
  auto infinity = [&](bool isNegative) {
    return builder.getFloatAttr(type, APFloat::getInf(cast<FloatType>(type).getFloatSemantics(), isNegative));
  };
  if (type.isF32()) {
    TypedAttr lowest = infinity(true), highest = infinity(false);
    if (isa<arith::AddFOp>(combiner))
      return LaneReduction{systolic::ReduceKind::add, builder.getFloatAttr(type, 0.0), combiner};
    if (isa<arith::MaxNumFOp>(combiner))
      return LaneReduction{systolic::ReduceKind::max, lowest, combiner};
    if (isa<arith::MinNumFOp>(combiner))
      return LaneReduction{systolic::ReduceKind::min, highest, combiner};
    if (isa<arith::MaximumFOp>(combiner))
      return LaneReduction{systolic::ReduceKind::maximum, lowest, combiner};
    if (isa<arith::MinimumFOp>(combiner))
      return LaneReduction{systolic::ReduceKind::minimum, highest, combiner};
  }
  if (type.isInteger(32)) {
    if (isa<arith::AddIOp>(combiner))
      return LaneReduction{systolic::ReduceKind::add, builder.getI32IntegerAttr(0), combiner};
    if (isa<arith::MaxSIOp>(combiner))
      return LaneReduction{systolic::ReduceKind::max, builder.getI32IntegerAttr(INT32_MIN), combiner};
    if (isa<arith::MinSIOp>(combiner))
      return LaneReduction{systolic::ReduceKind::min, builder.getI32IntegerAttr(INT32_MAX), combiner};
  }
  return std::nullopt;
}

Value TensorPull::reduceAcrossLanes(linalg::GenericOp op, unsigned result, Loops &loops) {
  LaneReduction reduction = *getLaneReduction(op);
  OpOperand &init = *op.getDpsInitOperand(result);
  Value start = pull(init.get(), getOperandPlace(op, init, loops));
  if (!start)
    return {};

  // All reduction loops become one. A dynamic one goes outermost, because the outermost index needs no division by its
  // extent.
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<unsigned> order = getReductionLoops(op);
  llvm::stable_sort(order, [&](unsigned a, unsigned b) {
    return ShapedType::isDynamic(extents[a]) > ShapedType::isDynamic(extents[b]);
  });
  if (llvm::count_if(order, [&](unsigned loop) { return ShapedType::isDynamic(extents[loop]); }) > 1)
    return reduceInOrder(op, result, loops);

  // The tile [BN] becomes [BN, BR]: BR lanes share each element of the result.
  MLIRContext *context = builder.getContext();
  Attribute names[] = {cast<systolic::AxesAttr>(tiles.tile.getEncoding()).getNames()[0], builder.getStringAttr("BR")};
  auto wide = RankedTensorType::get({tiles.tile.getDimSize(0), options.lanes}, builder.getI32Type(),
                                    systolic::AxesAttr::get(context, names));
  SmallVector<Value> parallel(op.getNumLoops());
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (!llvm::is_contained(order, loop))
      parallel[loop] = systolic::BroadcastOp::create(builder, tiles.loc, wide, loops.get(loop), 1);

  Value zero = arith::ConstantIndexOp::create(builder, tiles.loc, 0);
  // A parameter instead of a constant, because tiles get their sizes when the template is instantiated.
  Value step = systolic::ParamOp::create(builder, tiles.loc, builder.getIndexType(), builder.getStringAttr("BR"));
  int64_t fixed = 1;
  for (unsigned loop : order)
    fixed *= ShapedType::isDynamic(extents[loop]) ? 1 : extents[loop];
  Value end = arith::ConstantIndexOp::create(builder, tiles.loc, fixed);
  if (ShapedType::isDynamic(extents[order.front()]))
    end = arith::MulIOp::create(builder, tiles.loc, options.tokens, end);

  RankedTensorType narrow = tiles.tile;
  tiles.tile = wide;
  auto outside = std::exchange(known, {}); // values known so far are tiles of another shape
  auto loop = scf::ForOp::create(builder, tiles.loc, zero, end, step, tiles.constant(reduction.neutral));
  bool isComputed;
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Loops inside(tiles, {}, {}, loops.map);
    inside.values = parallel;
    Value number = tiles.add(tiles.splat(loop.getInductionVar()), tiles.iota(1)), rest = number;
    for (unsigned reduced : llvm::reverse(ArrayRef(order).drop_front())) {
      inside.values[reduced] = tiles.rem(rest, extents[reduced]);
      rest = tiles.div(rest, extents[reduced]);
    }
    inside.values[order.front()] = rest;
    Value acc = loop.getRegionIterArgs().front();
    SmallVector<Value> values;
    isComputed = computeBody(op, inside, {acc}, {0}, values);
    // Lanes past the end keep their accumulator.
    Value isInside = tiles.lessThan(number, tiles.splat(end));
    scf::YieldOp::create(builder, tiles.loc, isComputed ? tiles.select(isInside, values.front(), acc) : acc);
  }
  tiles.tile = narrow;
  known = std::move(outside);
  if (!isComputed)
    return {};
  Value reduced =
      systolic::ReduceOp::create(builder, tiles.loc, tiles.getType(getElementTypeOrSelf(init.get().getType())),
                                 reduction.kind, loop.getResult(0), 1);
  bool isAccFirst = reduction.combiner->getOperand(0) == op.getRegionOutputArgs().front();
  return computeFunction(reduction.combiner, isAccFirst ? ArrayRef{start, reduced} : ArrayRef{reduced, start});
}
