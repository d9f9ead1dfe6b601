// systolic-stage-operands: how what memory gives gets to the products (Passes.td).
//
// BEFORE  %x = systolic.load %X[…] : !X -> tensor<128x64xf16, #blocked>
//         %a = systolic.convert_layout %x : tensor<128x64xf16, #blocked> -> tensor<128x64xf16, #a>
//         systolic.mma %a, …
// AFTER   %x = systolic.load %X[…] : !X -> tensor<128x64xf16, #blocked>
//         systolic.barrier
//         systolic.write %x, %lds[%c0]
//         systolic.barrier
//         %a = systolic.read %lds[%c0]
//         systolic.mma %a, …
#include "dialects/nstf/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "passes/analysis/LdsLayout.h"
#include "passes/systolic/Operands.h"
#include "passes/systolic/Passes.h"
#include "passes/systolic/Preconditions.h"
#include "passes/systolic/Scratch.h"
#include "llvm/ADT/MapVector.h"

namespace nstf::systolic {
#define GEN_PASS_DEF_STAGEOPERANDSPASS
#include "passes/systolic/Passes.h.inc"
} // namespace nstf::systolic

using namespace mlir;
using namespace nstf::systolic;
using nstf::support::LdsDirection;

namespace {

/// A conversion of what memory gives to what a product wants, and the array it takes its way through.
struct Stage {
  ConvertLayoutOp conversion;
  LdsTileAccess write, read;
  LdsType lds;
};

struct StageOperandsPass : nstf::systolic::impl::StageOperandsPassBase<StageOperandsPass> {
  using Base::Base;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    FailureOr<nstf::TargetView> found = nstf::TargetView::require(kernel);
    if (failed(found) || failed(requireWaveSize(kernel)))
      return signalPassFailure();
    target = *found;
    SmallVector<Stage> stages;
    int64_t scratch = 0;
    kernel.walk([&](Operation *op) {
      if (auto conversion = dyn_cast<ConvertLayoutOp>(op); conversion && isOperand(conversion))
        stages.push_back(makeStage(conversion));
      else if (isa<ConvertLayoutOp, ReduceOp>(op))
        scratch = std::max(scratch, getScratchBytes(op, *kernel.getWaveSize()));
    });
    llvm::MapVector<Block *, SmallVector<Stage>> blocks;
    int64_t room = target.ldsBytes() - scratch;
    for (Stage &stage : stages) {
      int64_t bytes = stage.lds.getSizeInBytes();
      report(stage, bytes <= room);
      if (bytes > room)
        continue;
      room -= bytes;
      blocks[stage.conversion->getBlock()].push_back(stage);
    }
    for (auto &[block, staged] : blocks)
      for (MutableArrayRef<Stage> rest = staged; !rest.empty();)
        rest = rest.drop_front(stageTogether(rest));
  }

private:
  nstf::TargetView target;

  /// Of what comes from memory, between lanes, for a product.
  static bool isOperand(ConvertLayoutOp op) {
    auto isProduct = [](Operation *user) { return isa<MmaOp>(user); };
    return movesBetweenLanes(op) && llvm::any_of(op->getUsers(), isProduct) && findLoad(op.getTile());
  }

  /// The array lies as memory does, so that writing is as wide as loading was.
  Stage makeStage(ConvertLayoutOp op) {
    RankedTensorType tile = getTileType(op.getResult());
    bool transposed = findLoad(op.getTile()).getTransposed();
    SmallVector<int64_t, 2> shape(tile.getShape());
    if (transposed)
      std::swap(shape[0], shape[1]);
    unsigned bits = tile.getElementTypeBitWidth();
    Stage stage{op,
                {LdsDirection::Write, getFragment(op.getTile().getType()), shape, bits, transposed},
                {LdsDirection::Read, getFragment(tile), shape, bits, transposed},
                {}};
    Builder builder(op.getContext());
    Attribute swizzle = chooseSwizzle(stage.write, stage.read, target.ldsBanks());
    auto axes =
        AxesAttr::get(op.getContext(), {builder.getI64IntegerAttr(shape[0]), builder.getI64IntegerAttr(shape[1])});
    stage.lds = LdsType::get(op.getContext(), /*buffers=*/1, shape, tile.getElementType(),
                             swizzle ? swizzle : builder.getUnitAttr(), axes);
    return stage;
  }

  void report(Stage &stage, bool fits) {
    auto options = remark::RemarkOpts::name("Stage").category(getArgument()).function(getOperation().getSymName());
    Location loc = stage.conversion.getLoc();
    int64_t bytes = stage.lds.getSizeInBytes();
    if (!fits) {
      remark::missed(loc, options) << (std::to_string(bytes) + " bytes of LDS are more than is left");
      return;
    }
    auto swizzle = dyn_cast<SwizzleAttr>(stage.lds.getSwizzle());
    LdsCost in = getCost(stage.write, swizzle, target.ldsBanks()),
            out = getCost(stage.read, swizzle, target.ldsBanks());
    std::string text;
    llvm::raw_string_ostream(text) << "through " << stage.lds << ": writes of " << accessBytes(stage.write, swizzle)
                                   << " bytes, reads of " << accessBytes(stage.read, swizzle) << " bytes";
    if (int64_t conflicts = in.conflictClocks + out.conflictClocks)
      remark::missed(loc, options) << (text + "; no swizzle of its rows spreads them over the banks")
                                   << remark::metric("conflicts", conflicts);
    remark::passed(loc, options) << text << remark::metric("lds", bytes)
                                 << remark::metric("write_conflicts", in.conflictClocks)
                                 << remark::metric("read_conflicts", out.conflictClocks);
  }

  static int64_t accessBytes(const LdsTileAccess &access, SwizzleAttr swizzle) {
    return getAccessWidth(access, swizzle) * access.elementBits / 8;
  }

  /// Stages the first conversion of `stages`, of one block, and those after it whose tiles are there by then; says how
  /// many. They share the barriers.
  size_t stageTogether(MutableArrayRef<Stage> stages) {
    ConvertLayoutOp first = stages.front().conversion;
    auto isThere = [&](Stage &stage) {
      Operation *source = stage.conversion.getTile().getDefiningOp();
      return source->getBlock() != first->getBlock() || source->isBeforeInBlock(first);
    };
    MutableArrayRef<Stage> group = stages.take_while(isThere);
    OpBuilder builder(first);
    Location loc = first.getLoc();
    Value buffer = arith::ConstantIndexOp::create(builder, loc, 0);
    // What the round before reads is still wanted when this one comes to write.
    if (first->getParentOfType<LoopLikeOpInterface>())
      BarrierOp::create(builder, loc);
    SmallVector<Value> arrays;
    for (Stage &stage : group) {
      arrays.push_back(addArgument(stage.lds));
      WriteOp::create(builder, loc, stage.conversion.getTile(), arrays.back(), buffer, stage.write.transposed);
    }
    BarrierOp::create(builder, loc);
    for (auto [stage, lds] : llvm::zip_equal(group, arrays)) {
      builder.setInsertionPoint(stage.conversion);
      Value tile = ReadOp::create(builder, stage.conversion.getLoc(), stage.conversion.getResult().getType(), lds,
                                  buffer, /*from=*/DenseI64ArrayAttr(), stage.read.transposed);
      stage.conversion.replaceAllUsesWith(tile);
      stage.conversion.erase();
    }
    return group.size();
  }

  Value addArgument(LdsType type) {
    KernelOp kernel = getOperation();
    (void)kernel.insertArgument(kernel.getNumArguments(), type, {}, kernel.getLoc());
    return kernel.getBody().front().getArguments().back();
  }
};

} // namespace
