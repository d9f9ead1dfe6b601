// systolic-order-workgroups: replaces the work indices of the grid's axes by one index, in an order that suits the
// caches (Passes.td).
#include "dialects/nstf/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "passes/analysis/WorkgroupOrder.h"
#include "passes/systolic/Passes.h"
#include "passes/systolic/Preconditions.h"
#include "llvm/Support/FormatVariadic.h"

namespace nstf::systolic {
#define GEN_PASS_DEF_ORDERWORKGROUPSPASS
#include "passes/systolic/Passes.h.inc"
} // namespace nstf::systolic

using namespace mlir;
using namespace nstf::systolic;

namespace {

/// An index of the program as a number that WorkgroupOrder can compute with.
struct IndexNumber {
  OpBuilder *builder;
  Location loc;
  Value value;

  Value constant(int64_t number) const { return arith::ConstantIndexOp::create(*builder, loc, number); }
  IndexNumber of(int64_t number) const { return {builder, loc, constant(number)}; }
  template <typename Op> IndexNumber make(Value right) const {
    return {builder, loc, Op::create(*builder, loc, value, right)};
  }
  IndexNumber operator+(IndexNumber other) const { return make<arith::AddIOp>(other.value); }
  IndexNumber operator-(int64_t number) const { return *this - of(number); }
  IndexNumber operator-(IndexNumber other) const { return make<arith::SubIOp>(other.value); }
  IndexNumber operator*(IndexNumber other) const { return make<arith::MulIOp>(other.value); }
  IndexNumber operator/(IndexNumber other) const { return make<arith::DivUIOp>(other.value); }
  IndexNumber operator%(IndexNumber other) const { return make<arith::RemUIOp>(other.value); }
  IndexNumber operator*(int64_t number) const { return make<arith::MulIOp>(constant(number)); }
  IndexNumber operator/(int64_t number) const { return make<arith::DivUIOp>(constant(number)); }
  IndexNumber operator%(int64_t number) const { return make<arith::RemUIOp>(constant(number)); }
};

IndexNumber min(IndexNumber a, IndexNumber b) { return a.make<arith::MinUIOp>(b.value); }
IndexNumber min(IndexNumber a, int64_t bound) { return a.make<arith::MinUIOp>(a.constant(bound)); }
IndexNumber selectBelow(IndexNumber a, IndexNumber bound, IndexNumber below, IndexNumber other) {
  Value isBelow = arith::CmpIOp::create(*a.builder, a.loc, arith::CmpIPredicate::ult, a.value, bound.value);
  return {a.builder, a.loc, arith::SelectOp::create(*a.builder, a.loc, isBelow, below.value, other.value)};
}

IndexNumber selectBelow(IndexNumber a, int64_t bound, IndexNumber below, IndexNumber other) {
  return selectBelow(a, a.of(bound), below, other);
}

struct OrderWorkgroupsPass : nstf::systolic::impl::OrderWorkgroupsPassBase<OrderWorkgroupsPass> {
  using Base::Base;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (failed(requireInstantiated(kernel)))
      return signalPassFailure();
    noteRun(getOperation(), getArgument());
    SmallVector<BlockArgument> indices;
    for (BlockArgument argument : kernel.getArguments())
      if (isa<IndexType>(argument.getType()))
        indices.push_back(argument);
    if (indices.size() == 1)
      return;
    SmallVector<KernelOp::GridAxis> axes = kernel.getGridAxes();
    for (const KernelOp::GridAxis &axis : ArrayRef(axes).drop_front())
      if (kernel.growsWithTokens(axis)) {
        kernel.emitError() << "expected only the first axis of grid to grow with the tokens but got " << axis.extent;
        return signalPassFailure();
      }
    WorkgroupOrder order = choose(axes, indices);
    // The index of the first axis becomes the number of the workgroup.
    SmallVector<OpOperand *> uses(llvm::make_pointer_range(indices.front().getUses()));
    auto builder = OpBuilder::atBlockBegin(&kernel.getBody().front());
    IndexNumber workgroup{&builder, kernel.getLoc(), indices.front()};
    bool isPlain = order.window == 1 && order.xcds == 1;
    auto [row, column] = kernel.growsWithTokens(axes.front()) && !isPlain
                             ? order.place(workgroup, countLaunched(axes.front(), builder))
                             : order.place(workgroup);
    for (OpOperand *use : uses)
      use->set(row.value);
    // Among the columns the last axis changes fastest.
    for (size_t axis = axes.size() - 1; axis > 1; --axis) {
      int64_t items = kernel.getNumWorkItems(axes[axis]);
      indices[axis].replaceAllUsesWith((column % items).value);
      column = column / items;
    }
    indices[1].replaceAllUsesWith(column.value);
    BitVector merged(kernel.getNumArguments());
    for (BlockArgument index : ArrayRef(indices).drop_front())
      merged.set(index.getArgNumber());
    (void)kernel.eraseArguments(merged);
  }

private:
  /// The work items of this launch along an axis that grows with the tokens.
  IndexNumber countLaunched(const KernelOp::GridAxis &axis, OpBuilder &builder) {
    KernelOp kernel = getOperation();
    auto perToken = kernel.getLaunch()->getPerToken().getAs<IntegerAttr>(axis.extent);
    Value tokens = ControlOp::create(builder, kernel.getLoc(), *findControl(), ControlField::tokens);
    IndexNumber extent = IndexNumber{&builder, kernel.getLoc(), tokens} * perToken.getInt();
    return (extent + extent.of(axis.tile - 1)) / axis.tile;
  }

