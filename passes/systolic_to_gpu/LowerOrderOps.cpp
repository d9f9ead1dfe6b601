// Lowering of the operations of order: overlaps, barriers, waits, priorities.
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/systolic_to_gpu/TileLowering.h"

using namespace mlir;
using namespace nstf::systolic;

namespace {

// Overlaps keep their parts; what they yield becomes vectors.

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
    // Nothing in the object. LLVM moves loads down to the block that takes them, past products and over this branch,
    // and none over what may write to memory.
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

// Waves that wait for one another.

/// Nothing moves over it.
void pin(OpBuilder &builder, Location loc) {
  amdgpu::SchedBarrierOp::create(builder, loc, amdgpu::sched_barrier_opt_enum::none);
}

/// Waits for the waves alone, and nothing moves over it.
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
      // LLVM waits for writes here, but not always for reads of another block of code whose results nobody uses.
      waitForLds();
      amdgpu::LDSBarrierOp::create(builder, loc);
      return;
    }
    // Its fences would wait for what is staged, too.
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

/// One more barrier for half of the waves.
struct SkewPattern : TilePattern<SkewOp> {
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(SkewOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    IndexBuilder index{rewriter, op.getLoc()};
    Value half = index.constant(kernel.array.getNumWaves() / 2);
    auto predicate = op.getEnd() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::uge;
    Value isHalf = arith::CmpIOp::create(rewriter, op.getLoc(), predicate, kernel.wave, half);
    // Of two ways from a product to its use LLVM may count the longer one's wait states: here none are missing.
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
