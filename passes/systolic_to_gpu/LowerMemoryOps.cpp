// Lowers loads, stores and reads of the control block (BufferAccess.h computes the addresses).
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/systolic_to_gpu/BufferAccess.h"
#include "passes/systolic_to_gpu/Codes.h"
#include "support/ControlBlock.h"

using namespace mlir;
using namespace nstf::systolic;

namespace {

SmallVector<KnownIndex> lookUp(const KernelContext &kernel, ValueRange indices) {
  return llvm::map_to_vector(indices, [&](Value index) { return kernel.indices.at(index); });
}

/// Converts `vector` to elements of `type`: extends them, or rounds to nearest even.
Value convertNumbers(IndexBuilder &index, Value vector, Type type, Operation *op) {
  auto from = cast<VectorType>(vector.getType());
  if (from.getElementType() == type)
    return vector;
  if (isCode(from.getElementType()))
    return convertCodes(index, vector, type, op);
  if (isCode(type))
    return roundToCodes(index, vector, type);
  auto to = VectorType::get(from.getShape(), type);
  if (from.getElementTypeBitWidth() < to.getElementTypeBitWidth())
    return arith::ExtFOp::create(index.builder, index.loc, to, vector);
  if (from.getElementTypeBitWidth() > to.getElementTypeBitWidth())
    return arith::TruncFOp::create(index.builder, index.loc, to, vector);
  // f16 and bf16 are converted by way of f32, which holds both.
  auto wide = VectorType::get(from.getShape(), index.builder.getF32Type());
  return arith::TruncFOp::create(index.builder, index.loc, to,
                                 arith::ExtFOp::create(index.builder, index.loc, wide, vector));
}

/// A load's limits and memory. If the limit of the rows lies before the end of the buffer, the load becomes one of a
/// shorter buffer: the range check of the buffer's descriptor replaces a comparison for each access.
struct LimitedRows {
  SmallVector<Value> limits;
  Value memory;

  static LimitedRows of(IndexBuilder &index, const KernelContext &kernel, LoadOp op, Value memory, ValueRange limits) {
    LimitedRows found{SmallVector<Value>(limits), memory};
    auto buffer = cast<MemRefType>(op.getBuffer().getType());
    bool isPlain = !kernel.packings.lookup(op.getBuffer()) && !kernel.ownMemory.lookup(op.getBuffer()).perToken;
    if (limits.empty() || buffer.getRank() != 2 || !isPlain || op.getRows() || getConstantIntValue(limits[0]) ||
        buffer.getDimSize(1) * buffer.getElementTypeBitWidth() % 32 != 0)
      return found;
    Value size = index.constant(buffer.getDimSize(0));
    Value end = arith::MinUIOp::create(index.builder, index.loc, limits[0], size);
    found.memory =
        viewFrom(index, memory, kernel.ownMemory.lookup(op.getBuffer()).begin, index.mul(end, buffer.getDimSize(1)));
    found.limits[0] = size;
    return found;
  }
};

struct LoadPattern : TilePattern<LoadOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(LoadOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    IndexBuilder index{rewriter, op.getLoc()};
    auto buffer = cast<MemRefType>(op.getBuffer().getType());
    Value memory = kernel.getMemory(op.getBuffer(), adaptor.getBuffer());
    VectorType type = VectorType::get(getVectorType(op.getResult()).getShape(), buffer.getElementType());
    if (op.getAt()) {
      Value picked = pick(index, adaptor, buffer, memory, type);
      rewriter.replaceOp(op, convertNumbers(index, picked, getTileType(op.getResult()).getElementType(), op));
      return success();
    }
    LimitedRows rows = LimitedRows::of(index, kernel, op, memory, adaptor.getLimits());
    BufferAccess access(index, kernel,
                        {.buffer = buffer,
                         .packing = kernel.packings.lookup(op.getBuffer()),
                         .perToken = kernel.ownMemory.lookup(op.getBuffer()).perToken,
                         .tile = getTileType(op.getResult()),
                         .indices = adaptor.getIndices(),
                         .limits = rows.limits,
                         .known = lookUp(kernel, op.getIndices()),
                         .knownLimits = lookUp(kernel, op.getLimits()),
                         .rows = adaptor.getRows(),
                         .cols = adaptor.getCols(),
                         .rowsLayout = op.getRows() ? getFragment(op.getRows().getType()) : FragmentAttr(),
                         .colsLayout = op.getCols() ? getFragment(op.getCols().getType()) : FragmentAttr(),
                         .transposed = op.getTransposed(),
                         .when = adaptor.getWhen()});
    const AccessRegisters &loads = access.getLoads();
    Type part = loads.width == 1 ? type.getElementType() : VectorType::get(loads.width, type.getElementType());
    Value result = zeroVector(index, type);
    for (int64_t i = 0; i < loads.getNumAccesses(); ++i) {
      ArrayRef<int64_t> registers = loads.of(i);
      BufferAddress address = access.getAddress(registers.front());
      IntegerAttr constant = address.constant ? rewriter.getI32IntegerAttr(address.constant) : IntegerAttr();
      Value value = amdgpu::RawBufferLoadOp::create(rewriter, op.getLoc(), part, rows.memory, address.lanes,
                                                    rewriter.getBoolAttr(true), constant, address.shared);
      result = insertRegisters(index, access.moveCut(value, registers.front()), result, registers);
    }
    rewriter.replaceOp(op, convertNumbers(index, result, getTileType(op.getResult()).getElementType(), op));
    return success();
  }

