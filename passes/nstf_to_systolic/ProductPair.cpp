// Computes two products of one x in one kernel (ProductPair.h).
//
// BEFORE  %sum = scf.for … iter_args(%acc = %zero) { %w = systolic.load %W …; systolic.mma %x, %w, %acc }
//         func.call @epilogue(%sum, %m0, %n0)
// AFTER   %sum, %sum2 = scf.for … iter_args(%acc = %zero, %acc2 = %zero) {
//           %w = systolic.load %W …; %w2 = systolic.load %W2 …
//           systolic.mma %x, %w, %acc; systolic.mma %x, %w2, %acc2 }
//         func.call @epilogue(%sum, %m0, %n0, %sum2)
#include "passes/nstf_to_systolic/ProductPair.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace nstf;

LinearOp nstf::findSecondProduct(Operation *anchor) {
  for (auto other : anchor->getBlock()->getOps<LinearOp>())
    if (other != anchor && isa<LinearOp>(anchor))
      return other;
  return {};
}

namespace {

/// Copies the code from the loads of one matrix on, so that the copy loads the other matrix.
class Doubler {
public:
  Doubler(systolic::KernelOp program, func::FuncOp slot, Value second) : program(program), slot(slot), second(second) {}

  LogicalResult run(systolic::LoadOp load) {
    loop = dyn_cast<scf::ForOp>(load->getParentOp());
    Operation *product = load->hasOneUse() ? *load->user_begin() : nullptr;
    if (!loop || loop.getNumResults() != 1 || !isa_and_nonnull<systolic::MmaOp, systolic::DotOp>(product) ||
        loop.getYieldedValues()[0] != product->getResult(0))
      return program.emitError(
          "expected a template that adds up products of w in a loop, to do the same of another matrix");
    addSum(load, product);
    return copyResults();
  }

private:
  void addSum(systolic::LoadOp load, Operation *product) {
    IRRewriter rewriter(program.getContext());
    rewriter.setInsertionPoint(loop);
    Value first = loop.getRegionIterArg(0), init = loop.getInitArgs()[0];
    FailureOr<LoopLikeOpInterface> doubled = loop.replaceWithAdditionalYields(
        rewriter, init, /*replaceInitOperandUsesInLoop=*/false,
        [&](OpBuilder &builder, Location, ArrayRef<BlockArgument> added) {
          OpBuilder::InsertionGuard guard(builder);
          IRMapping inside;
          inside.map(load.getBuffer(), second);
          builder.setInsertionPointAfter(load);
          builder.clone(*load, inside);
          inside.map(first, added.front());
          // The loop was replaced meanwhile, and its argument with it.
          inside.map(cast<scf::ForOp>(product->getParentOp()).getRegionIterArg(0), added.front());
          builder.setInsertionPointAfter(product);
          return SmallVector<Value>{builder.clone(*product, inside)->getResult(0)};
        });
    loop = cast<scf::ForOp>(doubled->getOperation());
    copies.map(loop.getResult(0), loop.getResult(1));
  }

  /// Copies the code after the loop up to the call of the slot, which takes both results.
  LogicalResult copyResults() {
    func::CallOp call;
    for (Operation &op :
         llvm::make_early_inc_range(llvm::make_range(std::next(loop->getIterator()), loop->getBlock()->end()))) {
      if (llvm::none_of(op.getOperands(), [&](Value operand) { return copies.contains(operand); }))
        continue;
      call = dyn_cast<func::CallOp>(op);
      if (call && call.getCallee() == slot.getSymName())
        break;
      if (op.getNumResults() != 1 || !isPure(&op))
        return op.emitError("expected what a template makes of its sums to be for its slot alone");
      OpBuilder builder(op.getContext());
      builder.setInsertionPointAfter(&op);
      builder.clone(op, copies);
    }
    if (!call || !copies.contains(call.getOperand(0)))
      return program.emitError("expected a template whose slot takes its sums");
    Value tile = copies.lookup(call.getOperand(0));
    call.getOperandsMutable().append(tile);
    return slot.insertArgument(slot.getNumArguments(), tile.getType(), {}, slot.getLoc());
  }

  systolic::KernelOp program;
  func::FuncOp slot;
  Value second;
  scf::ForOp loop;
  IRMapping copies;
};

} // namespace

LogicalResult nstf::pairProducts(systolic::KernelOp program, func::FuncOp slot) {
  std::optional<unsigned> matrix = program.findBuffer("w");
  if (!matrix)
    return program.emitError("expected a buffer w in the template of a product");
  program.insertBuffer(*matrix + 1, cast<MemRefType>(program.getArgumentTypes()[*matrix]), "w2");
  BlockArgument buffer = program.getArgument(*matrix);
  auto load = buffer.hasOneUse() ? dyn_cast<systolic::LoadOp>(*buffer.user_begin()) : systolic::LoadOp();
  if (!load)
    return program.emitError("expected one load of w in the template of a product");
  return Doubler(program, slot, program.getArgument(*matrix + 1)).run(load);
}
