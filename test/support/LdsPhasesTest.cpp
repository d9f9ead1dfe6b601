// Conflicts of LDS accesses with known results, from measurements and from layouts of shipped kernels.
#include "support/LdsPhases.h"

#include <array>
#include <functional>
#include <gtest/gtest.h>

namespace nstf::support {
namespace {

constexpr uint64_t wholeWave = ~uint64_t{0};

uint32_t conflicts(LdsDirection direction, unsigned bytes, const std::function<uint32_t(uint32_t)> &address,
                   uint64_t lanes = wholeWave) {
  std::array<uint32_t, 64> addresses;
  for (uint32_t lane = 0; lane < 64; ++lane)
    addresses[lane] = address(lane);
  return ldsConflictClocks(direction, bytes, addresses, lanes, 32);
}

uint32_t reads(unsigned bytes, const std::function<uint32_t(uint32_t)> &address, uint64_t lanes = wholeWave) {
  return conflicts(LdsDirection::Read, bytes, address, lanes);
}

uint32_t writes(unsigned bytes, const std::function<uint32_t(uint32_t)> &address) {
  return conflicts(LdsDirection::Write, bytes, address);
}

TEST(LdsPhases, EachLaneIsServedOnce) {
  for (auto direction : {LdsDirection::Read, LdsDirection::Write})
    for (unsigned bytes : {1, 2, 4, 8, 12, 16}) {
      uint64_t seen = 0;
      for (uint64_t phase : ldsPhases(direction, bytes)) {
        EXPECT_EQ(seen & phase, 0u) << bytes;
        seen |= phase;
      }
      EXPECT_EQ(seen, wholeWave) << bytes;
    }
}

TEST(LdsPhases, ConsecutiveLanesNeverConflict) {
  for (unsigned bytes : {1, 2, 4, 8, 16}) {
    EXPECT_EQ(reads(bytes, [&](uint32_t lane) { return 64 + bytes * lane; }), 0u) << bytes;
    EXPECT_EQ(writes(bytes, [&](uint32_t lane) { return 64 + bytes * lane; }), 0u) << bytes;
  }
}

TEST(LdsPhases, OneBankForAll) {
  // Measured: a read of 4 bytes with every lane on one bank takes 64 clocks, two for its phases.
  EXPECT_EQ(reads(4, [](uint32_t lane) { return 128 * lane; }), 62u);
  EXPECT_EQ(reads(16, [](uint32_t lane) { return 128 * lane; }), 8 * 7u);
  EXPECT_EQ(writes(8, [](uint32_t lane) { return 128 * lane; }), 4 * 15u);
}

TEST(LdsPhases, AChipWithMoreBanks) {
  std::array<uint32_t, 64> addresses;
  for (uint32_t lane = 0; lane < 64; ++lane)
    addresses[lane] = 8 * lane;
  EXPECT_EQ(ldsConflictClocks(LdsDirection::Read, 4, addresses, wholeWave, 32), 2u);
  EXPECT_EQ(ldsConflictClocks(LdsDirection::Read, 4, addresses, wholeWave, 64), 0u);
}

TEST(LdsPhases, ADwordIsShared) {
  EXPECT_EQ(reads(4, [](uint32_t) { return 256; }), 0u);
  EXPECT_EQ(reads(2, [](uint32_t lane) { return 2 * lane; }), 0u);
  EXPECT_EQ(reads(4, [](uint32_t lane) { return lane % 2 * 128; }), 2u);
}

TEST(LdsPhases, OnlyLanesThatTakePart) {
  auto column = [](uint32_t lane) { return 128 * lane; };
  EXPECT_EQ(reads(4, column, 0), 0u);
  EXPECT_EQ(reads(4, column, 1), 0u);
  EXPECT_EQ(reads(4, column, uint64_t{1} << 31 | uint64_t{1} << 32), 0u); // one in each phase
  EXPECT_EQ(reads(4, column, 0b111), 2u);
}

TEST(LdsPhases, UnalignedAccessesTakeTheDwordsTheyTouch) {
  EXPECT_EQ(reads(4, [](uint32_t lane) { return 4 * lane + 2; }), 2u); // 33 dwords per phase
}

// Reads of 16 bytes are served in groups of eight lanes that are not consecutive, so a pattern without conflicts in one
// direction may have some in the other.
TEST(LdsPhases, ReadsAndWritesOf16BytesDiffer) {
  auto rowsOf144 = [](uint32_t lane) { return lane % 8 * 16 + lane / 8 * 144; };
  EXPECT_EQ(writes(16, rowsOf144), 0u);
  EXPECT_EQ(reads(16, rowsOf144), 8u);
}

/// The place of granule `g` of 16 bytes in row `r` of a matrix operand: exclusive-or'ed with the row.
uint32_t granule(uint32_t row, uint32_t g, uint32_t rowBytes, uint32_t rows, uint32_t phase) {
  return row * rowBytes + 16 * (g ^ (row / phase % rows));
}

TEST(LdsPhases, OperandsOfAMatrixInstruction) {
  struct Layout {
    uint32_t rowBytes, rows, phase;
    uint32_t read16x16, read32x32, write;
  };
  for (const Layout &layout : {Layout{128, 8, 1, 0, 0, 0}, Layout{64, 4, 2, 0, 0, 0}, Layout{256, 8, 1, 0, 0, 0},
                               Layout{128, 1, 1, 24, 56, 0}}) {
    auto at = [&](uint32_t row, uint32_t g) { return granule(row, g, layout.rowBytes, layout.rows, layout.phase); };
    const uint32_t granules = layout.rowBytes / 16;
    EXPECT_EQ(reads(16, [&](uint32_t lane) { return at(lane % 16, lane / 16); }), layout.read16x16) << layout.rowBytes;
    EXPECT_EQ(reads(16, [&](uint32_t lane) { return at(lane % 32, lane / 32); }), layout.read32x32) << layout.rowBytes;
    EXPECT_EQ(writes(16, [&](uint32_t lane) { return at(lane / granules, lane % granules); }), layout.write);
  }
  // Rows of 64 bytes need phase 2: two of them share the banks.
  EXPECT_EQ(reads(16, [](uint32_t lane) { return granule(lane % 32, lane / 32, 64, 4, 1); }), 8u);
  // Rows of 128 bytes in groups of 8 bytes: a swizzle of 8 rows leaves conflicts, one of 16 does not.
  auto eight = [](uint32_t rows) {
    return [rows](uint32_t lane) { return lane % 32 * 128 + 8 * ((lane / 32) ^ (lane % 32 % rows)); };
  };
  EXPECT_EQ(reads(8, eight(8)), 4u);
  EXPECT_EQ(reads(8, eight(16)), 0u);
}

} // namespace
} // namespace nstf::support
