// Memory that lives as long as a launch.
//
// The argument block, and the structures of the packet processor: an AQL kernel dispatch packet and a queue with the
// apertures. Also the scratch, in one piece for all workgroups that may be resident; untouched pages take no host
// memory.
#pragma once

#include "runtime/emulator/instructions/Wave.h"
#include "runtime/emulator/memory/Memory.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nstf::emulator {

/// Zeroed, page-aligned host memory; pages take host memory only when touched.
class ZeroPages {
public:
  /// Throws std::runtime_error when the host has too little memory.
  explicit ZeroPages(size_t bytes);
  ~ZeroPages();
  ZeroPages(const ZeroPages &) = delete;
  ZeroPages &operator=(const ZeroPages &) = delete;
  uint64_t address() const { return reinterpret_cast<uint64_t>(pages); }
  size_t size() const { return bytes; }

private:
  void *pages;
  size_t bytes;
};

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
