// The scalar data caches, each shared by a few compute units.
#pragma once

#include "runtime/emulator/timing/memory/L2.h"

namespace nstf::emulator::timing {

class ScalarCache {
public:
  ScalarCache(const ChipTiming &chip, MemoryCounters &counters, L2 &l2);

  /// When the line at `address` is available.
  double read(uint32_t computeUnit, double now, uint64_t address);
  /// Drops the lines of a compute unit's cache; of all caches.
  void drop(uint32_t computeUnit);
  void drop();

private:
  uint32_t getCache(uint32_t computeUnit) const;

  const ChipTiming &chip;
  MemoryCounters &counters;
  uint32_t computeUnitsPerXcd, cachesPerXcd;
  L2 &l2;
  Spread setOf;
  uint32_t sets;
  std::vector<Channel> ports;
  TagArray tags;
};

} // namespace nstf::emulator::timing
