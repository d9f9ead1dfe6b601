// systolic-insert-prefetch: what a loop of products needs is on its way while the products before it are made
// (Passes.td).
#include "dialects/nstf/Target.h"
#include "dialects/systolic/Layouts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Remarks.h"
#include "passes/systolic/LoadAhead.h"
#include "passes/systolic/Operands.h"
#include "passes/systolic/Passes.h"
#include "passes/systolic/Preconditions.h"
#include "passes/systolic/ProductPipeline.h"
#include "passes/systolic/Scratch.h"

namespace nstf::systolic {
#define GEN_PASS_DEF_INSERTPREFETCHPASS
#include "passes/systolic/Passes.h.inc"
} // namespace nstf::systolic

using namespace mlir;
using namespace nstf::systolic;

namespace {

/// What a loop needs beside sums and operands.
constexpr int64_t registersOfAddresses = 24;

struct InsertPrefetchPass : nstf::systolic::impl::InsertPrefetchPassBase<InsertPrefetchPass> {
  using Base::Base;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    FailureOr<nstf::TargetView> target = nstf::TargetView::require(kernel);
    if (failed(target))
      return signalPassFailure();
    if (failed(requireArray(kernel)))
      return signalPassFailure();
    SmallVector<scf::ForOp> loops;
    kernel.walk([&](scf::ForOp loop) {
      if (!loop.getOps<MmaOp>().empty())
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops) {
      ProductLoop product;
      bool isProduct = product.match(loop).empty();
      std::string reason = isProduct ? prefetch(product, *target) : loadAhead(loop, *target);
      if (!reason.empty())
        remark::missed(loop.getLoc(), options()) << reason;
    }
  }

private:
  remark::RemarkOpts options() {
    return remark::RemarkOpts::name("Prefetch").category(getArgument()).function(getOperation().getSymName());
  }

  /// Of a loop that does more than add up products. Empty, or why not.
  std::string loadAhead(scf::ForOp loop, nstf::TargetView target) {
    Location loc = loop.getLoc();
    StagedLoads staged;
    if (std::string reason = staged.match(loop); !reason.empty())
      return reason;
    int64_t registers = 0, bytes = 0;
    for (LoadOp load : staged.loads) {
      registers += countRegisters(load.getType());
      bytes += load.getType().getNumElements() * load.getType().getElementTypeBitWidth() / 8;
    }
    for (Value carried : loop.getRegionIterArgs())
      if (getTileType(carried))
        registers += countRegisters(carried.getType());
    for (MmaOp mma : loop.getOps<MmaOp>()) {
      registers += countRegisters(mma.getType());
      // What the loop reads lives as long as a step.
      if (!mma.getB().getDefiningOp<ReadOp>())
        registers += countRegisters(mma.getB().getType());
    }
    int64_t limit = getRegisterLimit(target);
    if (registers + registersOfAddresses > limit)
      return "with the tiles of the next round it would take " + std::to_string(registers) + " of " +
             std::to_string(limit) + " registers";
    staged.moveAhead();
    remark::passed(loc, options()) << "what goes to LDS is loaded a round before"
                                   << remark::metric("bytes_in_flight", bytes)
                                   << remark::metric("bytes_needed", getBytesNeeded(target))
                                   << remark::metric("registers", registers);
    return "";
  }

  /// Of a lane, with one workgroup on a compute unit.
  int64_t getRegisterLimit(nstf::TargetView target) {
    int64_t wavesPerSimd = llvm::divideCeil(getOperation().getArray()->getNumWaves(), target.simdsPerComputeUnit());
    return std::min(target.maxVgprsPerWave(), target.vgprsPerLane() / wavesPerSimd);
  }

