// Cache lines and LDS phases of single accesses.
#include "runtime/emulator/memory/Memory.h"
#include "runtime/emulator/timing/record/Coalescer.h"
#include "runtime/emulator/timing/record/LdsClocks.h"

#include <functional>
#include <gtest/gtest.h>
#include <optional>

using namespace nstf::emulator;
using namespace nstf::emulator::timing;

namespace {

constexpr uint64_t allLanes = ~uint64_t(0);

class CoalescerTest : public testing::Test {
protected:
  static constexpr uint64_t base = 0x10000, physical = 0x700000;
  RegionTable regions{{{base, base + 0x100000, true, RegionKind::Device, 1, physical}}};
  std::optional<Coalescer> coalescer{std::in_place, regions, AddressUnit{}};
  std::vector<LineAccess> runs, lines; ///< lines by themselves
  uint32_t clocks = 0;

  /// Lanes of `mask` access `bytes` at an offset each.
  void access(uint32_t bytes, const std::function<uint64_t(unsigned)> &offset, uint64_t mask = allLanes,
              uint64_t stride = 4) {
    LaneAddresses lanes;
    for (unsigned lane = 0; lane < 64; ++lane)
      lanes.address[lane] = base + offset(lane);
    lanes.memory = mask;
    lanes.lds = 0;
    lanes.stride = stride;
    runs.clear();
    clocks = coalescer->vector(0, lanes, bytes, runs);
    lines.clear();
    for (const LineAccess &run : runs)
      for (uint32_t i = 0; i <= run.following; ++i)
        lines.push_back({run.address + uint64_t(i) * 128, run.dwords, run.lanes});
  }
};

TEST_F(CoalescerTest, ConsecutiveLanesShareLines) {
  access(4, [](unsigned lane) { return lane * 4; });
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].address, physical);
  EXPECT_EQ(lines[1].address, physical + 128);
  EXPECT_EQ(lines[0].dwords, ~0u);
  EXPECT_EQ(lines[0].lanes, 32u);
  EXPECT_EQ(clocks, 4u) << "16 lanes a clock";
  access(16, [](unsigned lane) { return lane * 16; });
  EXPECT_EQ(lines.size(), 8u);
  EXPECT_EQ(runs.size(), 1u);
  EXPECT_EQ(clocks, 16u) << "64 bytes a clock";
  access(8, [](unsigned lane) { return lane * 8; });
  EXPECT_EQ(lines.size(), 4u);
  EXPECT_EQ(clocks, 8u);
}

TEST_F(CoalescerTest, AnotherAddressUnit) {
  coalescer.emplace(regions, AddressUnit{.lanesPerClock = 32, .bytesPerClock = 128});
  access(4, [](unsigned lane) { return lane * 4; });
  EXPECT_EQ(clocks, 2u) << "32 lanes a clock";
  access(16, [](unsigned lane) { return lane * 16; });
  EXPECT_EQ(clocks, 8u) << "128 bytes a clock";
  access(4, [](unsigned lane) { return lane * 128; });
  EXPECT_EQ(clocks, 64u) << "a line a clock";
  coalescer.emplace(regions, AddressUnit{.lanesPerClock = 3, .bytesPerClock = 4}); // divides no wave
  access(4, [](unsigned lane) { return lane * 4; });
  EXPECT_EQ(clocks, 64u) << "4 bytes a clock";
  coalescer.emplace(regions, AddressUnit{.lanesPerClock = 3, .bytesPerClock = 64});
  access(4, [](unsigned) { return 0; });
  EXPECT_EQ(clocks, 22u) << "3 lanes a clock";
}

TEST_F(CoalescerTest, WhatLanesTouchTogetherCountsOnce) {
  access(4, [](unsigned) { return 8; });
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].dwords, 4u);
  EXPECT_EQ(lines[0].lanes, 64u);
  EXPECT_EQ(clocks, 4u);
}

TEST_F(CoalescerTest, StridesTouchALineALane) {
  access(4, [](unsigned lane) { return lane * 128; });
  EXPECT_EQ(lines.size(), 64u);
  EXPECT_EQ(clocks, 64u) << "a line a clock";
  access(16, [](unsigned lane) { return lane % 16 * 4096 + lane / 16 * 16; });
  EXPECT_EQ(lines.size(), 16u) << "16 rows of 64 bytes: the operand of a matrix instruction, straight from memory";
  EXPECT_EQ(clocks, 64u);
}

TEST_F(CoalescerTest, AnAccessAcrossLinesTouchesBoth) {
  access(16, [](unsigned) { return 120; }, 1);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].dwords, 0xc0000000u);
  EXPECT_EQ(lines[1].dwords, 0x3u);
  EXPECT_EQ(lines[0].lanes + lines[1].lanes, 1u);
}

TEST_F(CoalescerTest, InactiveLanesTouchNothing) {
  access(4, [](unsigned lane) { return lane * 128; }, 0x5);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[1].address, physical + 256);
  access(4, [](unsigned) { return 0; }, 0);
  EXPECT_TRUE(lines.empty());
  EXPECT_EQ(clocks, 0u);
}

