#include "runtime/emulator/run/LaunchMemory.h"
#include "runtime/emulator/instructions/MemorySpace.h"
#include "runtime/emulator/memory/CodeObject.h"
#include "runtime/emulator/run/Dispatch.h"
#include "runtime/emulator/run/KernelArguments.h"

#include <algorithm>
#include <cstring>

namespace nstf::emulator {
namespace {

constexpr size_t packetLines = 1, queueLines = 4;
/// Region::physical of memory that lives only as long as a launch, above all allocations. Caches' tags can number 4 G
/// blocks of 1 KB.
constexpr uint64_t argumentsPhysical = uint64_t(1) << 40, scratchPhysical = uint64_t(1) << 41;

void fillPacket(char *packet, const Launch &launch) {
  auto put = [&](size_t at, auto value) { std::memcpy(packet + at, &value, sizeof(value)); };
  const LaunchArguments &arguments = *launch.arguments;
  put(0, uint16_t(2)); // kernel dispatch
  put(2, uint16_t(3)); // dimensions
  for (unsigned i = 0; i < 3; ++i) {
    put(4 + 2 * i, uint16_t(arguments.block[i]));
    const uint32_t missing = arguments.remainder[i] ? arguments.block[i] - arguments.remainder[i] : 0;
    put(12 + 4 * i, arguments.grid[i] * arguments.block[i] - missing);
  }
  put(24, launch.scratchBytes);
  put(28, uint32_t(launch.kernel->ldsSize + arguments.dynamicLds));
  put(32, launch.kernel->descriptorAddress);
  put(40, launch.kernarg);
}
void fillQueue(char *queue) {
  std::memcpy(queue + 0x40, &sharedApertureHigh, 4);
  std::memcpy(queue + 0x44, &privateApertureHigh, 4);
}

} // namespace

size_t LaunchMemory::argumentLines(const Launch &launch) {
  // A damaged descriptor may preload bytes beyond the arguments.
  const KernelDescriptor &descriptor = launch.kernel->descriptor;
  const size_t preloaded = (size_t(descriptor.preloadOffset) + descriptor.preloadDwords) * 4;
  size_t bytes = std::max({launch.arguments->kernargSize, launch.kernel->kernargSize, preloaded}) + argumentPadding;
  return (bytes + sizeof(Line) - 1) / sizeof(Line);
}

LaunchMemory::LaunchMemory(Launch &launch, const Memory &memory, size_t scratchBytes)
    : arguments(argumentLines(launch) + packetLines + queueLines), scratchPages(scratchBytes, "a launch's scratch"),
      table({}) {
  launch.kernarg = reinterpret_cast<uint64_t>(arguments.data());
  launch.dispatchPacket = launch.kernarg + argumentLines(launch) * sizeof(Line);
  launch.queue = launch.dispatchPacket + packetLines * sizeof(Line);
  if (launch.arguments->kernargSize)
    std::memcpy(reinterpret_cast<void *>(launch.kernarg), launch.arguments->kernarg, launch.arguments->kernargSize);
  fillPacket(reinterpret_cast<char *>(launch.dispatchPacket), launch);
  fillQueue(reinterpret_cast<char *>(launch.queue));

  std::vector<Region> regions = memory.regions()->all();
  auto add = [&](uint64_t begin, uint64_t size, RegionKind kind, bool writable, uint64_t physical) {
    Region region{begin, begin + size, writable, kind, 0, physical};
    regions.insert(std::upper_bound(regions.begin(), regions.end(), region,
                                    [](const Region &a, const Region &b) { return a.begin < b.begin; }),
                   region);
  };
  add(launch.kernarg, arguments.size() * sizeof(Line), RegionKind::Arguments, false, argumentsPhysical);
  if (scratchBytes)
    add(scratchPages.address(), scratchBytes, RegionKind::Scratch, true, scratchPhysical);
  table = RegionTable(std::move(regions));
  launch.regions = &table;
}

} // namespace nstf::emulator
