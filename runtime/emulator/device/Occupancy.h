// How many workgroups of a loaded kernel a compute unit holds.
#pragma once

#include "support/Occupancy.h"

#include <cstddef>
#include <string>

namespace nstf::emulator {

struct DeviceModel;
struct Kernel;

/// For workgroups of `blockSize` work-items (more than 0) with that much LDS beside the kernel's own.
support::Occupancy occupancyOf(const DeviceModel &model, const Kernel &kernel, uint32_t blockSize, size_t dynamicLds);

/// Why no compute unit holds one such workgroup, with what it needs and what there is; empty where one does.
std::string misfitOf(const DeviceModel &model, const Kernel &kernel, uint32_t blockSize, size_t dynamicLds);

} // namespace nstf::emulator
