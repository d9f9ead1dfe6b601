// Which sectors of a cache line are present, and which are changed.
#pragma once

#include "runtime/emulator/timing/chip/CacheLimits.h"

#include <algorithm>
#include <cstdint>

namespace nstf::emulator::timing {

/// A line of the L2 and MALL (up to 256 bytes) has sectors of 64 bytes. One byte describes a line: for each sector, the
/// low half says whether its data is present, the high half whether it must still be written to memory.
class Sectors {
public:
  static constexpr uint32_t maxSectorBytes = 64;
  static_assert(maxCacheLineBytes <= 4 * maxSectorBytes, "a sector is one bit of half a byte");

  explicit Sectors(uint32_t lineBytes)
      : lineBytes(lineBytes), sectorBytes(std::min(maxSectorBytes, lineBytes)),
        whole(uint8_t((1u << lineBytes / sectorBytes) - 1)) {}

  uint8_t all() const { return whole; }
  /// The sectors that a part of an L1 line touches: bit i of `dwords` is dword i from `address`.
  uint8_t touched(uint64_t address, uint32_t dwords) const {
    if (lineBytes <= maxSectorBytes)
      return whole;
    if (!~dwords) // mostly
      return whole & uint8_t(3 << (address & (lineBytes - 1)) / maxSectorBytes);
    constexpr uint64_t inSector = (1 << maxSectorBytes / 4) - 1;
    const uint64_t fromSector = uint64_t(dwords) << (address & (maxSectorBytes - 1)) / 4;
    const uint32_t sectors = uint32_t((fromSector & inSector) != 0) |
                             uint32_t((fromSector >> 16 & inSector) != 0) << 1 | uint32_t((fromSector >> 32) != 0) << 2;
    return whole & uint8_t(sectors << (address & (lineBytes - 1)) / maxSectorBytes);
  }
  uint32_t bytes(uint8_t sectors) const {
    return ((sectors & 1) + (sectors >> 1 & 1) + (sectors >> 2 & 1) + (sectors >> 3 & 1)) * sectorBytes;
  }

  static uint8_t dirty(uint8_t state) { return state >> 4; }
  static uint8_t present(uint8_t state) { return state & 15; }
  static uint8_t written(uint8_t sectors) { return uint8_t(sectors | sectors << 4); }

private:
  uint32_t lineBytes, sectorBytes;
  uint8_t whole;
};

} // namespace nstf::emulator::timing