  /// Loads each register from the place in the same register of `at`; a place outside the buffer becomes one past its
  /// end.
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
                         .perToken = kernel.ownMemory.lookup(op.getBuffer()).perToken,
                         .tile = getTileType(op.getTile()),
                         .indices = adaptor.getIndices(),
                         .limits = adaptor.getLimits(),
                         .known = lookUp(kernel, op.getIndices()),
                         .knownLimits = lookUp(kernel, op.getLimits()),
                         .rows = adaptor.getRows(),
                         .rowsLayout = op.getRows() ? getFragment(op.getRows().getType()) : FragmentAttr(),
                         .transposed = op.getTransposed(),
                         .condition = isFirstReplica(index, kernel, layout)});
    int64_t width = access.getWidth();
    Value tile = convertNumbers(index, adaptor.getTile(), buffer.getElementType(), op);
    Value memory = kernel.getMemory(op.getBuffer(), adaptor.getBuffer());
    for (int64_t i = 0; i < layout.getNumRegisters(); i += width)
      amdgpu::RawBufferStoreOp::create(rewriter, op.getLoc(), extractRegisters(index, tile, i, width), memory,
                                       access.getIndex(i), rewriter.getBoolAttr(true), IntegerAttr(), Value());
    if (access.isCut()) {
      auto cut = scf::IfOp::create(rewriter, op.getLoc(), access.reachesCut(), /*withElseRegion=*/false);
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(cut.thenBlock());
      for (int64_t i = 0; i < layout.getNumRegisters(); i += width)
        for (const BufferAccess::Piece &piece : access.getPieces())
          amdgpu::RawBufferStoreOp::create(
              rewriter, op.getLoc(), extractRegisters(index, tile, i + piece.offset, piece.count), memory,
              access.getIndexOfCut(i, piece.offset), rewriter.getBoolAttr(true), IntegerAttr(), Value());
    }
    rewriter.eraseOp(op);
    return success();
  }
};

// Control block

struct ControlPattern : TilePattern<ControlOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(ControlOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    IndexBuilder index{rewriter, op.getLoc()};
    Value block = adaptor.getBlock();
    if (kernel.controlStart)
      block =
          viewFrom(index, block, kernel.controlStart, rewriter.getIndexAttr(sizeof(nstf::support::ControlBlock) / 4));
    Value value =
        memref::LoadOp::create(rewriter, op.getLoc(), block, ValueRange(index.constant(getOffset(op.getField()) / 4)));
    // The value is the same in all lanes, which LLVM cannot infer for a load; readfirstlane makes loops over it scalar.
    value = ROCDL::ReadfirstlaneOp::create(rewriter, op.getLoc(), rewriter.getI32Type(), value);
    rewriter.replaceOpWithNewOp<arith::IndexCastUIOp>(op, rewriter.getIndexType(), value);
    return success();
  }

  static size_t getOffset(ControlField field) {
    using nstf::support::ControlBlock;
    switch (field) {
    case ControlField::position:
      return offsetof(ControlBlock, position);
    case ControlField::first:
      return offsetof(ControlBlock, first);
    case ControlField::slot:
      return offsetof(ControlBlock, slot);
    default:
      return offsetof(ControlBlock, tokens);
    }
  }
};

} // namespace

void nstf::systolic::populateMemoryLowering(const KernelContext &kernel, TypeConverter &converter,
                                            RewritePatternSet &patterns) {
  patterns.add<LoadPattern, StorePattern, ControlPattern>(kernel, converter, patterns.getContext());
}
