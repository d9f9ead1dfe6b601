// systolic-align-blocks: shifts the blocks of a sum of products so that the last one ends with the sum (Passes.td).
//
// BEFORE  scf.for %k = %c0 to %c4100 step %c64 { systolic.load %X[%m0, %k]; … }
// AFTER   scf.for %k = %c0 to %c4160 step %c64 { %column = arith.subi %k, %c60; systolic.load %X[%m0, %column]; … }
#include "dialects/nstf/Target.h"
#include "dialects/systolic/Systolic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Remarks.h"
#include "passes/analysis/Loops.h"
#include "passes/analysis/Operands.h"
#include "passes/systolic/Passes.h"
#include "passes/systolic/Preconditions.h"

namespace nstf::systolic {
#define GEN_PASS_DEF_ALIGNBLOCKSPASS
#include "passes/systolic/Passes.h.inc"
} // namespace nstf::systolic

using namespace mlir;
using namespace nstf::systolic;

namespace {

/// The min number of blocks to which an empty block may be added: from here on it costs less than to load each line
/// twice.
constexpr int64_t fewestForPairs = 16;

struct AlignBlocksPass : nstf::systolic::impl::AlignBlocksPassBase<AlignBlocksPass> {
  using Base::Base;

  void runOnOperation() override {
    if (failed(requireInlined(getOperation())) || failed(requireNoArray(getOperation())))
      return signalPassFailure();
    noteRun(getOperation(), getArgument());
    nstf::TargetView target = nstf::TargetView::lookup(getOperation());
    bool changes = false;
    for (const ProductLoop &product : getAnalysis<LoopAnalysis>().getLoops()) {
      if (!product.isSumOfProducts() || !product.blocks || product.begin != 0)
        continue;
      scf::ForOp loop = product.loop;
      int64_t step = *product.step, columns = *product.end;
      // If the rows of a block are half a line of the L1, pairs of blocks are loaded together; that takes an even
      // number of blocks.
      auto isHalf = [&](LoadOp load) { return product.isHalfOfLine(load, target.l1LineBytes()); };
      bool comesByPairs = target && *product.blocks >= fewestForPairs && llvm::all_of(product.loads, isHalf);
      int64_t blocksOfLine = comesByPairs ? 2 : 1;
      int64_t added = llvm::alignTo(columns, step * blocksOfLine) - columns;
      if (added == 0)
        continue;
      auto options = remark::RemarkOpts::name("Blocks").category(getArgument()).function(getOperation().getSymName());
      if (std::string reason = getObstacle(loop, columns); !reason.empty()) {
        remark::missed(loop.getLoc(), options) << ("the last block is ragged: " + reason);
        continue;
      }
      shift(loop, columns + added, added);
      changes = true;
      auto remark = remark::passed(loop.getLoc(), options);
      if (added < step)
        remark << "of the first block only the last columns are there, of all others all";
      else
        remark << "nothing of the first block is there, so that pairs of blocks, which are lines, end with the sum";
      remark << remark::metric("columns_of_first", std::max<int64_t>(step - added, 0))
             << remark::metric("columns", step);
    }
    if (!changes)
      markAllAnalysesPreserved();
  }

private:
  /// The reason why the loop's blocks cannot begin before the first column; empty if they can.
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
