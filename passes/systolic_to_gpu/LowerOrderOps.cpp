// Lowers the ops that order others: overlaps, barriers, waits, priorities.
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/systolic_to_gpu/TileLowering.h"

using namespace mlir;
using namespace nstf::systolic;

namespace {

// Overlaps keep their parts; their results become vectors.

struct OverlapPattern : TilePattern<OverlapOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(OverlapOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertTypes(op.getResultTypes(), types)))
      return failure();
    auto converted = OverlapOp::create(rewriter, op.getLoc(), types, op.getParts().size());
    for (auto [from, to] : llvm::zip_equal(op.getParts(), converted.getParts()))
      rewriter.inlineRegionBefore(from, to, to.end());
    rewriter.replaceOp(op, converted.getResults());
    return success();
  }
};

struct YieldPattern : TilePattern<YieldOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(YieldOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<YieldOp>(op, adaptor.getValues());
    return success();
  }
};

/// A branch that a wave takes as a whole.
struct IfAnyPattern : TilePattern<IfAnyOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(IfAnyOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertTypes(op.getResultTypes(), types)))
      return failure();
    IndexBuilder index{rewriter, loc};
    Value asks;
    for (int64_t i = 0; i < getVectorType(op.getCondition()).getNumElements(); ++i) {
      Value element = extractRegisters(index, adaptor.getCondition(), i, 1);
      asks = asks ? arith::OrIOp::create(rewriter, loc, asks, element) : element;
    }
    Type lanes = rewriter.getIntegerType(kernel.waveSize);
    Value asking = ROCDL::BallotOp::create(rewriter, loc, lanes, asks);
    Value none = arith::ConstantOp::create(rewriter, loc, rewriter.getIntegerAttr(lanes, 0));
    Value any = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ne, asking, none);
    // This asm emits no code. It keeps LLVM from sinking loads past products and this branch into the block that uses
    // them, since LLVM moves no load over an op that may write memory.
    LLVM::InlineAsmOp::create(rewriter, loc, TypeRange(), ValueRange(), /*asm_string=*/"", /*constraints=*/"~{memory}",
                              /*has_side_effects=*/true, /*is_align_stack=*/false, LLVM::TailCallKind::None,
                              /*asm_dialect=*/{}, /*operand_attrs=*/{});
    auto branch = scf::IfOp::create(rewriter, loc, types, any, /*addThenBlock=*/false, /*addElseBlock=*/true);
    rewriter.inlineRegionBefore(op.getBody(), branch.getThenRegion(), branch.getThenRegion().end());
    Operation *yield = branch.getThenRegion().front().getTerminator();
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(yield);
    rewriter.replaceOpWithNewOp<scf::YieldOp>(yield, yield->getOperands());
    rewriter.setInsertionPointToEnd(&branch.getElseRegion().front());
    scf::YieldOp::create(rewriter, loc, adaptor.getOtherwise());
    rewriter.replaceOp(op, branch.getResults());
    return success();
  }
};

// Waves that wait for one another

/// Creates a scheduling barrier, which no instruction crosses.
void pin(OpBuilder &builder, Location loc) {
  amdgpu::SchedBarrierOp::create(builder, loc, amdgpu::sched_barrier_opt_enum::none);
}

/// Waits for the other waves only, not for memory; no instruction crosses it.
void meet(OpBuilder &builder, Location loc) {
  pin(builder, loc);
  ROCDL::SBarrierOp::create(builder, loc);
  pin(builder, loc);
}

struct BarrierPattern : TilePattern<BarrierOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(BarrierOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    if (op.getPinned())
      pin(rewriter, loc);
    if (IndexBuilder index{rewriter, loc}; kernel.crews > 1)
      makeLdsBarrier(index, kernel);
    else if (op.getNowait())
      ROCDL::SBarrierOp::create(rewriter, loc);
    else
      makeWaiting(rewriter, loc);
    if (op.getPinned())
      pin(rewriter, loc);
    rewriter.eraseOp(op);
    return success();
  }

private:
  void makeWaiting(OpBuilder &builder, Location loc) const {
    auto waitForLds = [&] {
      amdgpu::MemoryCounterWaitOp::create(builder, loc, /*load=*/{}, /*store=*/{},
                                          /*ds=*/builder.getI32IntegerAttr(0), /*exp=*/{}, /*tensor=*/{});
    };
    if (kernel.stagedArrays.empty()) {
      // At a barrier LLVM waits for writes, but not always for reads in another basic block whose results are unused.
      waitForLds();
      amdgpu::LDSBarrierOp::create(builder, loc);
      return;
    }
    // The fences of an LDS barrier would wait for staged accesses too.
    pin(builder, loc);
    waitForLds();
    ROCDL::SBarrierOp::create(builder, loc);
    pin(builder, loc);
  }
};

struct WaitPattern : TilePattern<WaitOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(WaitOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<amdgpu::MemoryCounterWaitOp>(op, /*load=*/rewriter.getI32IntegerAttr(op.getCount()),
                                                             /*store=*/IntegerAttr(), /*ds=*/IntegerAttr(),
                                                             /*exp=*/IntegerAttr(), /*tensor=*/IntegerAttr());
    return success();
  }
};

struct PriorityPattern : TilePattern<PriorityOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(PriorityOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<ROCDL::SetPrioOp>(op, op.getLevel());
    return success();
  }
};

/// An extra barrier for half of the waves.
struct SkewPattern : TilePattern<SkewOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(SkewOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    IndexBuilder index{rewriter, op.getLoc()};
    Value half = index.constant(kernel.array.getNumWaves() / 2);
    auto predicate = op.getEnd() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::uge;
    Value isHalf = arith::CmpIOp::create(rewriter, op.getLoc(), predicate, kernel.wave, half);
    // LLVM may count wait states along the longer of two paths from a product to its use; this nop covers the shorter
    // one.
    if (op.getEnd())
      ROCDL::SNopOp::create(rewriter, op.getLoc(), 15);
    auto branch = scf::IfOp::create(rewriter, op.getLoc(), isHalf, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(branch.thenBlock());
    meet(rewriter, op.getLoc());
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void nstf::systolic::populateOrderLowering(const KernelContext &kernel, TypeConverter &converter,
                                           RewritePatternSet &patterns) {
  patterns.add<OverlapPattern, YieldPattern, IfAnyPattern, BarrierPattern, WaitPattern, PriorityPattern, SkewPattern>(
      kernel, converter, patterns.getContext());
}
