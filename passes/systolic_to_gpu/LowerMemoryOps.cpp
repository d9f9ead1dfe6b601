// Lowering of loads, stores and the control block.
//
// Buffers are rank-1 here, so that an access is base + constant: the constants end up in the instructions' offset
// field. Of a load's address, what all lanes share goes into the scalar offset. In a loop that is what changes from
// round to round, one number for all loads that advance alike; the rest, a register for each instruction, is computed
// before the loop. An element outside gets the index one past the end, which the hardware's range check reads as 0 and
// drops on writing (amdgpu raw buffer accesses; CDNA3 ISA manual, buffer addressing). Where a buffer ends with the
// launch's tokens, that index still is the one past its type's end.
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/systolic_to_gpu/Places.h"
#include "support/ControlBlock.h"
#include <numeric>
#include <set>
#include <tuple>

using namespace mlir;
using namespace nstf::systolic;

namespace {

/// Where an access goes, in elements: the sum of the three.
struct BufferAddress {
  Value lanes;      ///< i32
  Value shared;     ///< by all lanes, i32, or null
  int64_t constant; ///< fits the offset field of the instruction
};

/// Bytes that the offset field of a buffer instruction reaches.
constexpr int64_t offsetFieldBytes = 4096;

/// Address registers that a load may hold through a loop to save scalar additions in it.
constexpr int64_t mostAddresses = 8;

bool divides(int64_t divisor, int64_t value) { return value % divisor == 0; }

SmallVector<int64_t> lookUpDivisors(const KernelContext &kernel, ValueRange indices) {
  return llvm::map_to_vector(indices, [&](Value index) { return kernel.divisors.at(index); });
}

/// One load's or store's addresses.
class BufferAccess {
public:
  struct Description {
    MemRefType buffer;  ///< with its axes, before conversion
    PackedAttr packing; ///< how it lies; null: row by row
    int64_t perToken;   ///< elements for each token where the buffer ends with the launch's, else 0
    RankedTensorType tile;
    ValueRange indices, limits;    ///< of the buffer's dimensions
    SmallVector<int64_t> divisors; ///< of the indices
    int64_t limitDivisor;          ///< of the last limit
    Value rows, cols;              ///< converted index tiles, or null
    FragmentAttr rowsLayout, colsLayout;
    bool transposed = false;
    Value condition; ///< further condition for every element, or null
    Value when;      ///< the same, alike in all lanes
  };

  BufferAccess(IndexBuilder &index, const KernelContext &kernel, Description access)
      : index(index), access(std::move(access)), rank(this->access.tile.getRank()),
        layout(getFragment(this->access.tile)), places{this->access.packing, this->access.buffer.getShape().back(),
                                                       this->access.buffer.getElementTypeBitWidth()} {
    start = getLaneCoordinates(index, kernel, layout, rank);
    if (this->access.transposed)
      std::swap(start[0], start[1]);
    if (this->access.rows)
      start[0] = index.constant(0);
    if (this->access.cols)
      start[rank - 1] = index.constant(0);
    if (this->access.rows)
      rowRegisters = mapRegisters(this->access.rowsLayout, 1);
    if (this->access.cols)
      colRegisters = mapRegisters(this->access.colsLayout, 1);
  }

  /// Elements that one instruction moves.
  int64_t getWidth() const {
    unsigned bits = access.buffer.getElementTypeBitWidth();
    if (access.cols)
      return 1;
    int64_t width = getVectorWidth(layout, access.transposed ? 0 : rank - 1, bits);
    // Nothing that decides where a row starts or ends may cut through a vector.
    auto shrink = [&](int64_t divisor) { width = std::gcd(width, divisor); };
    shrink(access.buffer.getDimSize(rank - 1));
    shrink(access.divisors[rank - 1]);
    if (!access.limits.empty())
      shrink(access.limitDivisor);
    if (access.packing)
      shrink(access.packing.getGranule(bits));
    // The range check takes each dword for itself: none may be half outside.
    if (access.perToken * bits % 32 != 0)
      shrink(access.perToken);
    return width;
  }

  /// The index of register `number`, one past the end where its element is outside.
  Value getIndex(int64_t number) {
    SmallVector<int64_t> offsets = getOffsets(number);
    SmallVector<Value> coordinates;
    for (unsigned dim = 0; dim < rank; ++dim)
      coordinates.push_back(index.add(getLanePart(dim, offsets[dim], /*withOffset=*/true), access.indices[dim]));
    return index.toI32(orPastEnd(places.getPlace(index, coordinates), offsets));
  }

