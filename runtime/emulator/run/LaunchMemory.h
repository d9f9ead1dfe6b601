// Memory that lives as long as a launch.
//
// The argument block, and what the packet processor would see: an AQL kernel dispatch packet and a queue with the
// apertures. And scratch, in one piece for all workgroups that may be resident; pages nobody touches cost nothing.
#pragma once

#include "runtime/emulator/instructions/Wave.h"
#include "runtime/emulator/memory/Memory.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nstf::emulator {

/// Zeroed host memory that begins on a page and takes host memory only where it is touched.
class ZeroPages {
public:
  /// Throws std::runtime_error where the host has no room.
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
  /// Fills in the launch's addresses and regions. `scratchBytes`: for all resident workgroups.
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
