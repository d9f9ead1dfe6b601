// How many workgroups a compute unit holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace nstf::emulator {

struct DeviceModel;
struct Kernel;

struct Occupancy {
  uint32_t workgroups = 0;   ///< at a time on a compute unit
  uint32_t wavesPerSimd = 0; ///< of them, on the fullest SIMD
  std::string bound;         ///< what allows no more: "VGPRs", "LDS", "waves" or "workgroup size"
};

/// For workgroups of `blockSize` work-items (more than 0) with that much LDS beside the kernel's own.
Occupancy occupancyOf(const DeviceModel &model, const Kernel &kernel, uint32_t blockSize, size_t dynamicLds);

} // namespace nstf::emulator