  /// The same in parts. Where their sum could pass 2^32 on its way out of range, or is none, in one.
  BufferAddress getAddress(int64_t number) {
    int64_t elementBytes = access.buffer.getElementTypeBitWidth() / 8;
    if (access.buffer.getNumElements() * elementBytes >= int64_t(1) << 31 || !addsUp())
      return {orNowhere(getIndex(number)), {}, 0};
    SmallVector<int64_t> offsets = getOffsets(number);
    scf::ForOp loop = getLoop();
    SmallVector<Value> lanes, shared;
    for (unsigned dim = 0; dim < rank; ++dim) {
      Value own = getLanePart(dim, offsets[dim], /*withOffset=*/false), all = access.indices[dim];
      if (loop && loop.isDefinedOutsideOfLoop(all))
        std::tie(own, all) = std::pair(index.add(own, all), index.constant(0));
      lanes.push_back(own);
      shared.push_back(all);
    }
    int64_t constant = getConstant(offsets), field = constant % (offsetFieldBytes / elementBytes);
    Value own = index.add(places.getPlace(index, lanes), loop ? constant - field : 0);
    return {index.toI32(orPastEnd(own, offsets)),
            orNowhere(index.toI32(index.add(places.getPlace(index, shared), loop ? 0 : constant - field))), field};
  }

private:
  SmallVector<int64_t> getOffsets(int64_t number) {
    SmallVector<int64_t> offsets = layout.getRegisterCoordinates(number, rank);
    if (access.transposed)
      std::swap(offsets[0], offsets[1]);
    return offsets;
  }

  /// Whether an element's place is the sum of its index's, its lane's and its register's.
  bool addsUp() const {
    if (!access.packing)
      return true;
    for (unsigned dim = 0; dim < rank; ++dim)
      if (isGathered(dim) || !divides(places.getAlignment(dim), access.divisors[dim]))
        return false;
    return places.addsUp(layout, access.transposed);
  }

  /// What the register adds to the place of the lane's first element.
  int64_t getConstant(SmallVector<int64_t> offsets) const {
    for (unsigned dim = 0; dim < rank; ++dim)
      if (isGathered(dim))
        offsets[dim] = 0;
    return places.getPlace(offsets);
  }

  /// The loop before which the lanes' part of addresses is computed: the innermost, if its registers are few.
  scf::ForOp getLoop() {
    Operation *around = index.builder.getInsertionBlock()->getParentOp();
    auto loop = dyn_cast<scf::ForOp>(around);
    if (!loop)
      loop = around->getParentOfType<scf::ForOp>();
    int64_t field = offsetFieldBytes * 8 / access.buffer.getElementTypeBitWidth();
    std::set<int64_t> addresses;
    for (int64_t i = 0; i < layout.getNumRegisters(); i += getWidth())
      addresses.insert(getConstant(getOffsets(i)) / field);
    return int64_t(addresses.size()) <= mostAddresses ? loop : scf::ForOp();
  }

  /// `linear`, or the place past the buffer's end where the element `offsets` from the lane's first is outside.
  Value orPastEnd(Value linear, ArrayRef<int64_t> offsets) {
    Value inside = access.condition;
    for (unsigned dim = 0; dim < rank; ++dim)
      if (Value bound = getBound(dim)) {
        Value coordinate = index.add(getLanePart(dim, offsets[dim], /*withOffset=*/true), access.indices[dim]);
        inside = index.both(inside, index.lessThan(coordinate, bound));
      }
    if (!inside)
      return linear;
    return arith::SelectOp::create(index.builder, index.loc, inside, linear,
                                   index.constant(access.buffer.getNumElements()));
  }

  /// A part of the address, or the buffer's size where there is to be no access: alone that is out of range already.
  Value orNowhere(Value part) {
    if (!access.when)
      return part;
    return arith::SelectOp::create(index.builder, index.loc, access.when, part,
                                   index.toI32(index.constant(access.buffer.getNumElements())));
  }

  bool isGathered(unsigned dim) const { return (access.cols && dim == rank - 1) || (access.rows && dim == 0); }

