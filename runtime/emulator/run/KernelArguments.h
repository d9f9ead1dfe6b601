// A launch's sizes and its argument block.
//
// Explicit arguments lie where the metadata says; hidden ones (AMDGPUUsage, "Code Object V5 Kernel Argument Metadata")
// are computed from the launch. Pointers to services that a GPU driver would offer (printf, hostcall, device heap,
// device queues) stay null: there are none.
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

/// Why the kernel can't be launched so on that chip ("expected … but got …"); empty if it can.
std::string problemOf(const DeviceModel &model, const Kernel &kernel, const LaunchShape &shape);

/// Scalar loads may fetch up to 16 dwords, of which the kernel uses those it declared: an argument block has so many
/// bytes behind it.
constexpr size_t argumentPadding = 64;

/// End of the explicit arguments in the argument block, in bytes.
size_t explicitBytes(const Kernel &kernel);

/// Writes the hidden arguments into an argument block of at least kernel.kernargSize bytes.
void fillHidden(const Kernel &kernel, const LaunchShape &shape, std::span<std::byte> block);

} // namespace nstf::emulator
