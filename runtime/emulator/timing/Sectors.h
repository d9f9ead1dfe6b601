// What of a cache line is there, and what of it memory doesn't have.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace nstf::emulator::timing {

/// A line of the L2 and MALL has up to four sectors, of 64 bytes at least. A byte tells of each whether its data are
/// there (low half) and whether they still have to be written to memory (high half).
class Sectors {
public:
  explicit Sectors(uint32_t lineBytes)
      : lineBytes(lineBytes), sectorBytes(std::max(std::min(64u, lineBytes), lineBytes / 4)) {}

  uint8_t all() const { return uint8_t((1u << (lineBytes / sectorBytes)) - 1); }
  /// Those that a piece of an L1's line touches: bit i of `dwords` is dword i behind `address`.
  uint8_t touched(uint64_t address, uint32_t dwords) const {
    uint32_t first = uint32_t(address & (lineBytes - 1)) / 4, perSector = sectorBytes / 4;
    uint32_t sectors = 0;
    for (uint64_t left = uint64_t(dwords) << first % perSector, sector = first / perSector; left != 0; ++sector) {
      uint64_t mask = (uint64_t(1) << perSector) - 1;
      sectors |= uint32_t((left & mask) != 0) << sector;
      left = perSector < 64 ? left >> perSector : 0;
    }
    return uint8_t(sectors & all());
  }
  uint32_t bytes(uint8_t sectors) const { return std::popcount(sectors) * sectorBytes; }

  static uint8_t dirty(uint8_t state) { return state >> 4; }
  static uint8_t present(uint8_t state) { return state & 15; }
  static uint8_t written(uint8_t sectors) { return uint8_t(sectors | sectors << 4); }

private:
  uint32_t lineBytes, sectorBytes;
};

} // namespace nstf::emulator::timing
