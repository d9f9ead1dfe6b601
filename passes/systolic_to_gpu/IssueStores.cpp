// systolic-to-gpu-issue-stores: results leave while others are still on their way through LDS (Passes.td).
//
// BEFORE  write 0; read 0; write 1; read 1; write 2; read 2; store 0; store 1; store 2
// AFTER   write 0; read 0; write 1; read 1 | store 0 | write 2; read 2 | store 1; store 2
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/systolic_to_gpu/LdsAccess.h"
#include "passes/systolic_to_gpu/Passes.h"

namespace nstf {
#define GEN_PASS_DEF_ISSUESTORESPASS
#include "passes/systolic_to_gpu/Passes.h.inc"
} // namespace nstf

using namespace mlir;
using nstf::support::LdsDirection;

namespace {

bool readsLds(Operation *op) {
  std::optional<nstf::LdsAccess> access = nstf::getLdsAccess(op);
  return access && access->direction == LdsDirection::Read;
}

bool writesLds(Operation *op) {
  std::optional<nstf::LdsAccess> access = nstf::getLdsAccess(op);
  return access && access->direction == LdsDirection::Write;
}

/// Whether a store to memory may go past it, up or down: it computes, or has to do with LDS alone.
bool isPassedByStores(Operation &op) {
  return isPure(&op) || nstf::getLdsAccess(&op) ||
         isa<amdgpu::LDSBarrierOp, amdgpu::MemoryCounterWaitOp, amdgpu::SchedBarrierOp, LLVM::FenceOp>(op);
}

/// Tiles on their way through LDS, part by part, and what is stored of them, in a block.
class Results {
public:
  explicit Results(Block &block) : block(block) {
    for (Operation &op : block)
      if (auto store = dyn_cast<amdgpu::RawBufferStoreOp>(op))
        stores.push_back(store);
  }

  void run() {
    if (stores.empty() || !dividesReads())
      return;
    for (amdgpu::RawBufferStoreOp store : stores)
      narrow(store);
    computeLate();
    DenseMap<Operation *, SmallVector<Operation *>> leaving; // in front of an operation, in order
    SmallVector<Operation *> places;
    for (amdgpu::RawBufferStoreOp store : stores) {
      Operation *place = findPlace(store);
      if (!place)
        continue;
      if (leaving[place].empty())
        places.push_back(place);
      leaving[place].push_back(store);
    }
    for (Operation *place : places) {
      OpBuilder builder(place);
      pin(builder, place->getLoc());
      for (Operation *store : leaving[place])
        moveWithOperands(store, place);
      pin(builder, place->getLoc());
    }
  }

private:
  static void pin(OpBuilder &builder, Location loc) {
    amdgpu::SchedBarrierOp::create(builder, loc, amdgpu::sched_barrier_opt_enum::none);
  }

  /// Whether something is written to LDS after something was read from it.
  bool dividesReads() {
    bool hasRead = false;
    for (Operation &op : block) {
      hasRead |= readsLds(&op);
      if (hasRead && writesLds(&op))
        return true;
    }
    return false;
  }

  /// What is stored is made of its own elements, not taken out of the whole tile.
  static void narrow(amdgpu::RawBufferStoreOp store) {
    auto part = store.getValue().getDefiningOp<vector::ExtractStridedSliceOp>();
    auto whole = part ? part.getSource().getDefiningOp<vector::FromElementsOp>() : nullptr;
    if (!whole || part.getType().getRank() != 1 || part.hasNonUnitStrides())
      return;
    int64_t offset = cast<IntegerAttr>(part.getOffsets()[0]).getInt();
    ValueRange elements = whole.getElements().slice(offset, part.getType().getNumElements());
    OpBuilder builder(store);
    store.getValueMutable().assign(vector::FromElementsOp::create(builder, part.getLoc(), part.getType(), elements));
    if (part->use_empty())
      part.erase();
    if (whole->use_empty())
      whole.erase();
  }

  /// What is computed of results, behind the last loop, comes when it is wanted.
  void computeLate() {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
      if (op.getNumRegions())
        break;
      if (!isPure(&op) || llvm::any_of(op.getUsers(), [&](Operation *user) { return user->getBlock() != &block; }))
        continue;
      Operation *first = nullptr;
      for (Operation *user : op.getUsers())
        if (!first || user->isBeforeInBlock(first))
          first = user;
      if (first)
        op.moveBefore(first);
    }
  }

  /// Behind the reads of the part after the one that a store takes last: these cover what it waits for. Null: it stays.
  Operation *findPlace(amdgpu::RawBufferStoreOp store) {
    llvm::SetVector<Operation *> needed;
    BackwardSliceOptions options;
    options.omitBlockArguments = true;
    options.filter = [&](Operation *op) { return op->getBlock() == &block; };
    (void)getBackwardSlice(store.getOperation(), &needed, options);
    Operation *last = nullptr;
    for (Operation *op : needed)
      if (readsLds(op) && (!last || last->isBeforeInBlock(op)))
        last = op;
    if (!last)
      return nullptr;
    bool hasWritten = false, hasRead = false;
    Operation *place = nullptr;
    for (Operation *op = last->getNextNode(); op && op != store; op = op->getNextNode()) {
      if (!isPassedByStores(*op) && !isa<amdgpu::RawBufferStoreOp>(op))
        place = nullptr, hasWritten = hasRead = false; // a load or the like, in front of which no store may come
      if (!place && hasRead && (writesLds(op) || isa<amdgpu::LDSBarrierOp, LLVM::FenceOp>(op)))
        place = op;
      hasRead |= hasWritten && readsLds(op);
      hasWritten |= writesLds(op);
    }
    return place;
  }

  void moveWithOperands(Operation *op, Operation *place) {
    for (Value operand : op->getOperands())
      if (Operation *source = operand.getDefiningOp();
          source && source->getBlock() == &block && !source->isBeforeInBlock(place))
        moveWithOperands(source, place);
    op->moveBefore(place);
  }

  Block &block;
  SmallVector<amdgpu::RawBufferStoreOp> stores;
};

struct IssueStoresPass : nstf::impl::IssueStoresPassBase<IssueStoresPass> {
  using Base::Base;

  bool canScheduleOn(RegisteredOperationName name) const override { return name.hasTrait<OpTrait::SymbolTable>(); }

  void runOnOperation() override {
    getOperation()->walk([](gpu::GPUFuncOp kernel) {
      for (Block &block : kernel.getBody())
        Results(block).run();
    });
  }
};

} // namespace
