// systolic-share-loads: merges equal loads of several loops (Passes.td).
//
// BEFORE  %max = scf.for %n = %c0 to %end step %c1024 … { %x = systolic.load %X[%m0, %n]; … }
//         %sum = scf.for %n = %c0 to %end step %c1024 … { %x = systolic.load %X[%m0, %n]; … }
// AFTER   %x = systolic.load %X[%m0, %c0] when %is_inside
//         %max = scf.for %n = %c0 to %end step %c1024 … { … }
//         %sum = scf.for %n = %c0 to %end step %c1024 … { … }
#include "dialects/systolic/Systolic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "passes/analysis/Loops.h"
#include "passes/systolic/Passes.h"
#include "passes/systolic/Preconditions.h"

namespace nstf::systolic {
#define GEN_PASS_DEF_SHARELOADSPASS
#include "passes/systolic/Passes.h.inc"
} // namespace nstf::systolic

using namespace mlir;
using namespace nstf::systolic;

namespace {

/// The max number of VGPRs of tiles that live from the first loop to the last. It leaves room for as many again for
/// values computed from them, at four waves on a SIMD.
constexpr int64_t maxHeldRegisters = 64;

struct ShareLoadsPass : nstf::systolic::impl::ShareLoadsPassBase<ShareLoadsPass> {
  using Base::Base;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (failed(requireArray(kernel)) || failed(requireNoLayouts(kernel)))
      return signalPassFailure();
    noteRun(getOperation(), getArgument());
    workItems = kernel.getArray()->getNumWaves() * *kernel.getWaveSize();
    for (SmallVector<LoadOp> &same : collect())
      if (same.size() > 1)
        share(same);
  }

private:
  static scf::ForOp getLoop(LoadOp load) { return cast<scf::ForOp>(load->getParentOp()); }

  /// Groups loads of the same tile, in program order. A store ends the search, since it may write the buffer of the
  /// loads.
  SmallVector<SmallVector<LoadOp>> collect() {
    SmallVector<SmallVector<LoadOp>> groups;
    for (scf::ForOp loop : getOperation().getBody().getOps<scf::ForOp>()) {
      for (Operation &op : *loop.getBody()) {
        if (auto load = dyn_cast<LoadOp>(op); load && isWithout(load, loop)) {
          auto *same = llvm::find_if(groups, [&](ArrayRef<LoadOp> group) { return areSame(group.front(), load); });
          if (same == groups.end())
            groups.push_back({load});
          else
            same->push_back(load);
        } else if (!isPure(&op) && !load && !op.hasTrait<OpTrait::IsTerminator>()) {
          return groups;
        }
      }
    }
    return groups;
  }

  /// Whether a load depends on nothing in its loop but the induction variable.
  static bool isWithout(LoadOp load, scf::ForOp loop) {
    return !load.getWhen() && llvm::all_of(load->getOperands(), [&](Value operand) {
      return operand == loop.getInductionVar() || operand.getParentRegion() != &loop.getRegion();
    });
  }

  static bool areSame(LoadOp first, LoadOp second) {
    scf::ForOp one = getLoop(first), other = getLoop(second);
    if (one.getLowerBound() != other.getLowerBound() || one.getUpperBound() != other.getUpperBound() ||
        one.getStep() != other.getStep() || first.getType() != second.getType() ||
        first->getAttrDictionary() != second->getAttrDictionary() ||
        first->getPropertiesAsAttribute() != second->getPropertiesAsAttribute())
      return false;
    return llvm::equal(first->getOperands(), second->getOperands(), [&](Value a, Value b) {
      return a == b || (a == one.getInductionVar() && b == other.getInductionVar());
    });
  }

  void share(ArrayRef<LoadOp> loads) {
    LoadOp first = loads.front();
    scf::ForOp loop = getLoop(first);
    auto options = remark::RemarkOpts::name("Loads").category(getArgument()).function(getOperation().getSymName());
    std::optional<int64_t> rounds = countRounds(loop);
    if (rounds != 1) {
      remark::missed(first.getLoc(), options)
          << ("loaded anew in each loop: the loops have " +
              (rounds ? std::to_string(*rounds) + " rounds" : std::string("no constant number of rounds")));
      return;
    }
    RankedTensorType tile = getTileType(first);
    int64_t registers = llvm::divideCeil(tile.getNumElements() * tile.getElementTypeBitWidth(), 32 * workItems);
    if (held + registers > maxHeldRegisters) {
      remark::missed(first.getLoc(), options)
          << "loaded anew in each loop: held, it would be too long" << remark::metric("registers", held + registers)
          << remark::metric("max_registers", maxHeldRegisters);
      return;
    }
    held += registers;
    remark::passed(first.getLoc(), options)
        << "loaded once" << remark::metric("loops", loads.size()) << remark::metric("registers", registers);
    OpBuilder builder(loop);
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), loop.getLowerBound());
    auto shared = cast<LoadOp>(builder.clone(*first, mapping));
    if (auto choice = loop.getUpperBound().getDefiningOp<arith::SelectOp>())
      shared.getWhenMutable().assign(choice.getCondition());
    for (LoadOp load : loads) {
      load.replaceAllUsesWith(shared.getResult());
      load.erase();
    }
  }

  int64_t workItems = 0, held = 0;
};

} // namespace
