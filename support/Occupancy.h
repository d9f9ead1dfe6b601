// How many waves of a kernel a compute unit holds at a time, and what keeps it from holding more.
#pragma once

#include <cstdint>
#include <string_view>

namespace nstf::support {

/// What waves and workgroups of a compute unit share. The names are those of the chips' files (templates/targets).
struct ComputeUnit {
  int64_t simds, maxWavesPerSimd;
  int64_t vgprsPerLane, vgprGranule;
  int64_t sgprsPerSimd, sgprGranule;
  int64_t ldsBytes, ldsGranule;
};

struct KernelResources {
  int64_t vgprs = 0;    ///< V and A registers together, a lane
  int64_t sgprs = 0;    ///< as the kernel's metadata counts them: with VCC and the like
  int64_t ldsBytes = 0; ///< of a workgroup
  int64_t wavesPerGroup = 1;
};

struct Occupancy {
  int64_t wavesPerSimd = 0; ///< on the fullest SIMD; 0: not even one workgroup fits
  int64_t workgroups = 0;   ///< on the compute unit
  std::string_view bound;   ///< what allows no more: "waves", "VGPRs", "SGPRs", "LDS" or "workgroup size"
};

/// Of a compute unit that is full of this kernel's workgroups. The rules are those of LLVM (AMDGPU::IsaInfo:
/// getMaxNumSGPRs, getMaxWorkGroupsPerCU) and of ROCm's HIP runtime (hipOccupancyMaxActiveBlocksPerMultiprocessor):
/// registers are given out in granules, a SIMD's waves may be of any workgroups.
Occupancy occupancyOf(const ComputeUnit &unit, const KernelResources &kernel);

} // namespace nstf::support
