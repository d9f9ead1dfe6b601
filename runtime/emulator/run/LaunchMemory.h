// Memory that lives as long as a launch.
//
// The argument block, and the structures of the packet processor: an AQL kernel dispatch packet and a queue with the
// apertures. Also the scratch, in one piece for all workgroups that may be resident; untouched pages take no host
// memory.
#pragma once

#include "runtime/emulator/instructions/Wave.h"
#include "runtime/emulator/memory/Memory.h"
#include "runtime/emulator/memory/ZeroPages.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nstf::emulator {

class LaunchMemory {
public:
  /// Sets the launch's addresses and regions. `scratchBytes`: for all resident workgroups together.
  LaunchMemory(Launch &launch, const Memory &memory, size_t scratchBytes);
  uint64_t scratch() const { return scratchPages.address(); }

private:
  struct Line {
    alignas(64) uint8_t bytes[64];
  };
  static size_t argumentLines(const Launch &launch);
  std::vector<Line> arguments;
  ZeroPages scratchPages;
  RegionTable table;
};

} // namespace nstf::emulator