  /// Empty, or why not.
  std::string prefetch(ProductLoop &product, nstf::TargetView target) {
    KernelOp kernel = getOperation();
    Location loc = product.loop.getLoc();
    if (product.depth % kernel.getArray()->getDepth() != 0)
      return "a block of " + std::to_string(product.depth) + " along K is no whole number of cells";
    if (product.blocks && *product.blocks < 2)
      return "it has no more than one block";
    int64_t staged = 0;
    for (WriteOp write : product.writes)
      staged += write.getLds().getType().getSizeInBytes();
    for (StageOp stage : product.stages)
      staged += stage.getLds().getType().getSizeInBytes();
    int64_t steps = product.depth / kernel.getArray()->getDepth(), tiles = product.writes.size();
    PrefetchPlan plan;
    int64_t total = getLdsBytes() + staged;
    if (total > target.ldsBytes()) {
      if (steps == 1 || !product.stages.empty())
        return "a second buffer would take " + std::to_string(total) + " bytes of LDS, " + target.name().str() +
               " has " + std::to_string(target.ldsBytes()) + ", and one is read to the end of a block";
      plan.buffers = plan.blocksOfRound = 1;
      total -= staged;
    } else if (!product.stages.empty() && total + staged <= target.ldsBytes()) {
      // What is staged takes no registers: it can be two blocks ahead.
      plan.buffers = plan.blocksOfRound = 3;
      total += staged;
    }
    bool takesTurns = kernel.getParam("SCHEDULE").value_or(0) == 1;
    // Tiles whose waves share out K are tuned with blocks one ahead.
    if (plan.buffers == 2 && steps == 1 && product.stages.empty() && !takesTurns && kernel.getArray()->getParts() == 1)
      plan.writeAhead = 2;
    plan.loads = placeLoads(plan, tiles, steps, takesTurns);
    if (plan.writeAhead == 2 && product.blocks && *product.blocks % 2 == 0)
      for (auto [slot, write] : llvm::zip_equal(plan.loads, product.writes))
        slot.blocks = isHalfOfLine(write, product, target) ? 2 : 1;
    plan.firstAlone = llvm::any_of(product.writes, [&](WriteOp write) {
      auto load = write.getTile().getDefiningOp<LoadOp>();
      return load && (getColumnsBefore(load, product) != 0 || getConstantIntValue(product.loop.getLowerBound()) != 0);
    });
    takeTurns(plan);
    int64_t wavesPerSimd = llvm::divideCeil(kernel.getArray()->getNumWaves(), target.simdsPerComputeUnit());
    int64_t limit = getRegisterLimit(target);
    // Every load on its way holds a line of the L1. Of more than it has, the last ones stand in front of it, and the
    // wave's products behind them.
    if (wavesPerSimd == 1 && staged > target.l1Bytes())
      return "a block of " + std::to_string(staged) + " bytes would be on its way, the L1 of " + target.name().str() +
             " has lines for " + std::to_string(target.l1Bytes()) + ", and no other wave would make products meanwhile";
    // The first products wait for what is loaded first alone.
    plan.loadsWrittenFirst = (plan.writeAhead + 1) * staged > target.l1Bytes();
    int64_t registers = countRegisters(product, plan);
    if (registers + registersOfAddresses > limit)
      return "sums, operands and what is on its way would take " + std::to_string(registers) + " of " +
             std::to_string(limit) + " registers";
    int64_t inFlight = countBytesInFlight(product, plan), blockClocks = getMatrixClocks(product, target);
    makePipeline(product, kernel, plan);
    remark::passed(loc, options()) << describe(product, plan) << remark::metric("buffers", plan.buffers)
                                   << remark::metric("bytes_in_flight", inFlight)
                                   << remark::metric("bytes_needed", getBytesNeeded(target))
                                   << remark::metric("distance", getDistance(plan))
                                   << remark::metric("distance_needed",
                                                     llvm::divideCeil(getLatency(target), blockClocks))
                                   << remark::metric("lds", total) << remark::metric("registers", registers);
    return "";
  }

  /// So many columns before its row a load of the first block begins, where its column is the loop's but for these.
  static std::optional<int64_t> getColumnsBefore(LoadOp load, const ProductLoop &product) {
    Value column = load.getIndices().back(), induction = scf::ForOp(product.loop).getInductionVar();
    if (column == induction)
      return 0;
    auto before = column.getDefiningOp<arith::SubIOp>();
    return before && before.getLhs() == induction ? getConstantIntValue(before.getRhs()) : std::nullopt;
  }

  /// Whether the rows that a block has of a tile are halves of cache lines: loaded by two blocks at once, the L2 is
  /// asked for each line once.
  static bool isHalfOfLine(WriteOp write, const ProductLoop &product, nstf::TargetView target) {
    auto load = write.getTile().getDefiningOp<LoadOp>();
    if (!load || load.getAt() || load.getRows() || load.getCols() || load.getIndices().size() != 2 ||
        findPacking(load.getBuffer()) || !getColumnsBefore(load, product))
      return false;
    RankedTensorType tile = getTileType(load.getResult());
    unsigned bits = tile.getElementTypeBitWidth();
    size_t along = load.getTransposed() ? 0 : 1;
    return tile.getDimSize(along) == product.blockStep && 2 * product.blockStep * bits == 8 * target.l1LineBytes() &&
           getVectorWidth(getFragment(tile), along, bits) > 1;
  }

  /// Pairs of two tiles come in different blocks: at once they would ask the L1 for more lines than it can have on
  /// their way.
  static void takeTurns(PrefetchPlan &plan) {
    int64_t pairs = 0;
    for (PrefetchPlan::Slot &slot : plan.loads)
      slot.ahead += slot.blocks == 2 ? pairs++ % 2 : 0;
  }

  static std::string describe(const ProductLoop &product, const PrefetchPlan &plan) {
    if (!product.stages.empty())
      return "a block is staged " + std::to_string(plan.buffers) +
             " blocks before its products, behind the reads of its buffer";
    return plan.writeAhead == 1 ? "a block is loaded two blocks and written to LDS one block before its products"
                                : "a block is loaded three blocks and written to LDS two blocks before its products";
  }