TEST_F(CoalescerTest, InterleavedScratchIsDwordByDword) {
  access(16, [](unsigned lane) { return lane * 4; }, allLanes, 256);
  EXPECT_EQ(lines.size(), 8u) << "four rows of 256 bytes";
}

TEST_F(CoalescerTest, OutsideTouchesNothing) {
  access(4, [](unsigned lane) { return lane == 3 ? uint64_t(1) << 40 : 0; });
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0].lanes, 63u);
}

// Moved patterns come from memory of the pattern: the same as from the lanes one by one.
TEST_F(CoalescerTest, RememberedPatternsAreExact) {
  uint32_t random = 1;
  auto next = [&random] { return random = random * 1664525 + 1013904223; };
  for (unsigned round = 0; round < 400; ++round) {
    const uint64_t start = next() >> 16 & 0x3ffc, step = (next() >> 20) % 6 * 16, shift = round % 3 * 64;
    const uint32_t bytes = 4u << (next() >> 28) % 3;
    const uint64_t mask = next() >> 30 ? allLanes : uint64_t(next()) << 20;
    auto offset = [&](unsigned lane) { return start + lane * step + (lane % 4) * shift; };
    access(bytes, offset, mask);
    const std::vector<LineAccess> seen = lines;
    const uint32_t seenClocks = clocks;
    coalescer.emplace(regions, AddressUnit{});
    access(bytes, offset, mask);
    ASSERT_EQ(seen.size(), lines.size());
    for (size_t i = 0; i < lines.size(); ++i) {
      EXPECT_EQ(seen[i].address, lines[i].address);
      EXPECT_EQ(seen[i].dwords, lines[i].dwords);
      EXPECT_EQ(seen[i].lanes, lines[i].lanes);
    }
    EXPECT_EQ(seenClocks, clocks);
  }
}

TEST_F(CoalescerTest, ScalarAccessesSpanLines) {
  coalescer->scalar(base + 112, 32, lines);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].dwords, 0xf0000000u);
  EXPECT_EQ(lines[1].dwords, 0xfu);
}

TEST(LdsClocks, PhasesAndConflicts) {
  auto wave = std::make_unique<Wave>();
  wave->vectorBase[0] = reinterpret_cast<const char *>(wave->rows);
  LdsClocks clocks(/*banks=*/32);
  MicroOp op = {};
  TimingFact fact;
  fact.unit = Unit::Lds;
  auto detail = [&](uint32_t flags, uint8_t bytes, uint32_t stride, uint64_t lanes = allLanes) {
    fact.flags = flags;
    fact.bytes = bytes;
    wave->setExec(lanes);
    ++op.instruction;
    LdsDetail first = {};
    for (uint32_t base : {0u, 64u, 100u}) { // where it is doesn't matter
      for (unsigned lane = 0; lane < 64; ++lane)
        wave->rows[0][lane] = base + lane * stride;
      const LdsDetail now = clocks.of(*wave, &op, fact);
      if (base)
        EXPECT_EQ(now.packed(), first.packed());
      first = now;
    }
    return first;
  };
  EXPECT_EQ(detail(TimingFact::load, 4, 4).phases, 2);
  EXPECT_EQ(detail(TimingFact::load, 4, 4).conflicts, 0);
  EXPECT_EQ(detail(TimingFact::load, 4, 8).conflicts, 2) << "two lanes a bank in each half";
  EXPECT_EQ(detail(TimingFact::load, 4, 128).conflicts, 62) << "all on one bank";
  EXPECT_EQ(detail(TimingFact::load, 4, 0).conflicts, 0) << "one dword for all";
  EXPECT_EQ(detail(TimingFact::load, 4, 4, 0xffff).phases, 1);
  EXPECT_EQ(detail(TimingFact::load, 4, 4, 0).phases, 0);
  EXPECT_EQ(detail(TimingFact::load, 8, 8).phases, 4);
  EXPECT_EQ(detail(TimingFact::load, 16, 16).phases, 8);
  EXPECT_EQ(detail(TimingFact::load, 16, 16).conflicts, 0);
  EXPECT_EQ(detail(TimingFact::store, 16, 16).conflicts, 0);
  EXPECT_EQ(detail(TimingFact::load | TimingFact::ldsPair, 8, 8).phases, 8) << "two accesses";
  EXPECT_EQ(detail(TimingFact::load | TimingFact::ldsPair, 4, 128).conflicts, 124);
  EXPECT_EQ(detail(TimingFact::atomic, 4, 4).conflicts, 0);
  EXPECT_EQ(detail(TimingFact::atomic, 4, 0).conflicts, 62) << "one after the other";
}

TEST(LdsClocks, TwiceAsManyBanks) {
  uint32_t offsets[64];
  for (uint32_t lane = 0; lane < 64; ++lane)
    offsets[lane] = lane * 8;
  for (uint32_t flags : {TimingFact::load, TimingFact::atomic}) {
    TimingFact fact;
    fact.unit = Unit::Lds;
    fact.flags = flags;
    fact.bytes = 4;
    EXPECT_EQ(LdsClocks(/*banks=*/32).of(offsets, allLanes, fact).conflicts, 2);
    EXPECT_EQ(LdsClocks(/*banks=*/64).of(offsets, allLanes, fact).conflicts, 0);
  }
}

} // namespace
