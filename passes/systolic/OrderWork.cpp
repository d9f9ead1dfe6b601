// systolic-order-work: one work index for all axes of the grid (Passes.td).
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Remarks.h"
#include "passes/systolic/Passes.h"

namespace nstf::systolic {
#define GEN_PASS_DEF_ORDERWORKPASS
#include "passes/systolic/Passes.h.inc"
} // namespace nstf::systolic

using namespace mlir;
using namespace nstf::systolic;

namespace {

struct OrderWorkPass : nstf::systolic::impl::OrderWorkPassBase<OrderWorkPass> {
  using Base::Base;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    SmallVector<BlockArgument> indices;
    for (BlockArgument argument : kernel.getArguments())
      if (isa<IndexType>(argument.getType()))
        indices.push_back(argument);
    if (indices.size() == 1)
      return;

    auto builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
    Location loc = kernel.getLoc();
    SmallVector<KernelOp::GridAxis> axes = kernel.getGridAxes();
    for (const KernelOp::GridAxis &axis : ArrayRef(axes).drop_front())
      if (kernel.getLaunch() && kernel.getLaunch()->getPerToken().contains(axis.extent)) {
        kernel.emitError() << "expected only the first axis of grid to grow with the tokens but got " << axis.extent;
        return signalPassFailure();
      }
    BlockArgument work = indices.front();
    Value rest = work;
    std::string order;
    SmallPtrSet<Operation *, 4> uses; // of the work index itself
    for (size_t axis = axes.size() - 1; axis > 0; --axis) {
      int64_t items = kernel.getNumWorkItems(axes[axis]);
      order += std::to_string(items) + " along " + axes[axis].extent.str() + ", then ";
      Value size = arith::ConstantIndexOp::create(builder, loc, items);
      Value index = arith::RemUIOp::create(builder, loc, rest, size);
      uses.insert(index.getDefiningOp());
      rest = arith::DivUIOp::create(builder, loc, rest, size);
      uses.insert(rest.getDefiningOp());
      indices[axis].replaceAllUsesWith(index);
    }
    work.replaceAllUsesExcept(rest, uses);
    BitVector merged(kernel.getNumArguments());
    for (BlockArgument index : ArrayRef(indices).drop_front())
      merged.set(index.getArgNumber());
    (void)kernel.eraseArguments(merged);
    remark::passed(loc, remark::RemarkOpts::name("Order").category(getArgument()).function(kernel.getSymName()))
        << "work items: " + order + axes.front().extent.str();
  }
};

} // namespace
