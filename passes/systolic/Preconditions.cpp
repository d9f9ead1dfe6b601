// Preconditions of passes on tile programs (Preconditions.h).
#include "passes/systolic/Preconditions.h"

using namespace mlir;
using namespace nstf::systolic;

FailureOr<KernelOp> nstf::systolic::requireOneKernel(Operation *symbols) {
  auto kernels = llvm::to_vector(symbols->getRegion(0).getOps<KernelOp>());
  if (kernels.size() != 1)
    return symbols->emitError() << "expected one systolic.kernel in the module but got " << kernels.size();
  return kernels.front();
}

LogicalResult nstf::systolic::requireArray(KernelOp kernel) {
  if (!kernel.getArray() || !kernel.getWaveSize())
    return kernel.emitError("expected array and wave_size (systolic-select-array) but got none");
  return success();
}

FailureOr<int64_t> nstf::systolic::requireWaveSize(KernelOp kernel) {
  if (!kernel.getWaveSize())
    return kernel.emitError("expected a wave size (systolic-select-wave-size) but got none");
  return int64_t(*kernel.getWaveSize());
}
