// Lowers copies from memory to LDS that bypass the registers.
//
// A wave moves 256 bytes at a time, a dword per lane, and LDS is filled in lane order. So each lane's LDS address is
// fixed, and the array's swizzle determines the element that the lane loads.
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "passes/systolic_to_gpu/Places.h"

using namespace mlir;
using namespace nstf::systolic;

namespace {

/// The row and column of the element at a place of an LDS array.
class ArrayElements {
public:
  ArrayElements(IndexBuilder &index, LdsType lds)
      : index(index), columns(lds.getShape()[1]), bits(lds.getElementType().getIntOrFloatBitWidth()),
        swizzle(dyn_cast<SwizzleAttr>(lds.getSwizzle())), packing(dyn_cast<PackedAttr>(lds.getSwizzle())) {}

  /// The number of elements after which the order of columns repeats: elements that far apart are in the same column.
  int64_t getPeriod() const {
    if (packing)
      return packing.getRows() * columns;
    return swizzle ? swizzle.getPeriod() * columns : columns;
  }

  SmallVector<Value> at(Value place) {
    if (packing)
      return {getPackedRow(place), getPackedColumn(place)};
    Value row = index.div(place, columns), column = index.rem(place, columns);
    if (swizzle) {
      Value shift = index.mul(index.rem(index.div(row, swizzle.getPhase()), swizzle.getRows()), swizzle.getVector());
      column = arith::XOrIOp::create(index.builder, index.loc, column, shift);
      row = unfoldRow(row);
    }
    return {row, column};
  }

private:
  /// The row of the tile at row `place` of the array: each bit is xored with the folded bits above it.
  Value unfoldRow(Value place) {
    Value folded = index.rem(place, swizzle.getFold()), row = place;
    for (int64_t bit = 2; bit < swizzle.getFold(); bit *= 2)
      row = arith::XOrIOp::create(index.builder, index.loc, row, index.div(folded, bit));
    return row;
  }

  /// A block holds the granules of its rows: the digits of a place are block, granule, row, element.
  Value getPackedRow(Value place) {
    Value rowInBlock = index.rem(index.div(place, packing.getGranule(bits)), packing.getRows());
    return index.add(index.mul(index.div(place, packing.getRows() * columns), packing.getRows()), rowInBlock);
  }

  Value getPackedColumn(Value place) {
    int64_t granule = packing.getGranule(bits), run = packing.getRun(bits), span = packing.getSpan(bits);
    int64_t across = packing.getBytes() * 8 / bits;
    Value granuleInRow = index.rem(index.div(place, packing.getRows() * granule), columns / granule);
    Value inGranule = index.rem(place, granule);
    Value column = index.mul(index.div(granuleInRow, across / granule), across);
    column = index.add(column, index.mul(index.rem(granuleInRow, across / granule), run));
    column = index.add(column, index.mul(index.div(inGranule, run), span));
    return index.add(column, index.rem(inGranule, run));
  }

  IndexBuilder &index;
  int64_t columns;
  unsigned bits;
  SwizzleAttr swizzle;
  PackedAttr packing;
};

struct StagePattern : TilePattern<StageOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(StageOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    IndexBuilder index{rewriter, op.getLoc()};
    auto buffer = cast<MemRefType>(op.getBuffer().getType());
    LdsType lds = op.getLds().getType();
    unsigned bits = buffer.getElementTypeBitWidth();
    int64_t perLane = 32 / bits, perWave = StageOp::bytesAtOnce * 8 / bits, waves = kernel.array.getNumWaves();
    Places places{kernel.packings.lookup(op.getBuffer()), buffer.getDimSize(1), bits};
    Value memory = amdgpu::FatRawBufferCastOp::create(
        rewriter, op.getLoc(), kernel.getMemory(op.getBuffer(), adaptor.getBuffer()), /*validBytes=*/Value(),
        /*cacheSwizzleStride=*/Value(), /*boundsCheck=*/true, /*resetOffset=*/false);
    LdsBuffer to = kernel.getLdsBuffer(index, op.getLds(), adaptor.getLds(), op.getTo());
    Value wave = index.mul(kernel.wave, perWave), first = index.add(wave, index.mul(kernel.lane, perLane));
    Value begin = places.getPlace(index, SmallVector<Value>(adaptor.getIndices()));
    if (Value when = adaptor.getWhen())
      begin = arith::SelectOp::create(rewriter, op.getLoc(), when, begin, index.constant(buffer.getNumElements()));
    ArrayElements elements(index, lds);
    Type transfer = perLane == 1 ? buffer.getElementType() : VectorType::get(perLane, buffer.getElementType());
    for (int64_t access = 0; access < op.getAccesses(waves); ++access) {
      int64_t offset = access * waves * perWave, below = offset / elements.getPeriod() * elements.getPeriod();
      SmallVector<Value> element = elements.at(index.add(first, offset - below));
      int64_t rowsBelow = below / lds.getShape()[1];
      Value from = index.add(index.add(places.getPlace(index, element), begin),
                             places.getPlace(ArrayRef<int64_t>{rowsBelow, 0}));
      from = orPastEnd(index, op, adaptor, element[1], from);
      Value target = index.add(wave, offset);
      SmallVector<Value> indices = {to.number, target};
      if (!isa<PackedAttr>(lds.getSwizzle()))
        indices = {to.number, index.div(target, lds.getShape()[1]), index.rem(target, lds.getShape()[1])};
      amdgpu::GatherToLDSOp::create(rewriter, op.getLoc(), memory, from, to.memory, indices, TypeAttr::get(transfer));
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Rows past the end are out of the buffer's range, but columns past the end would be those of the next row, so they
  /// are checked.
  Value orPastEnd(IndexBuilder &index, StageOp op, OpAdaptor adaptor, Value column, Value place) const {
    auto buffer = cast<MemRefType>(op.getBuffer().getType());
    int64_t columns = op.getLds().getType().getShape()[1], size = buffer.getDimSize(1);
    const KnownIndex &known = kernel.indices.at(op.getIndices()[1]);
    if (known.minimum >= 0 && known.congruence.modulo(columns) == size % columns)
      return place;
    Value inside = index.lessThan(index.add(column, adaptor.getIndices()[1]), index.constant(size));
    return arith::SelectOp::create(index.builder, index.loc, inside, place, index.constant(buffer.getNumElements()));
  }
};

} // namespace

void nstf::systolic::populateStageLowering(const KernelContext &kernel, TypeConverter &converter,
                                           RewritePatternSet &patterns) {
  patterns.add<StagePattern>(kernel, converter, patterns.getContext());
}
