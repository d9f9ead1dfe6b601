// Lowers ops on LDS: writes, reads, layout conversions and barriers.
#include "dialects/systolic/Rounds.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/analysis/LdsLayout.h"
#include "passes/analysis/Operands.h"
#include "passes/systolic/Scratch.h"
#include "passes/systolic_to_gpu/Places.h"

using namespace mlir;
using namespace nstf::systolic;

namespace {

/// The accesses of a whole tile to one buffer of an LDS array (buffers x rows x cols, or buffers x elements).
class LdsAccess {
public:
  LdsAccess(IndexBuilder &index, const KernelContext &kernel, LdsBuffer lds, Attribute swizzle, RankedTensorType tile,
            bool transposed, ArrayRef<int64_t> from = {})
      : index(index), lds(lds), swizzle(dyn_cast_or_null<SwizzleAttr>(swizzle)), layout(getFragment(tile)),
        rank(tile.getRank()), elementBits(tile.getElementTypeBitWidth()),
        places{dyn_cast_or_null<PackedAttr>(swizzle), lds.shape.back(), elementBits}, transposed(transposed),
        from(from.empty() ? SmallVector<int64_t>(rank, 0) : SmallVector<int64_t>(from)) {
    start = getLaneCoordinates(index, kernel, layout, rank);
    if (transposed)
      std::swap(start[0], start[1]);
    accesses = getAccessRegisters({{}, layout, SmallVector<int64_t, 2>(lds.shape), elementBits, transposed}, swizzle);
  }

  Value load(VectorType type) {
    Value result = zeroVector(index, type);
    for (int64_t i = 0; i < accesses.getNumAccesses(); ++i) {
      ArrayRef<int64_t> registers = accesses.of(i);
      SmallVector<Value> indices = getIndices(registers.front());
      Value part;
      if (registers.size() == 1) {
        part = memref::LoadOp::create(index.builder, index.loc, lds.memory, indices);
      } else {
        auto vector = VectorType::get(registers.size(), type.getElementType());
        auto load = vector::LoadOp::create(index.builder, index.loc, vector, lds.memory, indices);
        load->setAttr("alignment", getAlignment());
        part = load;
      }
      result = insertRegisters(index, part, result, registers);
    }
    return result;
  }

