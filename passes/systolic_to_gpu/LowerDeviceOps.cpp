// Lowers ops between workgroups and between crews.
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/systolic_to_gpu/TileLowering.h"

using namespace mlir;
using namespace nstf::systolic;

namespace {

/// One lane counts, between fences at device scope: earlier stores are visible to whoever counts later, and later loads
/// see nothing older.
struct ArrivePattern : TilePattern<ArriveOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(ArriveOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    IndexBuilder index{rewriter, op.getLoc()};
    bool hasWaves = kernel.array.getNumWaves() * kernel.crews > 1;
    makeFence(index, LLVM::AtomicOrdering::release);
    Value isFirst = isZero(index, kernel.lane);
    if (hasWaves) {
      amdgpu::LDSBarrierOp::create(rewriter, op.getLoc());
      isFirst = index.both(isFirst, isZero(index, kernel.crews > 1 ? kernel.crew : kernel.wave));
    }
    Value counters = kernel.getMemory(op.getCounters(), adaptor.getCounters());
    auto update = [&](arith::AtomicRMWKind kind, int64_t value) -> Value {
      return memref::AtomicRMWOp::create(rewriter, op.getLoc(), kind, index.toI32(index.constant(value)), counters,
                                         adaptor.getIndex());
    };
    Value before = onlyIf(index, isFirst, [&] { return update(arith::AtomicRMWKind::addi, 1); });
    before = hasWaves ? shareWithWaves(index, isFirst, before) : before;
    before = ROCDL::ReadfirstlaneOp::create(rewriter, op.getLoc(), rewriter.getI32Type(), before);
    Value last = index.toI32(index.add(adaptor.getCount(), -1));
    Value isLast = arith::CmpIOp::create(rewriter, op.getLoc(), arith::CmpIPredicate::eq, before, last);
    (void)onlyIf(index, index.both(isLast, isFirst), [&] { return update(arith::AtomicRMWKind::assign, 0); });
    makeFence(index, LLVM::AtomicOrdering::acquire);
    rewriter.replaceOp(op, isLast);
    return success();
  }

private:
  static void makeFence(IndexBuilder &index, LLVM::AtomicOrdering ordering) {
    LLVM::FenceOp::create(index.builder, index.loc, ordering, "agent");
  }

  static Value isZero(IndexBuilder &index, Value value) { return index.lessThan(value, index.constant(1)); }

  /// The i32 that `make` creates if the condition holds, else 0.
  static Value onlyIf(IndexBuilder &index, Value condition, function_ref<Value()> make) {
    Type i32 = index.builder.getI32Type();
    auto branch = scf::IfOp::create(index.builder, index.loc, i32, condition, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(index.builder);
    index.builder.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(index.builder, index.loc, make());
    index.builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(index.builder, index.loc, index.toI32(index.constant(0)));
    return branch.getResult(0);
  }

  /// Broadcasts the value of the lane that counted through the LDS of the first crew.
  Value shareWithWaves(IndexBuilder &index, Value isFirst, Value value) const {
    Value zero = index.constant(0);
    Value shared = viewScratch(index, kernel, {1}, value.getType(), zero);
    auto branch = scf::IfOp::create(index.builder, index.loc, isFirst, /*withElseRegion=*/false);
    {
      OpBuilder::InsertionGuard guard(index.builder);
      index.builder.setInsertionPointToStart(branch.thenBlock());
      memref::StoreOp::create(index.builder, index.loc, value, shared, zero);
    }
    amdgpu::LDSBarrierOp::create(index.builder, index.loc);
    Value read = memref::LoadOp::create(index.builder, index.loc, shared, zero);
    amdgpu::LDSBarrierOp::create(index.builder, index.loc); // other ops use the scratch from here on
    return read;
  }
};

struct CrewPattern : TilePattern<CrewOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(CrewOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, kernel.crew);
    return success();
  }
};

} // namespace

void nstf::systolic::populateDeviceLowering(const KernelContext &kernel, TypeConverter &converter,
                                            RewritePatternSet &patterns) {
  patterns.add<ArrivePattern, CrewPattern>(kernel, converter, patterns.getContext());
}
