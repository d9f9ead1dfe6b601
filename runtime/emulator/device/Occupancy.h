// Number of workgroups of a loaded kernel that a compute unit holds.
#pragma once

#include "support/Occupancy.h"

#include <cstddef>
#include <string>

namespace nstf::emulator {

struct DeviceModel;
struct Kernel;

/// For workgroups of `blockSize` work-items (more than 0) with `dynamicLds` bytes of LDS in addition to the kernel's
/// own.
support::Occupancy getOccupancy(const DeviceModel &model, const Kernel &kernel, uint32_t blockSize, size_t dynamicLds);

/// Why no compute unit holds such a workgroup, with its requirements and the limits; empty if one does.
std::string getMisfit(const DeviceModel &model, const Kernel &kernel, uint32_t blockSize, size_t dynamicLds);

} // namespace nstf::emulator
