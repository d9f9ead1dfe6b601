// systolic-align-blocks: blocks of a sum of products end where the sum does (Passes.td).
//
// BEFORE  scf.for %k = %c0 to %c4100 step %c64 { systolic.load %X[%m0, %k]; … }
// AFTER   scf.for %k = %c0 to %c4160 step %c64 { %column = arith.subi %k, %c60; systolic.load %X[%m0, %column]; … }
#include "dialects/nstf/Target.h"
#include "dialects/systolic/Systolic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Remarks.h"
#include "passes/systolic/Operands.h"
#include "passes/systolic/Passes.h"
#include "passes/systolic/ProductLoop.h"

namespace nstf::systolic {
#define GEN_PASS_DEF_ALIGNBLOCKSPASS
#include "passes/systolic/Passes.h.inc"
} // namespace nstf::systolic

using namespace mlir;
using namespace nstf::systolic;

namespace {

/// Blocks of a sum to which a block of nothing may be added: it costs less than loading each line twice.
constexpr int64_t fewestForPairs = 16;

struct AlignBlocksPass : nstf::systolic::impl::AlignBlocksPassBase<AlignBlocksPass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (isSumOfProducts(loop))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops) {
      std::optional<int64_t> rounds = countRounds(loop);
      if (!rounds || getConstantIntValue(loop.getLowerBound()) != 0)
        continue;
      int64_t step = *getConstantIntValue(loop.getStep()), columns = *getEnd(loop);
      int64_t blocksOfLine = *rounds < fewestForPairs ? 1 : getBlocksOfLine(loop, step);
      int64_t added = llvm::alignTo(columns, step * blocksOfLine) - columns;
      if (added == 0)
        continue;
      auto options = remark::RemarkOpts::name("Blocks").category(getArgument()).function(getOperation().getSymName());
      if (std::string reason = getObstacle(loop, columns); !reason.empty()) {
        remark::missed(loop.getLoc(), options) << ("the last block is ragged: " + reason);
        continue;
      }
      shift(loop, columns + added, added);
      auto remark = remark::passed(loop.getLoc(), options);
      if (added < step)
        remark << "of the first block only the last columns are there, of all others all";
      else
        remark << "nothing of the first block is there, so that pairs of blocks, which are lines, end with the sum";
      remark << remark::metric("columns_of_first", std::max<int64_t>(step - added, 0))
             << remark::metric("columns", step);
    }
  }

private:
  /// What makes blocks of nothing but zeros harmless.
  static bool isSumOfProducts(scf::ForOp loop) {
    return loop.getNumResults() > 0 &&
           llvm::all_of(llvm::zip_equal(loop.getRegionIterArgs(), loop.getYieldedValues()), [](auto pair) {
             auto mma = std::get<1>(pair).template getDefiningOp<MmaOp>();
             return mma && mma.getAcc() == std::get<0>(pair);
           });
  }

  /// Blocks whose rows are halves of a line of the L1 are loaded by pairs, where they are even in number
  /// (InsertPrefetch).
  int64_t getBlocksOfLine(scf::ForOp loop, int64_t step) {
    nstf::TargetView target = nstf::TargetView::lookup(getOperation());
    bool areHalves =
        target && llvm::all_of(loop.getOps<LoadOp>(), [&](LoadOp load) {
          return 2 * step * getElementTypeOrSelf(load.getType()).getIntOrFloatBitWidth() == 8 * target.l1LineBytes();
        });
    return areHalves ? 2 : 1;
  }

  /// Why a loop's blocks can't begin before the first column; empty where they can.
  static std::string getObstacle(scf::ForOp loop, int64_t columns) {
    for (OpOperand &use : loop.getInductionVar().getUses()) {
      auto load = dyn_cast<LoadOp>(use.getOwner());
      if (!load || load.getIndices().back() != use.get() || llvm::count(load->getOperands(), use.get()) != 1)
        return "its column is more than a place to load from";
      if (load.getCols() || load.getAt() || !load.getLimits().empty())
        return "its loads are not parts of a buffer as they are";
      if (cast<MemRefType>(load.getBuffer().getType()).getShape().back() != columns)
        return "its loads end elsewhere than the sum";
      if (findPacking(load.getBuffer()))
        return "memory holds blocks";
    }
    return "";
  }

  static void shift(scf::ForOp loop, int64_t end, int64_t added) {
    OpBuilder builder(loop);
    Location loc = loop.getLoc();
    Value bound = arith::ConstantIndexOp::create(builder, loc, end);
    if (auto choice = loop.getUpperBound().getDefiningOp<arith::SelectOp>())
      bound = arith::SelectOp::create(builder, loc, choice.getCondition(), bound, choice.getFalseValue());
    loop.setUpperBound(bound);
    Value before = arith::ConstantIndexOp::create(builder, loc, added);
    builder.setInsertionPointToStart(loop.getBody());
    Value column = arith::SubIOp::create(builder, loc, loop.getInductionVar(), before);
    loop.getInductionVar().replaceAllUsesExcept(column, column.getDefiningOp());
  }
};

} // namespace