  std::optional<BlockArgument> findControl() {
    for (BlockArgument argument : getOperation().getArguments())
      if (isa<ControlType>(argument.getType()))
        return argument;
    return std::nullopt;
  }

  /// Chooses the order by what the work items on an XCD read; row by row if that is unknown.
  WorkgroupOrder choose(ArrayRef<KernelOp::GridAxis> axes, ArrayRef<BlockArgument> indices) {
    KernelOp kernel = getOperation();
    auto options = remark::RemarkOpts::name("Order").category(getArgument()).function(kernel.getSymName());
    std::string text = "work items: ";
    int64_t columns = 1;
    for (const KernelOp::GridAxis &axis : llvm::reverse(axes.drop_front())) {
      text += std::to_string(kernel.getNumWorkItems(axis)) + " along " + axis.extent.str() + ", then ";
      columns *= kernel.getNumWorkItems(axis);
    }
    text += axes.front().extent.str();
    WorkgroupOrder plain{kernel.getNumWorkItems(axes.front()), columns};
    nstf::TargetView target = nstf::TargetView::lookup(kernel);
    bool grows = kernel.growsWithTokens(axes.front());
    if (!target || (grows && !findControl())) {
      remark::passed(kernel.getLoc(), options)
          << (text + (target ? "; how many there are of these is not known before the launch" : ""));
      return plain;
    }
    std::vector<SharedTile> tiles = collectTiles(indices);
    int64_t xcds = target.xcds(), atOnce = target.computeUnits() / xcds;
    WorkgroupOrder order = chooseOrder(plain.rows, columns, tiles, xcds, atOnce);
    if (order.window > 1)
      text = "windows of " + std::to_string(order.window) + " rows along " + axes.front().extent.str() +
             ", down each column";
    if (order.xcds > 1)
      text += "; a run of its own for each of " + std::to_string(xcds) + " XCDs";
    if (grows && (order.window > 1 || order.xcds > 1))
      text += "; how many rows there are the launch says";
    auto percent = [&](const WorkgroupOrder &one) { return int64_t(100 * getSharedPart(one, tiles, xcds, atOnce)); };
    remark::passed(kernel.getLoc(), options)
        << text << remark::metric("l2_hits_before", percent(plain)) << remark::metric("l2_hits", percent(order));
    return order;
  }

  /// The tiles that loops load, and whether each depends on the work item's row or column.
  std::vector<SharedTile> collectTiles(ArrayRef<BlockArgument> indices) {
    std::vector<SharedTile> tiles;
    getOperation().walk([&](LoadOp load) {
      if (!load->getParentOfType<scf::ForOp>())
        return;
      auto buffer = cast<MemRefType>(load.getBuffer().getType());
      SharedTile tile{getTileType(load.getResult()).getNumElements() * buffer.getElementTypeBitWidth() / 8, false,
                      false};
      DenseSet<Value> visited;
      for (Value operand : load->getOperands())
        follow(operand, indices, tile, visited);
      tiles.push_back(tile);
    });
    return tiles;
  }

  static void follow(Value value, ArrayRef<BlockArgument> indices, SharedTile &tile, DenseSet<Value> &visited) {
    if (!visited.insert(value).second)
      return;
    tile.byRow |= value == indices.front();
    tile.byColumn |= llvm::is_contained(indices.drop_front(), value);
    if (Operation *op = value.getDefiningOp())
      for (Value operand : op->getOperands())
        follow(operand, indices, tile, visited);
    else if (auto loop = dyn_cast<scf::ForOp>(cast<BlockArgument>(value).getOwner()->getParentOp());
             loop && value == loop.getInductionVar())
      follow(loop.getLowerBound(), indices, tile, visited);
  }
};

} // namespace