  /// What the lane adds to a coordinate: the place of its first element, or of the one `offset` from it; or what the
  /// index tile says.
  Value getLanePart(unsigned dim, int64_t offset, bool withOffset) {
    if (!isGathered(dim))
      return index.add(start[dim], withOffset ? offset : 0);
    Value tile = dim == rank - 1 && access.cols ? access.cols : access.rows;
    auto &registers = tile == access.cols ? colRegisters : rowRegisters;
    Value entry = vector::ExtractOp::create(index.builder, index.loc, tile, registers.at({offset}));
    return index.add(start[dim],
                     arith::IndexCastOp::create(index.builder, index.loc, index.builder.getIndexType(), entry));
  }

  /// What the coordinate must stay below, or null where it always does or where the range check sees to it.
  Value getBound(unsigned dim) {
    if (!access.limits.empty() && !isFullBound(dim))
      return access.limits[dim];
    int64_t size = access.buffer.getDimSize(dim);
    int64_t extent = access.tile.getDimSize(access.transposed ? 1 - dim : dim);
    // An index out of memory may be anything, and times the row's bytes come back into range modulo 2^32.
    if (dim == 0 && !isGathered(dim))
      return {};
    if (!isGathered(dim) && divides(extent, size) && divides(extent, access.divisors[dim]))
      return {};
    return index.constant(size);
  }

  /// Whether the limit of a dimension is the constant size of the buffer.
  bool isFullBound(unsigned dim) const {
    return getConstantIntValue(access.limits[dim]) == access.buffer.getDimSize(dim);
  }

  IndexBuilder &index;
  Description access;
  unsigned rank;
  FragmentAttr layout;
  Places places;
  SmallVector<Value> start;
  std::map<SmallVector<int64_t>, int64_t> rowRegisters, colRegisters;
};

/// `vector` with elements of `type`: floats are extended, or rounded to nearest even.
Value convertFloats(IndexBuilder &index, Value vector, Type type) {
  auto from = cast<VectorType>(vector.getType());
  if (from.getElementType() == type)
    return vector;
  auto to = VectorType::get(from.getShape(), type);
  if (from.getElementTypeBitWidth() < to.getElementTypeBitWidth())
    return arith::ExtFOp::create(index.builder, index.loc, to, vector);
  if (from.getElementTypeBitWidth() > to.getElementTypeBitWidth())
    return arith::TruncFOp::create(index.builder, index.loc, to, vector);
  // f16 and bf16 meet in f32, which holds both.
  auto wide = VectorType::get(from.getShape(), index.builder.getF32Type());
  return arith::TruncFOp::create(index.builder, index.loc, to,
                                 arith::ExtFOp::create(index.builder, index.loc, wide, vector));
}

struct LoadPattern : TilePattern<LoadOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(LoadOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    IndexBuilder index{rewriter, op.getLoc()};
    auto buffer = cast<MemRefType>(op.getBuffer().getType());
    Value memory = kernel.getMemory(op.getBuffer(), adaptor.getBuffer());
    VectorType type = VectorType::get(getVectorType(op.getResult()).getShape(), buffer.getElementType());
    if (op.getAt()) {
      Value picked = pick(index, adaptor, buffer, memory, type);
      rewriter.replaceOp(op, convertFloats(index, picked, getTileType(op.getResult()).getElementType()));
      return success();
    }
    BufferAccess access(index, kernel,
                        {.buffer = buffer,
                         .packing = kernel.packings.lookup(op.getBuffer()),
                         .perToken = kernel.tokenBuffers.lookup(op.getBuffer()).perToken,
                         .tile = getTileType(op.getResult()),
                         .indices = adaptor.getIndices(),
                         .limits = adaptor.getLimits(),
                         .divisors = lookUpDivisors(kernel, op.getIndices()),
                         .limitDivisor = op.getLimits().empty() ? 0 : kernel.divisors.at(op.getLimits().back()),
                         .rows = adaptor.getRows(),
                         .cols = adaptor.getCols(),
                         .rowsLayout = op.getRows() ? getFragment(op.getRows().getType()) : FragmentAttr(),
                         .colsLayout = op.getCols() ? getFragment(op.getCols().getType()) : FragmentAttr(),
                         .transposed = op.getTransposed(),
                         .when = adaptor.getWhen()});
    int64_t width = access.getWidth();
    Type part = width == 1 ? type.getElementType() : VectorType::get(width, type.getElementType());
    Value result = zeroVector(index, type);
    for (int64_t i = 0; i < type.getNumElements(); i += width) {
      BufferAddress address = access.getAddress(i);
      IntegerAttr constant = address.constant ? rewriter.getI32IntegerAttr(address.constant) : IntegerAttr();
      Value value = amdgpu::RawBufferLoadOp::create(rewriter, op.getLoc(), part, memory, address.lanes,
                                                    rewriter.getBoolAttr(true), constant, address.shared);
      result = insertRegisters(index, value, result, i);
    }
    rewriter.replaceOp(op, convertFloats(index, result, getTileType(op.getResult()).getElementType()));
    return success();
  }

