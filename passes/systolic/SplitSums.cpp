// systolic-split-sums: accumulates long sums of products in two levels (Passes.td).
//
// BEFORE  %sum = scf.for %k = %c0 to %K step %BK iter_args(%acc = %zero) { …; mma …, %acc }
// AFTER   %sum = scf.for %k0 = %c0 to %K step %columns iter_args(%total = %zero) {
//           %until = arith.minui %k0 + %columns, %K
//           %part = scf.for %k = %k0 to %until step %BK iter_args(%acc = 0) { …; mma …, %acc }
//           yield %total + %part
//         }
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Remarks.h"
#include "passes/analysis/Loops.h"
#include "passes/systolic/Passes.h"
#include "passes/systolic/Preconditions.h"

namespace nstf::systolic {
#define GEN_PASS_DEF_SPLITSUMSPASS
#include "passes/systolic/Passes.h.inc"
} // namespace nstf::systolic

using namespace mlir;
using namespace nstf::systolic;
using nstf::support::Schedule;

namespace {

struct SplitSumsPass : nstf::systolic::impl::SplitSumsPassBase<SplitSumsPass> {
  using Base::Base;

  void runOnOperation() override {
    if (failed(requireInlined(getOperation())) || failed(requireNoArray(getOperation())))
      return signalPassFailure();
    noteRun(getOperation(), getArgument());
    int64_t blocks = getOperation().getScheduleFields().sum.value_or(Schedule::allBlocks);
    if (blocks == Schedule::allBlocks)
      return markAllAnalysesPreserved();
    auto options = remark::RemarkOpts::name("Sum").category(getArgument()).function(getOperation().getSymName());
    auto isSum = [](const ProductLoop &product) {
      return product.isSumOfProducts() && product.step && areFloats(product);
    };
    ArrayRef<ProductLoop> loops = getAnalysis<LoopAnalysis>().getLoops();
    if (llvm::none_of(loops, isSum))
      remark::missed(getOperation().getLoc(), options) << "no loop carries nothing but sums of products of floats";
    bool changes = false;
    for (const ProductLoop &product : loops) {
      if (!isSum(product))
        continue;
      scf::ForOp loop = product.loop;
      std::optional<int64_t> all = product.blocks;
      if (all && *all <= blocks) {
        remark::missed(loop.getLoc(), options) << ("one level: all of it is " + std::to_string(*all) + " blocks");
        continue;
      }
      remark::passed(loop.getLoc(), options)
          << "parts are summed up by themselves" << remark::metric("blocks_of_part", blocks);
      split(loop, blocks, /*divides=*/all && *all % blocks == 0);
      changes = true;
    }
    if (!changes)
      markAllAnalysesPreserved();
  }

private:
  /// Whether the sums are floats; sums of integers are exact in any order.
  static bool areFloats(const ProductLoop &product) {
    return llvm::all_of(product.loop->getResultTypes(),
                        [](Type type) { return isa<FloatType>(getElementTypeOrSelf(type)); });
  }

  static void split(scf::ForOp loop, int64_t blocks, bool divides) {
    OpBuilder builder(loop);
    Location loc = loop.getLoc();
    Value columns = arith::ConstantIndexOp::create(builder, loc, blocks * *getConstantIntValue(loop.getStep()));
    SmallVector<Value> zeros;
    for (Value sum : loop.getInitArgs()) {
      auto zero = cast<TypedAttr>(builder.getZeroAttr(sum.getType()));
      zeros.push_back(arith::ConstantOp::create(builder, loc, zero));
    }
    auto outer =
        scf::ForOp::create(builder, loc, loop.getLowerBound(), loop.getUpperBound(), columns, loop.getInitArgs());
    builder.setInsertionPointToStart(outer.getBody());
    Value begin = outer.getInductionVar(), end = arith::AddIOp::create(builder, loc, begin, columns);
    if (!divides)
      end = arith::MinUIOp::create(builder, loc, end, loop.getUpperBound());
    auto inner = scf::ForOp::create(builder, loc, begin, end, loop.getStep(), zeros);
    inner->setDiscardableAttrs(loop->getDiscardableAttrDictionary()); // a plan that was given
    inner.getBody()->erase();
    inner.getRegion().takeBody(loop.getRegion());
    SmallVector<Value> totals;
    for (auto [total, part] : llvm::zip_equal(outer.getRegionIterArgs(), inner.getResults()))
      totals.push_back(arith::AddFOp::create(builder, loc, total, part));
    scf::YieldOp::create(builder, loc, totals);
    loop.replaceAllUsesWith(outer.getResults());
    loop.erase();
  }
};

} // namespace