  void store(Value vector) {
    for (int64_t i = 0; i < accesses.getNumAccesses(); ++i) {
      ArrayRef<int64_t> registers = accesses.of(i);
      Value part = extractRegisters(index, vector, registers);
      SmallVector<Value> indices = getIndices(registers.front());
      if (registers.size() == 1) {
        memref::StoreOp::create(index.builder, index.loc, part, lds.memory, indices);
      } else {
        auto store = vector::StoreOp::create(index.builder, index.loc, part, lds.memory, indices);
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
    if (places.packing)
      return {lds.number, getPackedPlace(offsets)};
    SmallVector<Value> indices;
    for (unsigned dim = 0; dim < rank; ++dim)
      indices.push_back(index.add(start[dim], offsets[dim]));
    if (swizzle) {
      // A row a multiple of the period further has the same swizzle. So such rows share the computed address, and their
      // distance is a constant.
      Value first = foldRow(start[0]);
      indices[0] = offsets[0] % swizzle.getFold() == 0 ? index.add(first, offsets[0]) : foldRow(indices[0]);
      Value row = offsets[0] % swizzle.getPeriod() == 0 ? first : indices[0];
      Value shift = index.mul(index.rem(index.div(row, swizzle.getPhase()), swizzle.getRows()), swizzle.getVector());
      // Likewise for columns whole spans apart, because the swizzle exchanges columns only within a span.
      int64_t span = swizzle.getRows() * swizzle.getVector(), inside = offsets[1] % span;
      int64_t whole = getMaxStartInSpan(span) + inside < span ? offsets[1] - inside : 0;
      Value column = index.add(start[1], offsets[1] - whole);
      indices[1] = index.add(arith::XOrIOp::create(index.builder, index.loc, column, shift), whole);
    }
    indices.insert(indices.begin(), lds.number);
    return indices;
  }

  /// The row of the array that holds a row of the tile.
  Value foldRow(Value row) {
    if (swizzle.getFold() == 1)
      return row;
    Value bits = index.div(index.rem(row, swizzle.getFold()), 2);
    return arith::XOrIOp::create(index.builder, index.loc, row, bits);
  }

  /// The max column within a span at which a lane's part of the tile begins.
  int64_t getMaxStartInSpan(int64_t span) {
    int64_t column = 0;
    for (ArrayRef<Digit> digits : {layout.getLane(), layout.getWave()})
      for (const Digit &digit : digits)
        if (digit.dim == (transposed ? 0 : 1) && digit.stride % span != 0)
          column += (digit.count - 1) * digit.stride;
    return column;
  }

  Value getPackedPlace(ArrayRef<int64_t> offsets) {
    if (places.addsUp(layout, transposed) &&
        llvm::all_of(llvm::enumerate(from), [&](auto at) { return at.value() % places.getAlignment(at.index()) == 0; }))
      return index.add(places.getPlace(index, start), places.getPlace(offsets));
    return places.getPlace(index, {index.add(start[0], offsets[0]), index.add(start[1], offsets[1])});
  }

  IntegerAttr getAlignment() { return index.builder.getI64IntegerAttr(accesses.width * elementBits / 8); }

  IndexBuilder &index;
  LdsBuffer lds;
  SwizzleAttr swizzle;
  FragmentAttr layout;
  unsigned rank, elementBits;
  Places places;
  bool transposed;
  SmallVector<int64_t> from; ///< where the tile begins in the array
  AccessRegisters accesses;
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
      LdsAccess(index, kernel, kernel.getLdsBuffer(index, op.getLds(), adaptor.getLds(), op.getBuffer()),
                op.getLds().getType().getSwizzle(), getTileType(op.getTile()), op.getTransposed())
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
    LdsAccess access(index, kernel, kernel.getLdsBuffer(index, op.getLds(), adaptor.getLds(), op.getBuffer()),
                     op.getLds().getType().getSwizzle(), getTileType(op.getResult()), op.getTransposed(),
                     op.getFrom().value_or(ArrayRef<int64_t>()));
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
    Type stored = getStoredElementType(to.getElementType());
    Value tile = adaptor.getTile();
    if (stored != to.getElementType()) {
      from = RankedTensorType::get(from.getShape(), stored, from.getEncoding());
      to = RankedTensorType::get(to.getShape(), stored, to.getEncoding());
      tile = arith::ExtUIOp::create(rewriter, op.getLoc(), VectorType::get(getFragment(from).getNumRegisters(), stored),
                                    tile);
    }
    Value result = exchange(index, op, adaptor.getThrough(), tile, from, to);
    if (result.getType() != type)
      result = arith::TruncIOp::create(rewriter, op.getLoc(), type, result);
    rewriter.replaceOp(op, result);
    return success();
  }

  /// Moves the tile part by part, through the arrays in turn; without arrays, the whole tile through scratch.
  Value exchange(IndexBuilder &index, ConvertLayoutOp op, ValueRange through, Value tile, RankedTensorType from,
                 RankedTensorType to) const {
    SmallVector<Value> arrays(through);
    RoundDigits rounds;
    Attribute swizzle;
    SmallVector<int64_t> shape(to.getShape()), lying = shape; // shape of a part, and its orientation in the array
    if (arrays.empty()) {
      SmallVector<int64_t> whole(shape);
      whole.insert(whole.begin(), 1);
      arrays.push_back(viewScratch(index, kernel, whole, to.getElementType()));
    } else {
      rounds = *findRounds(op);
      auto array = cast<LdsType>(op.getThrough().front().getType());
      swizzle = array.getSwizzle();
      lying = shape = SmallVector<int64_t>(array.getShape());
      if (op.getTransposed())
        std::reverse(shape.begin(), shape.end());
    }
    unsigned rank = to.getRank();
    RoundLayout in = splitIntoRounds(getFragment(from), rounds, rank),
                out = splitIntoRounds(getFragment(to), rounds, rank);
    auto getPart = [&](RoundLayout &layout) { return RankedTensorType::get(shape, to.getElementType(), layout.part); };
    auto isReplicated = [](const Digit &digit) { return digit.dim < 0; };
    bool crossesWaves = in.part.getWave() != out.part.getWave() || llvm::any_of(in.part.getWave(), isReplicated);
    Value result = zeroVector(index, VectorType::get(getFragment(to).getNumRegisters(), to.getElementType()));
    Value zero = index.constant(0);
    for (auto [round, written, read] : llvm::enumerate(in.registers, out.registers)) {
      beginPart(index);
      LdsBuffer array{arrays[round % arrays.size()], zero, lying};
      if (round == 0 && op.getApart())
        makeWaveFence(index);
      else if (round == 0)
        makeLdsBarrier(index, kernel);
      else if (arrays.size() == 1)
        synchronize(index, crossesWaves);
      onFirstReplica(index, kernel, in.part, [&] {
        LdsAccess(index, kernel, array, swizzle, getPart(in), op.getTransposed())
            .store(vector::ShuffleOp::create(index.builder, index.loc, tile, tile, written));
      });
      synchronize(index, crossesWaves);
      LdsAccess access(index, kernel, array, swizzle, getPart(out), op.getTransposed());
      Value part = access.load(VectorType::get(read.size(), to.getElementType()));
      if (read.size() == size_t(cast<VectorType>(result.getType()).getNumElements()))
        return part;
      for (auto [i, number] : llvm::enumerate(read))
        result = insertRegisters(index, extractRegisters(index, part, i, 1), result, number);
    }
    return result;
  }

  /// Separates accesses of different lanes to the same elements.
  void synchronize(IndexBuilder &index, bool acrossWaves) const {
    if (acrossWaves)
      makeLdsBarrier(index, kernel);
    else
      makeWaveFence(index);
  }
};

struct ViewPattern : TilePattern<ViewOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(ViewOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    IndexBuilder index{rewriter, op.getLoc()};
    auto type = cast<MemRefType>(getTypeConverter()->convertType(op.getType()));
    rewriter.replaceOpWithNewOp<memref::ViewOp>(op, type, kernel.ldsBytes.at(op.getLds()), index.constant(0),
                                                ValueRange());
    return success();
  }
};

} // namespace

void nstf::systolic::populateLdsLowering(const KernelContext &kernel, TypeConverter &converter,
                                         RewritePatternSet &patterns) {
  patterns.add<WritePattern, ReadPattern, ConvertLayoutPattern, ViewPattern>(kernel, converter, patterns.getContext());
}