  /// Into two buffers: as soon as registers are free. Into one, all of which is read before the next block is written:
  /// over the steps until then; or, where halves of the waves take turns, beside the steps that read least, so that no
  /// turn is much longer than its products: the last, behind the write, and the first.
  static SmallVector<PrefetchPlan::Slot> placeLoads(const PrefetchPlan &plan, int64_t tiles, int64_t steps,
                                                    bool takesTurns) {
    SmallVector<PrefetchPlan::Slot> slots(tiles, {/*ahead=*/plan.writeAhead + 1, /*step=*/0});
    if (plan.buffers > 1)
      return slots;
    for (auto [i, slot] : llvm::enumerate(slots))
      if (takesTurns && int64_t(i) < tiles / 2)
        slot = {/*ahead=*/2, /*step=*/steps - 1};
      else
        slot = {/*ahead=*/1, /*step=*/takesTurns ? 0 : int64_t(i) * (steps - 1) / tiles};
    return slots;
  }

  /// Blocks between a load and its products.
  static int64_t getDistance(const PrefetchPlan &plan) {
    int64_t distance = plan.loads.empty() ? plan.buffers : 1;
    for (const PrefetchPlan::Slot &slot : plan.loads)
      distance = std::max(distance, slot.ahead);
    return distance;
  }

  /// Of a compute unit, at most: what waits in registers for its buffer, and what goes past them to those that aren't
  /// read.
  static int64_t countBytesInFlight(ProductLoop &product, const PrefetchPlan &plan) {
    int64_t bytes = 0;
    for (auto [write, slot] : llvm::zip_equal(product.writes, plan.loads))
      bytes += slot.blocks * write.getLds().getType().getSizeInBytes();
    for (StageOp stage : product.stages)
      bytes += (plan.buffers - 1) * stage.getLds().getType().getSizeInBytes();
    return bytes;
  }

  /// For which a block keeps the matrix core of a SIMD busy.
  int64_t getMatrixClocks(ProductLoop &product, nstf::TargetView target) {
    SystolicArrayAttr array = *getOperation().getArray();
    int64_t clocks = 0;
    for (Product &one : product.products) {
      MmaOp mma = one.mma;
      std::string type;
      llvm::raw_string_ostream(type) << getTileType(mma.getA()).getElementType();
      RankedTensorType sum = mma.getType();
      int64_t products = sum.getNumElements() * product.depth;
      for (const nstf::MatrixInstruction &instruction : target.matrixInstructions())
        if (instruction.m == array.getM() && instruction.n == array.getN() && instruction.blocks == 1 &&
            instruction.k == array.getInstructionK() && instruction.a == type) {
          clocks += products / (instruction.m * instruction.n * instruction.k) * 4 * instruction.passes;
          break;
        }
    }
    int64_t simds = std::min(target.simdsPerComputeUnit(), array.getNumWaves());
    return std::max<int64_t>(clocks / (simds * array.getParts()), 1);
  }

  /// Clocks until a load brings what no cache has.
  static int64_t getLatency(nstf::TargetView target) {
    return target.l2Latency() + (target.mallLatencyNs() + target.hbmLatencyNs()) * target.peakClock() / 1000;
  }

  /// Bytes that a compute unit must have on their way for its share of the memory's bandwidth.
  static int64_t getBytesNeeded(nstf::TargetView target) {
    return getLatency(target) * target.hbmReadBandwidth() * 1000 / (target.peakClock() * target.computeUnits());
  }

  /// Of the kernel, with the scratch that it will have.
  int64_t getLdsBytes() {
    KernelOp kernel = getOperation();
    int64_t bytes = 0, scratch = 0;
    for (Type type : kernel.getArgumentTypes())
      if (auto lds = dyn_cast<LdsType>(type))
        bytes += lds.getSizeInBytes();
    kernel.walk([&](Operation *op) { scratch = std::max(scratch, getScratchBytes(op, *kernel.getWaveSize())); });
    return bytes + scratch;
  }

  /// A lane's of a tile.
  static int64_t countRegisters(Type tile) {
    return llvm::divideCeil(getFragment(tile).getNumRegisters() * cast<RankedTensorType>(tile).getElementTypeBitWidth(),
                            32);
  }

  /// A lane's: sums, the operands of two steps and the tiles of a block.
  int64_t countRegisters(ProductLoop &product, const PrefetchPlan &plan) {
    int64_t registers = 0;
    for (Product &one : product.products) {
      MmaOp mma = one.mma;
      registers += countRegisters(mma.getType());
      for (Value operand : {mma.getA(), mma.getB()})
        registers += 2 * llvm::divideCeil(countRegisters(operand.getType()) * getOperation().getArray()->getDepth(),
                                          product.depth);
    }
    for (auto [write, slot] : llvm::zip_equal(product.writes, plan.loads))
      registers += slot.blocks * countRegisters(write.getTile().getType());
    return registers;
  }
};

} // namespace
