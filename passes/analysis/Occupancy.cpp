// How many waves of a kernel fit on a SIMD (Occupancy.h).
#include "passes/analysis/Occupancy.h"
#include "llvm/Support/MathExtras.h"

using namespace nstf;

Occupancy nstf::getOccupancy(TargetView target, KernelResources kernel) {
  Occupancy occupancy{target.maxWavesPerSimd(), 0, "waves"};
  auto limit = [&](int64_t waves, llvm::StringRef reason) {
    if (waves < occupancy.wavesPerSimd)
      occupancy = {waves, 0, reason};
  };
  int64_t simds = target.simdsPerComputeUnit();
  int64_t vgprs = llvm::alignTo(std::max<int64_t>(kernel.vgprs, 1), target.vgprGranule());
  limit(target.vgprsPerLane() / vgprs, "vgprs");
  int64_t sgprs = llvm::alignTo(std::max<int64_t>(kernel.sgprs, 1), target.sgprGranule());
  limit(target.sgprsPerSimd() / sgprs, "sgprs");
  // Workgroups come whole: what is left when no more fits stays empty.
  int64_t groups = occupancy.wavesPerSimd * simds / kernel.wavesPerGroup;
  limit(llvm::divideCeil(groups * kernel.wavesPerGroup, simds), "workgroup size");
  if (kernel.ldsBytes > 0) {
    groups = std::min(groups, target.ldsBytes() / int64_t(llvm::alignTo(kernel.ldsBytes, target.ldsGranule())));
    limit(llvm::divideCeil(groups * kernel.wavesPerGroup, simds), "lds");
  }
  occupancy.workgroups = groups;
  return occupancy;
}
