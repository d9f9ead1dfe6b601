// systolic-to-gpu-merge-overlaps: merges the parts of overlaps to one stream of instructions (Passes.td).
#include "dialects/systolic/Systolic.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/analysis/Costs.h"
#include "passes/systolic_to_gpu/LdsAccess.h"
#include "passes/systolic_to_gpu/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace nstf {
#define GEN_PASS_DEF_MERGEOVERLAPSPASS
#include "passes/systolic_to_gpu/Passes.h.inc"
} // namespace nstf

using namespace mlir;
using namespace nstf::systolic;

namespace {

/// An instruction that occupies a pipe for a number of clocks, after the ops that compute its operands; or a number of
/// clocks without an instruction. A pipe that several SIMDs share is occupied for the time of all of them.
struct Unit {
  SmallVector<Operation *> ops;
  int64_t clocks = 0;
};

struct Part {
  SmallVector<Unit> units;
  int64_t clocks = 0, done = 0;
  size_t next = 0;
};

struct MergeOverlapsPass : nstf::impl::MergeOverlapsPassBase<MergeOverlapsPass> {
  using Base::Base;

  bool canScheduleOn(RegisteredOperationName name) const override { return name.hasTrait<OpTrait::SymbolTable>(); }

  void runOnOperation() override {
    SmallVector<OverlapOp> overlaps;
    getOperation()->walk([&](OverlapOp op) { overlaps.push_back(op); });
    if (overlaps.empty())
      return;
    FailureOr<nstf::TargetView> found = nstf::TargetView::require(overlaps.front());
    if (failed(found))
      return signalPassFailure();
    costs = Costs(*found);
    for (OverlapOp overlap : overlaps) {
      auto loop = overlap->getParentOfType<scf::ForOp>();
      bool multiplies = overlap.walk([](amdgpu::MFMAOp) { return WalkResult::interrupt(); }).wasInterrupted();
      if (multiplies && loop && !loop->hasAttr(planAttributeName)) {
        loop.emitError("expected a loop with a plan (systolic-plan-loops) but got none");
        return signalPassFailure();
      }
      merge(overlap);
    }
  }

private:
  Costs costs;

  static int64_t getBytes(Type type) {
    auto vector = dyn_cast<VectorType>(type);
    int64_t bits = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
    return (vector ? vector.getNumElements() : 1) * bits / 8;
  }

  int64_t getClocks(amdgpu::MFMAOp op) const {
    return costs
        .getMatrixClocks(op.getM(), op.getN(), op.getK(), op.getBlocks(),
                         getElementTypeOrSelf(op.getSourceA().getType()))
        .value_or(costs.getMatrixPassClocks());
  }

  /// The clocks for which an instruction occupies its pipe; 0 for other instructions.
  int64_t getClocks(Operation *op) const {
    if (std::optional<nstf::LdsAccess> access = nstf::getLdsAccess(op))
      return costs.getSharersOfLdsPort() * costs.getLdsPortClocks(access->direction, getBytes(access->type));
    return llvm::TypeSwitch<Operation *, int64_t>(op)
        .Case([&](amdgpu::MFMAOp mfma) { return getClocks(mfma); })
        .Case([&](amdgpu::GatherToLDSOp) { return costs.getSimds() * costs.getStageClocks(); })
        .Case([&](amdgpu::RawBufferLoadOp load) {
          return costs.getSimds() * costs.getLoadClocks(getBytes(load.getType()));
        })
        .Default([](Operation *) { return 0; });
  }

  /// Whether a load reads lines of the load before it. The two then stay together, because the lines may be evicted in
  /// between.
  bool sharesLines(const Unit &unit, const Unit &next) const {
    auto load = unit.ops.empty() ? nullptr : dyn_cast<amdgpu::RawBufferLoadOp>(unit.ops.back());
    auto other = dyn_cast<amdgpu::RawBufferLoadOp>(next.ops.back());
    if (!load || !other || load.getMemref() != other.getMemref() || load.getIndices() != other.getIndices() ||
        load.getSgprOffset() != other.getSgprOffset())
      return false;
    int64_t distance = other.getIndexOffset().value_or(0) - load.getIndexOffset().value_or(0);
    return std::abs(distance) * load.getMemref().getType().getElementTypeBitWidth() / 8 < costs.getLineBytes();
  }

  Part divide(Region &region) const {
    Part part;
    Unit unit;
    auto end = [&](int64_t clocks) {
      unit.clocks = clocks;
      part.clocks += clocks;
      part.units.push_back(std::exchange(unit, {}));
    };
    for (Operation &op : region.front().without_terminator()) {
      auto wait = dyn_cast<amdgpu::MemoryCounterWaitOp>(op);
      bool waitsForLds = wait && wait.getDs();
      // Products run until writes to LDS have completed.
      if (waitsForLds)
        end(costs.getLdsCoverClocks());
      unit.ops.push_back(&op);
      if (waitsForLds || isa<amdgpu::LDSBarrierOp, ROCDL::SBarrierOp>(op)) {
        // Products before a barrier keep the matrix core busy while the barrier opens. Products after it go
        // before the LDS reads, which all waves issue at once.
        end(costs.getBarrierCoverClocks());
        continue;
      }
      int64_t clocks = getClocks(&op);
      if (clocks == 0)
        continue;
      if (!part.units.empty() && sharesLines(part.units.back(), unit)) {
        part.clocks += clocks;
        part.units.back().clocks += clocks;
        llvm::append_range(part.units.back().ops, std::exchange(unit, {}).ops);
        continue;
      }
      end(clocks);
    }
    // A priority is set right after the last access; other ops after it use the part's results and come last.
    for (Operation *op : unit.ops)
      if (isa<ROCDL::SetPrioOp>(op) && !part.units.empty())
        part.units.back().ops.push_back(op);
    llvm::erase_if(unit.ops, llvm::IsaPred<ROCDL::SetPrioOp>);
    if (!unit.ops.empty())
      end(0);
    return part;
  }

  /// The part with the lowest share of its clocks done; null if all are done.
  static Part *findNext(MutableArrayRef<Part> parts) {
    Part *next = nullptr;
    for (Part &part : parts) {
      if (part.next == part.units.size())
        continue;
      if (!next || part.done * std::max<int64_t>(next->clocks, 1) < next->done * std::max<int64_t>(part.clocks, 1))
        next = &part;
    }
    return next;
  }

  void merge(OverlapOp overlap) {
    SmallVector<Part> parts;
    SmallVector<Value> results;
    for (Region &region : overlap.getParts()) {
      parts.push_back(divide(region));
      llvm::append_range(results, region.front().getTerminator()->getOperands());
    }
    OpBuilder builder(overlap);
    auto pin = [&] { amdgpu::SchedBarrierOp::create(builder, overlap.getLoc(), amdgpu::sched_barrier_opt_enum::none); };
    pin();
    while (Part *part = findNext(parts)) {
      Unit &unit = part->units[part->next++];
      part->done += unit.clocks;
      for (Operation *op : unit.ops)
        op->moveBefore(overlap);
      if (unit.clocks && !unit.ops.empty())
        pin();
    }
    overlap.replaceAllUsesWith(results);
    overlap.erase();
  }
};

} // namespace
