// Lowering of what goes through LDS: writes, reads, layout conversions and barriers.
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/analysis/LdsLayout.h"
#include "passes/systolic/Scratch.h"
#include "passes/systolic_to_gpu/TileLowering.h"

using namespace mlir;
using namespace nstf::systolic;

namespace {

/// Accesses of a whole tile to one buffer of an LDS array (buffers x rows x cols, or buffers x cols).
class LdsAccess {
public:
  LdsAccess(IndexBuilder &index, const KernelContext &kernel, Value memory, Value buffer, Attribute swizzle,
            RankedTensorType tile, bool transposed, ArrayRef<int64_t> from = {})
      : index(index), memory(memory), buffer(buffer), swizzle(dyn_cast_or_null<SwizzleAttr>(swizzle)),
        layout(getFragment(tile)), rank(tile.getRank()), elementBits(tile.getElementTypeBitWidth()),
        transposed(transposed), from(from.empty() ? SmallVector<int64_t>(rank, 0) : SmallVector<int64_t>(from)) {
    start = getLaneCoordinates(index, kernel, layout, rank);
    if (transposed)
      std::swap(start[0], start[1]);
    LdsTileAccess access{{},
                         layout,
                         SmallVector<int64_t, 2>(cast<MemRefType>(memory.getType()).getShape().drop_front()),
                         elementBits,
                         transposed};
    width = getAccessWidth(access, this->swizzle);
  }

  Value load(VectorType type) {
    Value result = zeroVector(index, type);
    for (int64_t i = 0; i < type.getNumElements(); i += width) {
      Value part;
      if (width == 1) {
        part = memref::LoadOp::create(index.builder, index.loc, memory, getIndices(i));
      } else {
        auto load = vector::LoadOp::create(index.builder, index.loc, VectorType::get(width, type.getElementType()),
                                           memory, getIndices(i));
        load->setAttr("alignment", getAlignment());
        part = load;
      }
      result = insertRegisters(index, part, result, i);
    }
    return result;
  }

  void store(Value vector) {
    for (int64_t i = 0; i < layout.getNumRegisters(); i += width) {
      Value part = extractRegisters(index, vector, i, width);
      if (width == 1) {
        memref::StoreOp::create(index.builder, index.loc, part, memory, getIndices(i));
      } else {
        auto store = vector::StoreOp::create(index.builder, index.loc, part, memory, getIndices(i));
        store->setAttr("alignment", getAlignment());
      }
    }
  }

private:
  SmallVector<Value> getIndices(int64_t number) {
    SmallVector<int64_t> offsets = layout.getRegisterCoordinates(number, rank);
    if (transposed)
      std::swap(offsets[0], offsets[1]);
    for (unsigned dim = 0; dim < rank; ++dim)
      offsets[dim] += from[dim];
    SmallVector<Value> indices;
    for (unsigned dim = 0; dim < rank; ++dim)
      indices.push_back(index.add(start[dim], offsets[dim]));
    if (swizzle) {
      // Whole rounds of the swizzle change nothing: without them rows that far apart share an address, and the rest of
      // it is a constant.
      Value row = offsets[0] % (swizzle.getRows() * swizzle.getPhase()) == 0 ? start[0] : indices[0];
      Value shift = index.mul(index.rem(index.div(row, swizzle.getPhase()), swizzle.getRows()), swizzle.getVector());
      indices[1] = arith::XOrIOp::create(index.builder, index.loc, indices[1], shift);
    }
    indices.insert(indices.begin(), buffer);
    return indices;
  }

  IntegerAttr getAlignment() { return index.builder.getI64IntegerAttr(width * elementBits / 8); }

