// Occupancy: how many waves of a kernel are resident on a compute unit at a time, and which resource limits them.
#pragma once

#include <cstdint>
#include <string_view>

namespace nstf::support {

/// The resources of a compute unit that waves and workgroups share. The names are those of the chip files
/// (templates/targets).
struct ComputeUnit {
  int64_t simds, maxWavesPerSimd;
  int64_t vgprsPerLane, vgprGranule;
  int64_t sgprsPerSimd, sgprGranule;
  int64_t ldsBytes, ldsGranule;
};

struct KernelResources {
  int64_t vgprs = 0;    ///< V and A registers together, per lane
  int64_t sgprs = 0;    ///< as counted in the kernel's metadata: with VCC and other special registers
  int64_t ldsBytes = 0; ///< per workgroup
  int64_t wavesPerGroup = 1;
};

struct Occupancy {
  int64_t wavesPerSimd = 0; ///< on the fullest SIMD; 0: not even one workgroup fits
  int64_t workgroups = 0;   ///< on the compute unit
  std::string_view bound;   ///< the limiting resource: "waves", "VGPRs", "SGPRs", "LDS" or "workgroup size"
};

/// The occupancy of a compute unit on which only this kernel runs. The rules are those of LLVM (AMDGPU::IsaInfo:
/// getMaxNumSGPRs, getMaxWorkGroupsPerCU) and of ROCm's HIP runtime (hipOccupancyMaxActiveBlocksPerMultiprocessor):
/// registers are allocated in granules, and the waves of a SIMD may belong to any workgroups.
Occupancy getOccupancy(const ComputeUnit &unit, const KernelResources &kernel);

} // namespace nstf::support
