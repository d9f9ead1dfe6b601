// Stores rows as codes (QuantizeRows.h).
//
// BEFORE  scf.for %n = … { %y = …; systolic.store %y, %Y[%m0, %n] limit [%rows, %N] }
// AFTER   %maxima = scf.for %n = … iter_args(%acc = 0) { %y = …; scf.yield maxsi %acc, bitcast |%y| }
//         %scale = (reduce max %maxima) / max
//         systolic.store %scale, %S[%m0] limit [%rows]
//         scf.for %n = … { %y = …; %code = clamp %y / %scale; systolic.store %code, %Y[%m0, %n] limit [%rows, %N] }
//
// Each element is computed twice, by the same operations. Both loops share loads if there are enough VGPRs
// (systolic-share-loads). The arithmetic is that of the template quantize.
#include "passes/nstf_to_systolic/QuantizeRows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace nstf;
using systolic::AxesAttr;

QuantizeOp nstf::findRowQuantizer(KernelOp region) {
  for (auto op : region.getBody().getOps<QuantizeOp>())
    if (!isa<BlockArgument>(op.getX()))
      return op;
  return {};
}

namespace {

class RowQuantizer {
public:
  RowQuantizer(systolic::StoreOp store, QuantizeOp op)
      : store(store), loop(cast<scf::ForOp>(store->getParentOp())), loc(op.getLoc()), builder(loop),
        tile(cast<RankedTensorType>(store.getTile().getType())),
        row(RankedTensorType::get(tile.getDimSize(0), tile.getElementType(),
                                  cast<AxesAttr>(tile.getEncoding()).dropDim(1))),
        maxCode(op.getMaxCode()) {}

  void run(Value scales) {
    Value largest = findLargest();
    Value scale = arith::DivFOp::create(builder, loc, largest, makeSplat(row, maxCode));
    systolic::StoreOp::create(builder, loc, scale, scales, store.getIndices().take_front(),
                              store.getLimits().take_front(), Value());
    // A row whose scale is 0 gets codes of 0.
    Value isZero = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, scale, makeSplat(row, 0));
    Value infinity = makeSplat(row, std::numeric_limits<double>::infinity());
    Value divisor = arith::SelectOp::create(builder, loc, isZero, infinity, scale);
    Value divisors = systolic::BroadcastOp::create(builder, loc, tile, divisor, 1);
    builder.setInsertionPoint(store);
    Value quotient = arith::DivFOp::create(builder, loc, store.getTile(), divisors);
    Value above = arith::MaxNumFOp::create(builder, loc, quotient, makeSplat(tile, -maxCode));
    store.getTileMutable().assign(arith::MinNumFOp::create(builder, loc, above, makeSplat(tile, maxCode)));
  }

private:
  /// The max magnitude of each row. Magnitudes are compared as integers, of which a NaN is the largest.
  Value findLargest() {
    auto bits = tile.clone(builder.getI32Type());
    Value none = arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(bits, builder.getI32IntegerAttr(0)));
    auto search = scf::ForOp::create(builder, loc, loop.getLowerBound(), loop.getUpperBound(), loop.getStep(), none);
    {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(search.getBody());
      IRMapping mapping;
      mapping.map(loop.getInductionVar(), search.getInductionVar());
      for (Operation &op : loop.getBody()->without_terminator())
        if (&op != store)
          builder.clone(op, mapping);
      Value magnitude = math::AbsFOp::create(builder, loc, mapping.lookupOrDefault(store.getTile()));
      Value next = arith::MaxSIOp::create(builder, loc, search.getRegionIterArg(0),
                                          arith::BitcastOp::create(builder, loc, bits, magnitude));
      scf::YieldOp::create(builder, loc, next);
    }
    Value largest = systolic::ReduceOp::create(builder, loc, row.clone(builder.getI32Type()), systolic::ReduceKind::max,
                                               search.getResult(0), 1);
    return arith::BitcastOp::create(builder, loc, row, largest);
  }

  Value makeSplat(RankedTensorType type, double value) {
    return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, builder.getF32FloatAttr(value)));
  }

  systolic::StoreOp store;
  scf::ForOp loop;
  Location loc;
  OpBuilder builder;
  RankedTensorType tile, row;
  double maxCode;
};

} // namespace

LogicalResult nstf::quantizeRows(systolic::KernelOp program, QuantizeOp op, unsigned codes, unsigned scales) {
  Value buffer = program.getArgument(codes);
  auto store = buffer.hasOneUse() ? dyn_cast<systolic::StoreOp>(*buffer.user_begin()) : systolic::StoreOp();
  auto loop = store ? dyn_cast<scf::ForOp>(store->getParentOp()) : scf::ForOp();
  auto tile = store ? dyn_cast<RankedTensorType>(store.getTile().getType()) : RankedTensorType();
  if (!loop || loop.getNumResults() != 0 || tile.getRank() != 2 || !tile.getElementType().isF32() ||
      store.getLimits().size() != 2 || !loop.isDefinedOutsideOfLoop(store.getIndices()[0]))
    return program.emitError("expected a template that stores rows of f32 in a loop along them, which are to be codes");
  RowQuantizer(store, op).run(program.getArgument(scales));
  return success();
}
