// systolic-to-gpu-issue-stores: stores parts of results while others are still moved through LDS (Passes.td).
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
#include "llvm/ADT/MapVector.h"

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

/// Whether a store to memory may move past the op in either direction: it only computes, or accesses only LDS.
bool isPassedByStores(Operation &op) {
  return isPure(&op) || nstf::getLdsAccess(&op) ||
         isa<amdgpu::RawBufferStoreOp, amdgpu::LDSBarrierOp, amdgpu::MemoryCounterWaitOp, amdgpu::SchedBarrierOp,
             LLVM::FenceOp>(op);
}

/// The tiles of a block that go through LDS part by part, and the stores of their elements.
class Results {
public:
  explicit Results(Block &block) : block(block) {
    for (Operation &op : block)
      if (auto store = dyn_cast<amdgpu::RawBufferStoreOp>(op))
        stores.push_back(store);
  }

  void run() {
    if (stores.empty() || !takesLdsTwice())
      return;
    for (amdgpu::RawBufferStoreOp store : stores)
      narrow(store);
    computeLate();
    issue();
  }

private:
  static void pin(OpBuilder &builder, Location loc) {
    amdgpu::SchedBarrierOp::create(builder, loc, amdgpu::sched_barrier_opt_enum::none);
  }

  /// Whether a write to LDS follows a read: only then can stores move before LDS accesses.
  bool takesLdsTwice() {
    bool hasRead = false;
    for (Operation &op : block) {
      std::optional<nstf::LdsAccess> access = nstf::getLdsAccess(&op);
      if (!access)
        continue;
      if (hasRead && access->direction == LdsDirection::Write)
        return true;
      hasRead |= access->direction == LdsDirection::Read;
    }
    return false;
  }

  /// Moves stores before parts.
  void issue() {
    llvm::MapVector<Operation *, SmallVector<Operation *>> leaving; // by the part they move before, in order
    for (amdgpu::RawBufferStoreOp store : stores)
      if (Operation *part = findPart(store))
        leaving[part].push_back(store);
    for (auto &[part, stored] : leaving) {
      // The address computation of the part's first access stays before the access.
      Operation *place = part->getNextNode();
      while (isPure(place))
        place = place->getNextNode();
      OpBuilder builder(place);
      pin(builder, part->getLoc());
      for (Operation *store : stored)
        moveWithOperands(store, place);
      pin(builder, part->getLoc());
    }
  }

  /// Builds the stored vector from its own elements instead of a slice of the whole tile, so that it does not wait for
  /// the rest.
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

  /// Moves computations on results, after the last loop, to their first use.
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

  /// The part before which a store moves. Between the reads that the store needs and that part lies another part,
  /// whose accesses cover the latency of these reads. Null: the store stays.
  Operation *findPart(amdgpu::RawBufferStoreOp store) {
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
    SmallVector<Operation *> behind;
    for (Operation *op = last->getNextNode(); op != store; op = op->getNextNode()) {
      if (!isPassedByStores(*op))
        behind.clear(); // a load or similar op, before which the store must not move
      else if (op->hasAttr(nstf::partAttributeName))
        behind.push_back(op);
    }
    return behind.size() > 1 ? behind[1] : nullptr;
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
    getOperation()->walk([](amdgpu::SchedBarrierOp op) {
      if (op->hasAttr(nstf::partAttributeName))
        op.erase();
    });
  }
};

} // namespace
