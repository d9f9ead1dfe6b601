// How many workgroups of a loaded kernel a compute unit holds.
#pragma once

#include "support/Occupancy.h"

#include <cstddef>

namespace nstf::emulator {

struct DeviceModel;
struct Kernel;

/// For workgroups of `blockSize` work-items (more than 0) with that much LDS beside the kernel's own.
support::Occupancy occupancyOf(const DeviceModel &model, const Kernel &kernel, uint32_t blockSize, size_t dynamicLds);

} // namespace nstf::emulator
