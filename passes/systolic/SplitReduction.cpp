// systolic-split-reduction: divides the columns of a sum of products among the waves of a workgroup (Passes.td).
//
// BEFORE  %sum = scf.for %k = … iter_args(%acc = %zero) -> (tensor<32x32xf32>) { …; mma %x, %w, %acc }
// AFTER   %parts = scf.for %k = … iter_args(%acc = %zeros) -> (tensor<64x32xf32>) { …; mma %x, %w, %acc parts 2 }
//         %sum = systolic.sum_parts %parts : tensor<64x32xf32> -> tensor<32x32xf32>
#include "dialects/nstf/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Remarks.h"
#include "passes/analysis/Loops.h"
#include "passes/systolic/Passes.h"
#include "passes/systolic/Preconditions.h"

namespace nstf::systolic {
#define GEN_PASS_DEF_SPLITREDUCTIONPASS
#include "passes/systolic/Passes.h.inc"
} // namespace nstf::systolic

using namespace mlir;
using namespace nstf::systolic;

namespace {

/// The min bytes of a row of memory that a wave loads for itself.
constexpr int64_t minRunBytes = 64;

struct SplitReductionPass : nstf::systolic::impl::SplitReductionPassBase<SplitReductionPass> {
  using Base::Base;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (failed(requireInlined(kernel)) || failed(requireNoArray(kernel)))
      return signalPassFailure();
    noteRun(getOperation(), getArgument());
    int64_t parts = kernel.getWaves().parts;
    markAnalysesPreserved<LoopAnalysis>();
    if (parts == 1)
      return;
    const LoopAnalysis &analysis = getAnalysis<LoopAnalysis>();
    auto options = remark::RemarkOpts::name("Parts").category(getArgument()).function(kernel.getSymName());
    if (llvm::all_of(analysis.getLoops(), [&](const ProductLoop &loop) {
          return llvm::all_of(loop.products,
                              [&](const LoopProduct &one) { return int64_t(MmaOp(one.mma).getParts()) == parts; });
        }))
      return;
    // All sums must be split, because an array has a single number of parts.
    auto isSplit = [](const ProductLoop &loop) {
      return loop.isSumOfProducts() && loop.beginsWithZero() && loop.products.size() == loop.loop->getNumResults();
    };
    if (analysis.getLoops().empty() || !analysis.getLoneProducts().empty() ||
        !llvm::all_of(analysis.getLoops(), isSplit)) {
      remark::missed(kernel.getLoc(), options) << "the kernel has products that are no terms of a sum from zero";
      return;
    }
    SmallVector<scf::ForOp> loops =
        llvm::map_to_vector(analysis.getLoops(), [](const ProductLoop &product) { return product.loop; });
    if (std::string reason = getMisfit(loops, parts); !reason.empty()) {
      remark::missed(kernel.getLoc(), options) << reason;
      return;
    }
    for (const ProductLoop &product : analysis.getLoops()) {
      scf::ForOp loop = product.loop;
      split(loop, parts, takesRuns(product, parts));
      remark::passed(loop.getLoc(), options)
          << ("waves share out the columns of a sum, which has " + describeGrid()) << remark::metric("parts", parts);
    }
  }

private:
  /// The reason why a workgroup cannot have this number of parts; empty if it can. LDS must hold the parts of a sum in
  /// addition to the operands.
  std::string getMisfit(ArrayRef<scf::ForOp> loops, int64_t parts) {
    KernelOp kernel = getOperation();
    nstf::TargetView target = nstf::TargetView::lookup(kernel);
    if (!target)
      return "";
    int64_t waves = kernel.getWaves().count();
    if (int64_t workItems = waves * target.waveSizes().back(); workItems > target.maxWorkgroupSize())
      return std::to_string(parts) + " parts would take " + std::to_string(workItems) +
             " work-items, a workgroup has at most " + std::to_string(target.maxWorkgroupSize());
    for (scf::ForOp loop : loops)
      for (Value sum : loop.getResults()) {
        RankedTensorType tile = getTileType(sum);
        int64_t bytes = parts * tile.getNumElements() * tile.getElementTypeBitWidth() / 8;
        if (2 * bytes > target.ldsBytes())
          return std::to_string(parts) + " parts would take " + std::to_string(bytes) +
                 " bytes of LDS, more than half of " + std::to_string(target.ldsBytes());
      }
    return "";
  }

  std::string describeGrid() {
    KernelOp kernel = getOperation();
    int64_t items = 1;
    for (const KernelOp::GridAxis &axis : kernel.getGridAxes())
      items *= kernel.getNumWorkItems(axis);
    nstf::TargetView target = nstf::TargetView::lookup(kernel);
    return std::to_string(items) + " tiles" +
           (target ? " for " + std::to_string(target.computeUnits()) + " compute units" : "");
  }

  static RankedTensorType getParts(RankedTensorType sum, int64_t parts) {
    SmallVector<int64_t> shape(sum.getShape());
    shape[0] *= parts;
    SmallVector<Attribute> axes(cast<AxesAttr>(sum.getEncoding()).getNames());
    axes[0] = Builder(sum.getContext()).getI64IntegerAttr(shape[0]);
    return RankedTensorType::get(shape, sum.getElementType(), AxesAttr::get(sum.getContext(), axes));
  }

  /// Whether each wave takes its own run of columns and never exchanges data with the others. That requires that no
  /// waves split rows and columns, and that a run is long enough for memory.
  bool takesRuns(const ProductLoop &product, int64_t parts) {
    nstf::support::Schedule::Waves waves = getOperation().getWaves();
    auto isLongEnough = [&](LoadOp load) {
      int64_t bits = cast<MemRefType>(load.getBuffer().getType()).getElementTypeBitWidth();
      return product.depth / parts * bits >= 8 * minRunBytes;
    };
    return waves.rows * waves.columns == 1 && product.depth % parts == 0 && llvm::all_of(product.loads, isLongEnough);
  }

  static void split(scf::ForOp loop, int64_t parts, bool runs) {
    OpBuilder builder(loop);
    for (auto [init, sum, result] :
         llvm::zip_equal(loop.getInitArgsMutable(), loop.getRegionIterArgs(), loop.getResults())) {
      RankedTensorType whole = getTileType(sum), type = getParts(whole, parts);
      builder.setInsertionPoint(loop);
      init.set(arith::ConstantOp::create(builder, loop.getLoc(), cast<TypedAttr>(builder.getZeroAttr(type))));
      auto product = cast<MmaOp>(*sum.user_begin());
      sum.setType(type);
      product.getResult().setType(type);
      product.setParts(parts);
      product.setRuns(runs);
      result.setType(type);
      builder.setInsertionPointAfter(loop);
      auto total = SumPartsOp::create(builder, loop.getLoc(), whole, result);
      result.replaceAllUsesExcept(total, total);
    }
  }
};

} // namespace
