// How many waves of a kernel fit on a SIMD, and what keeps more from fitting.
#pragma once

#include "dialects/nstf/Target.h"

namespace nstf {

struct KernelResources {
  int64_t vgprs = 0; ///< V and A registers together, a lane
  int64_t sgprs = 0;
  int64_t ldsBytes = 0; ///< of a workgroup
  int64_t wavesPerGroup = 1;
};

struct Occupancy {
  int64_t wavesPerSimd = 0;
  int64_t workgroups = 0; ///< on a compute unit
  llvm::StringRef limit;  ///< "waves", "vgprs", "sgprs", "lds" or "workgroup size"
};

/// Waves on each SIMD of a compute unit that is full of this kernel's workgroups. 0 waves: not even one workgroup fits.
Occupancy getOccupancy(TargetView target, KernelResources kernel);

} // namespace nstf
