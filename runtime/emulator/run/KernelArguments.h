// The sizes of a launch and its argument block.
//
// Explicit arguments are at the offsets in the metadata. Hidden ones (AMDGPUUsage, "Code Object V5 Kernel Argument
// Metadata") are computed from the launch. Pointers to services of the host (printf, hostcall, heap) are written when
// the launch begins (services/HostServices.h). Those to device queues are null, as these do not exist.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace nstf::emulator {

struct DeviceModel;
struct Kernel;

struct LaunchShape {
  std::array<uint32_t, 3> grid;           ///< in workgroups
  std::array<uint32_t, 3> block;          ///< in work-items
  size_t dynamicLds = 0;                  ///< bytes
  std::array<uint32_t, 3> remainder = {}; ///< work-items of the last workgroup in each dimension; 0: it is full
};

/// Why the kernel cannot be launched with these sizes on the chip ("expected … but got …"); empty if it can.
std::string getProblem(const DeviceModel &model, const Kernel &kernel, const LaunchShape &shape);

/// Bytes of padding after an argument block: a scalar load may fetch up to 16 dwords, of which the kernel uses only the
/// declared ones.
constexpr size_t argumentPadding = 64;

/// End of the explicit arguments in the argument block, in bytes.
size_t explicitBytes(const Kernel &kernel);

/// Writes the hidden arguments into an argument block of at least kernel.kernargSize bytes.
void fillHidden(const Kernel &kernel, const LaunchShape &shape, std::span<std::byte> block);

} // namespace nstf::emulator
