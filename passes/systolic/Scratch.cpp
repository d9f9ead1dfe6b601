// The LDS scratch of operations (Scratch.h).
#include "passes/systolic/Scratch.h"
#include "passes/analysis/Operands.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nstf::systolic;

Type nstf::systolic::getStoredElementType(Type elementType) {
  return elementType.isInteger(1) ? IntegerType::get(elementType.getContext(), 8) : elementType;
}

int64_t nstf::systolic::countWaves(KernelOp kernel) { return kernel.getArray()->getNumWaves() * kernel.getCrews(); }

int64_t nstf::systolic::getScratchBytes(Operation *op, int64_t waveSize) {
  if (auto conversion = dyn_cast<ConvertLayoutOp>(op)) {
    RankedTensorType tile = getTileType(conversion.getTile());
    int64_t bytes = getStoredElementType(tile.getElementType()).getIntOrFloatBitWidth() / 8;
    return movesBetweenLanes(conversion) && conversion.getThrough().empty() ? tile.getNumElements() * bytes : 0;
  }
  if (auto sum = dyn_cast<SumPartsOp>(op)) {
    RankedTensorType tile = getTileType(sum.getTile());
    return tile.getNumElements() * tile.getElementTypeBitWidth() / 8;
  }
  if (auto arrive = dyn_cast<ArriveOp>(op))
    return countWaves(arrive->getParentOfType<KernelOp>()) > 1 ? sizeof(int32_t) : 0;
  if (auto reduce = dyn_cast<ReduceOp>(op); reduce && !reduce.getParts()) {
    FragmentAttr layout = getFragment(reduce.getTile().getType());
    int64_t waves = 1;
    bool acrossWaves = false;
    for (const Digit &digit : layout.getWave()) {
      waves *= digit.count;
      acrossWaves |= digit.dim == int64_t(reduce.getDim());
    }
    if (acrossWaves)
      return waves * waveSize * getFragment(reduce.getResult().getType()).getNumRegisters() *
             (getTileType(reduce.getResult()).getElementTypeBitWidth() / 8);
  }
  return 0;
}

int64_t nstf::systolic::getScratchBytes(KernelOp kernel) {
  constexpr int64_t alignment = 16; // alignment of the widest access
  int64_t bytes = 0, crews = kernel.getCrews();
  kernel.walk([&](Operation *op) { bytes = std::max(bytes, getScratchBytes(op, *kernel.getWaveSize())); });
  return crews == 1 ? bytes : crews * llvm::alignTo(bytes, alignment);
}

bool nstf::systolic::leavesRoomForTwoWaves(KernelOp kernel, nstf::TargetView target, int64_t bytes) {
  return target.ldsBytes() / std::max<int64_t>(bytes, 1) * countWaves(kernel) >= 2 * target.simdsPerComputeUnit();
}

SharedScratch nstf::systolic::findSharedScratch(KernelOp kernel) {
  int64_t bytes = getScratchBytes(kernel);
  if (bytes == 0 || kernel.getCrews() > 1)
    return {};
  Block &body = kernel.getBody().front();
  auto needsScratch = [&](Operation &op) {
    auto needs = [&](Operation *inner) {
      return getScratchBytes(inner, *kernel.getWaveSize()) ? WalkResult::interrupt() : WalkResult::advance();
    };
    return op.walk(needs).wasInterrupted();
  };
  Operation *first = &*llvm::find_if(body, needsScratch);
  auto isFree = [&](Operation *user) {
    Operation *top = body.findAncestorOpInBlock(*user);
    return top != first && top->isBeforeInBlock(first) && !isa<StageOp>(user);
  };
  for (BlockArgument argument : body.getArguments())
    if (auto lds = dyn_cast<LdsType>(argument.getType()); lds && lds.getSizeInBytes() / lds.getBuffers() >= bytes)
      if (!argument.use_empty() && llvm::all_of(argument.getUsers(), isFree))
        return {argument, first};
  return {};
}