  /// Every register from the place that the same register of `at` names; a place outside is one past the end.
  static Value pick(IndexBuilder &index, OpAdaptor adaptor, MemRefType buffer, Value memory, VectorType type) {
    Value result = zeroVector(index, type), end = index.constant(buffer.getNumElements());
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      Value entry = vector::ExtractOp::create(index.builder, index.loc, adaptor.getAt(), i);
      Value place = index.add(adaptor.getIndices()[0], arith::IndexCastOp::create(index.builder, index.loc,
                                                                                  index.builder.getIndexType(), entry));
      place = arith::SelectOp::create(index.builder, index.loc, index.lessThan(place, end), place, end);
      Value value =
          amdgpu::RawBufferLoadOp::create(index.builder, index.loc, type.getElementType(), memory, index.toI32(place),
                                          index.builder.getBoolAttr(true), IntegerAttr(), Value());
      result = insertRegisters(index, value, result, i);
    }
    return result;
  }
};

struct StorePattern : TilePattern<StoreOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(StoreOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    IndexBuilder index{rewriter, op.getLoc()};
    FragmentAttr layout = getFragment(op.getTile().getType());
    auto buffer = cast<MemRefType>(op.getBuffer().getType());
    BufferAccess access(index, kernel,
                        {.buffer = buffer,
                         .packing = kernel.packings.lookup(op.getBuffer()),
                         .perToken = kernel.tokenBuffers.lookup(op.getBuffer()).perToken,
                         .tile = getTileType(op.getTile()),
                         .indices = adaptor.getIndices(),
                         .limits = adaptor.getLimits(),
                         .divisors = lookUpDivisors(kernel, op.getIndices()),
                         .limitDivisor = op.getLimits().empty() ? 0 : kernel.divisors.at(op.getLimits().back()),
                         .rows = adaptor.getRows(),
                         .rowsLayout = op.getRows() ? getFragment(op.getRows().getType()) : FragmentAttr(),
                         .transposed = op.getTransposed(),
                         .condition = isFirstReplica(index, kernel, layout)});
    int64_t width = access.getWidth();
    Value tile = convertFloats(index, adaptor.getTile(), buffer.getElementType());
    Value memory = kernel.getMemory(op.getBuffer(), adaptor.getBuffer());
    for (int64_t i = 0; i < layout.getNumRegisters(); i += width)
      amdgpu::RawBufferStoreOp::create(rewriter, op.getLoc(), extractRegisters(index, tile, i, width), memory,
                                       access.getIndex(i), rewriter.getBoolAttr(true), IntegerAttr(), Value());
    rewriter.eraseOp(op);
    return success();
  }
};

// Control block

struct ControlPattern : TilePattern<ControlOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(ControlOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    IndexBuilder index{rewriter, op.getLoc()};
    size_t offset = op.getField() == ControlField::tokens ? offsetof(nstf::support::ControlBlock, tokens)
                                                          : offsetof(nstf::support::ControlBlock, position);
    Value value =
        memref::LoadOp::create(rewriter, op.getLoc(), adaptor.getBlock(), ValueRange(index.constant(offset / 4)));
    // The same for all lanes, which LLVM can't know of a load: loops over it must be scalar.
    value = ROCDL::ReadfirstlaneOp::create(rewriter, op.getLoc(), rewriter.getI32Type(), value);
    rewriter.replaceOpWithNewOp<arith::IndexCastUIOp>(op, rewriter.getIndexType(), value);
    return success();
  }
};

} // namespace

void nstf::systolic::populateMemoryLowering(const KernelContext &kernel, TypeConverter &converter,
                                            RewritePatternSet &patterns) {
  patterns.add<LoadPattern, StorePattern, ControlPattern>(kernel, converter, patterns.getContext());
}