  IndexBuilder &index;
  Value memory, buffer;
  SwizzleAttr swizzle;
  FragmentAttr layout;
  unsigned rank, elementBits;
  bool transposed;
  SmallVector<int64_t> from; ///< where the tile begins in the array
  int64_t width;
  SmallVector<Value> start;
};

/// Runs `body` on one lane of each set of replicas.
void onFirstReplica(IndexBuilder &index, const KernelContext &kernel, FragmentAttr layout, function_ref<void()> body) {
  Value condition = isFirstReplica(index, kernel, layout);
  if (!condition)
    return body();
  auto branch = scf::IfOp::create(index.builder, index.loc, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(index.builder);
  index.builder.setInsertionPointToStart(branch.thenBlock());
  body();
}

struct WritePattern : TilePattern<WriteOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(WriteOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    IndexBuilder index{rewriter, op.getLoc()};
    onFirstReplica(index, kernel, getFragment(op.getTile().getType()), [&] {
      LdsAccess(index, kernel, adaptor.getLds(), adaptor.getBuffer(), op.getLds().getType().getSwizzle(),
                getTileType(op.getTile()), op.getTransposed())
          .store(adaptor.getTile());
    });
    rewriter.eraseOp(op);
    return success();
  }
};

struct ReadPattern : TilePattern<ReadOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(ReadOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    IndexBuilder index{rewriter, op.getLoc()};
    LdsAccess access(index, kernel, adaptor.getLds(), adaptor.getBuffer(), op.getLds().getType().getSwizzle(),
                     getTileType(op.getResult()), op.getTransposed(), op.getFrom().value_or(ArrayRef<int64_t>()));
    rewriter.replaceOp(op, access.load(getVectorType(op.getResult())));
    return success();
  }
};

struct ConvertLayoutPattern : TilePattern<ConvertLayoutOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(ConvertLayoutOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    IndexBuilder index{rewriter, op.getLoc()};
    RankedTensorType from = getTileType(op.getTile()), to = getTileType(op.getResult());
    VectorType type = getVectorType(op.getResult());
    if (!movesBetweenLanes(op)) {
      auto registers = mapRegisters(getFragment(from), from.getRank());
      SmallVector<int64_t> order;
      for (int64_t i = 0; i < type.getNumElements(); ++i)
        order.push_back(registers.at(getFragment(to).getRegisterCoordinates(i, to.getRank())));
      rewriter.replaceOpWithNewOp<vector::ShuffleOp>(op, adaptor.getTile(), adaptor.getTile(), order);
      return success();
    }
    SmallVector<int64_t> shape(to.getShape());
    shape.insert(shape.begin(), 1);
    Type stored = getStoredElementType(to.getElementType());
    Value tile = adaptor.getTile();
    if (stored != to.getElementType()) {
      from = RankedTensorType::get(from.getShape(), stored, from.getEncoding());
      to = RankedTensorType::get(to.getShape(), stored, to.getEncoding());
      tile = arith::ExtUIOp::create(rewriter, op.getLoc(), VectorType::get(getFragment(from).getNumRegisters(), stored),
                                    tile);
    }
    Value memory = viewScratch(index, kernel, shape, stored), zero = index.constant(0);
    amdgpu::LDSBarrierOp::create(rewriter, op.getLoc());
    onFirstReplica(index, kernel, getFragment(from), [&] {
      LdsAccess(index, kernel, memory, zero, Attribute(), from, /*transposed=*/false).store(tile);
    });
    amdgpu::LDSBarrierOp::create(rewriter, op.getLoc());
    LdsAccess access(index, kernel, memory, zero, Attribute(), to, /*transposed=*/false);
    Value result = access.load(VectorType::get(type.getShape(), stored));
    if (result.getType() != type)
      result = arith::TruncIOp::create(rewriter, op.getLoc(), type, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct BarrierPattern : TilePattern<BarrierOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(BarrierOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<amdgpu::LDSBarrierOp>(op);
    return success();
  }
};

} // namespace

void nstf::systolic::populateLdsLowering(const KernelContext &kernel, TypeConverter &converter,
                                         RewritePatternSet &patterns) {
  patterns.add<WritePattern, ReadPattern, ConvertLayoutPattern, BarrierPattern>(kernel, converter,
                                                                                patterns.getContext());
}
