#include "passes/systolic/LoopResources.h"
#include "passes/systolic/Scratch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nstf::systolic;

/// VGPRs of a loop in addition to sums, operands and loads in flight.
static constexpr int64_t registersOfAddresses = 24;

int64_t nstf::systolic::countRegisters(Type tile) {
  return llvm::divideCeil(getFragment(tile).getNumRegisters() * cast<RankedTensorType>(tile).getElementTypeBitWidth(),
                          32);
}

int64_t LoopResources::getWavesPerSimd() const {
  return llvm::divideCeil(countWaves(kernel), target.simdsPerComputeUnit());
}

int64_t LoopResources::getRegisterLimit() const {
  return std::min(target.maxVgprsPerWave(), target.vgprsPerLane() / getWavesPerSimd()) - registersOfAddresses;
}

int64_t LoopResources::countSteps(const ProductLoop &product) const {
  int64_t depth = KernelOp(kernel).getArray()->getDepth();
  return depth && product.depth % depth == 0 ? product.depth / depth : 0;
}

/// Counts carried values and operands; for a sum with steps, the operands of two steps.
int64_t LoopResources::countRegisters(const ProductLoop &product, PlanAttr plan) const {
  bool isSum = product.findMoreThanSums().empty();
  int64_t registers = 0, steps = std::max<int64_t>(countSteps(product), 1), ahead = 1;
  for (const PlanAction &action : plan.getRound())
    if (action.kind == PlanActionKind::Read)
      ahead = std::max(ahead, action.ahead);
  for (const LoopProduct &one : product.products) {
    MmaOp mma = one.mma;
    registers += systolic::countRegisters(mma.getType());
    for (Value operand : {mma.getA(), mma.getB()})
      if (isSum)
        registers += (1 + ahead) * llvm::divideCeil(systolic::countRegisters(operand.getType()), steps);
    // An operand that the loop does not read from LDS lives as long as its product.
    if (!isSum && !one.b)
      registers += systolic::countRegisters(mma.getB().getType());
  }
  for (Value carried : scf::ForOp(product.loop).getRegionIterArgs())
    if (!isSum && getTileType(carried))
      registers += systolic::countRegisters(carried.getType());
  // Direct loads: the tile of one round, and one more if the next is loaded before the product that uses it.
  for (auto [index, direct] : llvm::enumerate(product.directLoads)) {
    const PlanAction *load = plan.find(PlanActionKind::Load, product.writes.size() + index);
    const PlanAction *multiply = plan.find(PlanActionKind::Multiply, direct.product);
    int64_t rounds = load && load->ahead ? load->ahead + (load < multiply) : 1;
    registers += rounds * systolic::countRegisters(LoadOp(direct.load).getType());
  }
  llvm::SmallPtrSet<Operation *, 4> counted;
  for (auto [index, one] : llvm::enumerate(product.writes)) {
    const PlanAction *load = plan.find(PlanActionKind::Load, index), *write = plan.find(PlanActionKind::Write, index);
    if (!load || !write)
      continue;
    int64_t blocks = std::max<int64_t>(load->ahead - write->ahead, load->pairs ? 2 : 1);
    if (isSum)
      registers += blocks * systolic::countRegisters(WriteOp(one.write).getTile().getType());
    for (LoadOp loaded : one.loads)
      if (!isSum && load->ahead && counted.insert(loaded).second)
        registers += blocks * systolic::countRegisters(loaded.getType());
  }
  return registers;
}

int64_t LoopResources::countBlockBytes(const ProductLoop &product) {
  auto getBytes = [](LdsType lds) { return lds.getSizeInBytes() / lds.getBuffers(); };
  int64_t bytes = 0;
  for (LoopWrite one : product.writes)
    bytes += getBytes(one.write.getLds().getType());
  for (StageOp stage : product.stages)
    bytes += getBytes(stage.getLds().getType());
  return bytes;
}

int64_t LoopResources::countLdsBytes(const ProductLoop &product, PlanAttr plan) const {
  KernelOp op = kernel;
  int64_t bytes = 0;
  for (Type type : op.getArgumentTypes())
    if (auto lds = dyn_cast<LdsType>(type))
      bytes += lds.getSizeInBytes();
  // Scratch shares an array's memory, if it fits, where it would otherwise reduce the workgroups on a compute unit.
  int64_t scratch = findSharedScratch(op).array ? 0 : getScratchBytes(op);
  return bytes + scratch + (plan.getBuffers() - 1) * countBlockBytes(product);
}

int64_t LoopResources::countBytesInFlight(const ProductLoop &product, PlanAttr plan) {
  int64_t bytes = 0;
  for (auto [index, one] : llvm::enumerate(product.writes))
    if (const PlanAction *load = plan.find(PlanActionKind::Load, index); load && load->ahead) {
      LdsType lds = WriteOp(one.write).getLds().getType();
      bytes += (load->pairs ? 2 : 1) * lds.getSizeInBytes() / lds.getBuffers();
    }
  for (auto [index, direct] : llvm::enumerate(product.directLoads))
    if (const PlanAction *load = plan.find(PlanActionKind::Load, product.writes.size() + index); load && load->ahead) {
      RankedTensorType tile = getTileType(LoadOp(direct.load).getResult());
      bytes += tile.getNumElements() * tile.getElementTypeBitWidth() / 8;
    }
  for (StageOp stage : product.stages) {
    LdsType lds = stage.getLds().getType();
    bytes += (plan.getBuffers() - 1) * lds.getSizeInBytes() / lds.getBuffers();
  }
  return bytes;
}

int64_t LoopResources::getBlockClocks(const ProductLoop &product) const {
  SystolicArrayAttr array = *KernelOp(kernel).getArray();
  int64_t m = array.getM(), n = array.getN(), k = array.getInstructionK(), clocks = 0;
  for (const LoopProduct &one : product.products) {
    RankedTensorType a = getTileType(MmaOp(one.mma).getA());
    int64_t products = MmaOp(one.mma).getType().getNumElements() * a.getDimSize(1);
    if (std::optional<int64_t> ofOne = costs.getMatrixClocks(m, n, k, /*blocks=*/1, a.getElementType()))
      clocks += products / (m * n * k) * *ofOne;
  }
  int64_t simds = std::min(costs.getSimds(), array.getNumWaves());
  return std::max<int64_t>(clocks / (simds * array.getParts()), 1);
}
