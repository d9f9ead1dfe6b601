// systolic-split-sums: long sums of products in two levels (Passes.td).
//
// BEFORE  %sum = scf.for %k = %c0 to %K step %BK iter_args(%acc = %zero) { …; mma …, %acc }
// AFTER   %sum = scf.for %k0 = %c0 to %K step %columns iter_args(%total = %zero) {
//           %until = arith.minui %k0 + %columns, %K
//           %part = scf.for %k = %k0 to %until step %BK iter_args(%acc = 0) { …; mma …, %acc }
//           yield %total + %part
//         }
#include "dialects/systolic/Systolic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Remarks.h"
#include "passes/systolic/Passes.h"
#include "passes/systolic/ProductLoop.h"

namespace nstf::systolic {
#define GEN_PASS_DEF_SPLITSUMSPASS
#include "passes/systolic/Passes.h.inc"
} // namespace nstf::systolic

using namespace mlir;
using namespace nstf::systolic;

namespace {

struct SplitSumsPass : nstf::systolic::impl::SplitSumsPassBase<SplitSumsPass> {
  using Base::Base;

  void runOnOperation() override {
    int64_t blocks = getOperation().getParam("KB").value_or(0);
    if (blocks < 1)
      return;
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (isSum(loop))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops) {
      auto options = remark::RemarkOpts::name("Sum").category(getArgument()).function(getOperation().getSymName());
      std::optional<int64_t> all = countRounds(loop);
      if (all && *all <= blocks) {
        remark::missed(loop.getLoc(), options) << ("one level: all of it is " + std::to_string(*all) + " blocks");
        continue;
      }
      remark::passed(loop.getLoc(), options)
          << "parts are summed up by themselves" << remark::metric("blocks_of_part", blocks);
      split(loop, blocks, /*divides=*/all && *all % blocks == 0);
    }
  }

private:
  /// Whether a loop carries nothing but sums of products of floats. Sums of integers are exact in any order.
  static bool isSum(scf::ForOp loop) {
    if (loop.getNumResults() == 0 || !getConstantIntValue(loop.getStep()))
      return false;
    return llvm::all_of(llvm::zip_equal(loop.getRegionIterArgs(), loop.getYieldedValues()), [](auto pair) {
      auto [sum, yielded] = pair;
      auto mma = yielded.template getDefiningOp<MmaOp>();
      return mma && mma.getAcc() == sum && sum.hasOneUse() && isa<FloatType>(getTileType(sum).getElementType());
    });
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
