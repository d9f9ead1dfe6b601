// The memory system against the constants it is made of: latency and bandwidth of each level, what caches hold, and how
// bandwidth grows with what is under way.
#include "runtime/emulator/timing/memory/Channel.h"
#include "runtime/emulator/timing/memory/Interleave.h"
#include "runtime/emulator/timing/memory/Sectors.h"
#include "runtime/emulator/timing/memory/SetMap.h"
#include "test/runtime/emulator/timing/ElementwiseStream.h"
#include "test/runtime/emulator/timing/MemoryFixture.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

using namespace nstf::emulator;
using namespace nstf::emulator::timing;
using namespace nstf::emulator::timing::test;

namespace {

/// The chip with so little cache behind the L1 that short streams don't fit.
ChipTiming withSmallCaches(ChipTiming chip) {
  chip.l2Bytes /= 16;
  chip.mallBytes /= 128;
  return chip;
}

using Memory = MemoryFixture;
INSTANTIATE_TEST_SUITE_P(Chips, Memory, ::testing::Values("mi300x", "mi250x"));

TEST_P(Memory, ChasesTakeEachLevelsLatency) {
  expectNear(chase(chip, chip.l1Bytes / 2), chip.l1Latency, 0.02);
  expectNear(chase(chip, chip.l2Bytes / 4), chip.l2Latency, 0.05);
  CachePolicy coherent;
  coherent.glc = coherent.sc1 = true;
  expectNear(chase(chip, chip.l2Bytes / 4, coherent), chip.l2CoherentLatency, 0.05);
  double beyondL2 = chip.l2Latency + clocks(chip.mallLatencyNs);
  if (chip.mallBytes) {
    expectNear(chase(chip, 24 * mega), beyondL2, 0.05);
  }
  // Some of the pages' translations are missing.
  ChipTiming small = withSmallCaches(chip);
  uint64_t footprint = chip.tlbReachBytes * 3 / 2;
  double translation = chip.tlbMissNs * (1 - double(chip.tlbReachBytes) / double(footprint));
  expectNear(chase(small, footprint), beyondL2 + clocks(chip.hbmLatencyNs + translation), 0.05);
}

TEST_P(Memory, LatenciesAreClocksUpToTheL2AndNanosecondsBehindIt) {
  double half = chip.peakClock / 2;
  expectNear(chase(chip, chip.l2Bytes / 4, {}, half), chip.l2Latency, 0.05);
  double beyondL2 = (chip.mallBytes ? chip.mallLatencyNs : chip.hbmLatencyNs) * half / 1000;
  expectNear(chase(chip, 24 * mega, {}, half), chip.l2Latency + beyondL2, 0.05);
}

TEST_P(Memory, StreamsReachEachLevelsBandwidth) {
  double gbsPerBytePerClock = chip.peakClock / 1000;
  MemorySystem memory(chip);
  reread(chip, memory, chip.l1Bytes / 2, 1, 16);
  expectNear(reread(chip, memory, chip.l1Bytes / 2, 40, 16),
             chip.computeUnits * double(chip.l1BytesPerClock) * gbsPerBytePerClock, 0.1);
  reread(chip, memory, mega, 1, 16);
  expectNear(reread(chip, memory, mega, 1, 16),
             double(chip.xcds) * chip.l2Channels * chip.l2ReadBytesPerClock * gbsPerBytePerClock, 0.1);
  if (chip.mallBytes) {
    walk(chip, memory, 64 * mega, 16, AccessKind::Load, 16);
    expectNear(walk(chip, memory, 64 * mega, 16, AccessKind::Load, 16), chip.mallReadBandwidth, 0.1);
  }
}

TEST_P(Memory, StreamsReachMemorysBandwidth) {
  ChipTiming small = withSmallCaches(chip);
  auto rate = [&](AccessKind kind) {
    MemorySystem memory(small);
    return walk(small, memory, 64 * mega, 16, kind, 16);
  };
  expectNear(rate(AccessKind::Load), chip.hbmReadBandwidth, 0.1);
  expectNear(rate(AccessKind::Store), chip.hbmWriteBandwidth, 0.1);
  expectNear(ElementwiseStream(small, {1024, 2, 1, 1}).gbs(), chip.hbmCopyBandwidth, 0.1);
}

TEST_P(Memory, ALineUnderWayIsFetchedOnce) {
  MemorySystem memory(chip);
  Clocks first = load(memory, 0, 0, 4096);
  EXPECT_EQ(load(memory, 0, 10, 4096 + 4), first); // in the L1
  EXPECT_EQ(memory.counters().l1Merged, 1u);
  EXPECT_LE(load(memory, 1, 10, 4096), first + 10); // in the L2
  EXPECT_EQ(memory.counters().fabricReads, 1u);
  if (chip.xcds > 1) {
    EXPECT_LE(load(memory, chip.computeUnitsPerXcd(), 10, 4096), first + 10); // in the MALL
    EXPECT_EQ(memory.counters().fabricReads, 2u);
  }
  EXPECT_EQ(memory.counters().hbmReadBytes, chip.l2LineBytes);
  // Later it is a hit of each.
  EXPECT_EQ(load(memory, 0, 10000, 4096), 10000 + chip.l1Latency);
  load(memory, 2, 10000, 8192); // the page's translation
  EXPECT_NEAR(double(load(memory, 2, 20000, 4096)), 20000.0 + chip.l2Latency, 2);
}

TEST_P(Memory, APartOfALineTakesAWritesLeastBytes) {
  auto waits = [&](uint32_t least) {
    ChipTiming changed = chip;
    changed.l2WriteLeastBytes = least;
    changed.l2WriteBytesPerClock = 1;
    MemorySystem memory(changed);
    store(memory, 0, 0, 0);
    return double(store(memory, 1, 0, 0));
  };
  EXPECT_NEAR(waits(64) - waits(4), 60, 1);
}

TEST_P(Memory, ASetAsksForItsLinesOneAfterTheOther) {
  const uint64_t sets = chip.l1Bytes / chip.l1LineBytes / chip.l1Ways;
  auto getClocks = [&](uint64_t linesApart) {
    MemorySystem memory(chip);
    LineAccess lines[64];
    for (uint64_t i = 0; i < 64; ++i)
      lines[i] = {i * linesApart * chip.l1LineBytes, 1, 1};
    const VectorAccess access = {AccessKind::Load, {}, lines, 64, 256};
    memory.vectorAccess(0, 0, access);
    memory.invalidate(0, 10000, {});
    return double(memory.vectorAccess(0, 20000, access).done - 20000);
  };
  const double spread = getClocks(1), same = getClocks(sets), tagClocks = 1.0 / chip.vmemLinesPerClock;
  EXPECT_NEAR(spread, chip.l2Latency + 63 * tagClocks, 4);
  EXPECT_NEAR(same, chip.l2Latency + 63 * std::max(tagClocks, chip.l1SetMissClocks), 4);
}

// Whole blocks take their time at once; that is to be no other than that of their lines one by one, whatever leaves
// caches for them.
TEST_P(Memory, LinesTakeAsLongTogetherAsByThemselves) {
  ChipTiming small = chip;
  small.l2Bytes = small.l2Channels * small.l2Ways * small.l2LineBytes * 8;
  small.mallBytes = small.mallBytes ? small.mallSlices * small.mallWays * small.l2LineBytes * 4 : 0;
  MemorySystem together(small), apart(small);
  std::mt19937 random(1);
  auto below = [&](uint32_t limit) { return random() % limit; };
  Clocks now = 0;
  for (uint32_t i = 0; i < 20000; ++i) {
    const bool isBlock = below(100);
    const uint64_t address = isBlock ? below(8192) * 1024 : below(65536) * small.l1LineBytes;
    const uint32_t count = isBlock ? 1024 / small.l1LineBytes * (1 + below(3)) : 1 + below(20);
    const uint32_t whole = small.l1LineBytes == 128 ? ~0u : 0xffffu, dwords = below(16) ? whole : 1 + below(255);
    const LineAccess run = {address, dwords, 8, count - 1};
    std::vector<LineAccess> lines;
    for (uint32_t line = 0; line < count; ++line)
      lines.push_back({address + uint64_t(line) * small.l1LineBytes, dwords, 8});
    const auto kind = below(50) ? AccessKind(below(2)) : AccessKind::Atomic;
    const CachePolicy policy = {.sc1 = !below(20), .nt = !below(20)};
    const uint32_t computeUnit = below(small.computeUnits);
    now += below(3);
    const MemoryReply a = together.vectorAccess(computeUnit, now, {kind, policy, {&run, 1}, 16, 1024});
    const MemoryReply b = apart.vectorAccess(computeUnit, now, {kind, policy, lines, 16, 1024});
    ASSERT_EQ(a.done, b.done) << i;
    ASSERT_EQ(a.issueFree, b.issueFree) << i;
  }
  const MemoryCounters &a = together.counters(), &b = apart.counters();
  EXPECT_EQ(a.l1Hits, b.l1Hits);
  EXPECT_EQ(a.l2Misses, b.l2Misses);
  EXPECT_EQ(a.mallHits, b.mallHits);
  EXPECT_EQ(a.hbmReadBytes, b.hbmReadBytes);
  EXPECT_EQ(a.hbmWriteBytes, b.hbmWriteBytes);
  EXPECT_NEAR(a.hbmBusyClocks, b.hbmBusyClocks, 1e-9 * b.hbmBusyClocks);
  EXPECT_NEAR(a.mallBusyClocks, b.mallBusyClocks, 1e-9 * b.mallBusyClocks);
  EXPECT_EQ(together.endKernel(now), apart.endKernel(now));
}

TEST_P(Memory, ScalarLoadsShareACacheOfTheirOwn) {
  MemorySystem memory(chip);
  auto load = [&](uint32_t computeUnit, Clocks now, uint32_t dwords) {
    LineAccess line{4096, dwords, 1};
    return memory.scalarAccess(computeUnit, now, AccessKind::Load, {&line, 1}) - now;
  };
  EXPECT_GT(load(0, 0, 1), chip.scalarMissLatency);
  EXPECT_EQ(load(0, 5000, 0x8000), chip.scalarLatency);
  EXPECT_EQ(load(chip.scalarCacheSharers - 1, 5000 + 10, 1), chip.scalarLatency);
  EXPECT_NEAR(double(load(chip.scalarCacheSharers, 10000, 1)), chip.scalarMissLatency, 2);
  EXPECT_NEAR(double(load(0, 20000, 0x10000)), chip.scalarMissLatency, 2); // the next of its lines
  memory.invalidateScalar(0, 30000);
  EXPECT_NEAR(double(load(0, 30000, 1)), chip.scalarMissLatency, 2);
}

TEST_P(Memory, CoherentStoresReachMemoryAndLeaveOtherL2s) {
  MemorySystem memory(chip);
  if (chip.xcds == 1)
    return;
  CachePolicy agent;
  agent.sc1 = true;
  uint32_t other = chip.computeUnitsPerXcd();
  load(memory, other, 0, 0, agent);
  EXPECT_NEAR(double(load(memory, other, 10000, 0, agent)), 10000.0 + chip.l2CoherentLatency, 2); // a poll
  Clocks plain = store(memory, 0, 20000, 1 << 20), told = store(memory, 0, 20000, 0, agent);
  EXPECT_GT(told, plain + Clocks(clocks(chip.mallLatencyNs)) - 2);
  EXPECT_GT(load(memory, other, 30000, 0, agent),
            30000 + chip.l2CoherentLatency + Clocks(clocks(chip.mallLatencyNs)) - 2);
}

TEST_P(Memory, AtomicsOfOneDwordTakeTurns) {
  auto atomics = [&](uint32_t dwords, uint32_t stride) {
    MemorySystem memory(chip);
    uint32_t left = 2000;
    return stream(chip, memory, chip.computeUnits, 4,
                  [&](uint32_t, uint32_t, std::vector<LineAccess> &lines) {
                    if (left == 0)
                      return VectorAccess{};
                    lines.assign(1, {uint64_t(--left) * stride, dwords, 32});
                    return makeAccess(lines, AccessKind::Atomic, 4);
                  })
        .clocks;
  };
  Clocks apart = atomics(0xffff, 4096), oneLine = atomics(0xffff, 0), oneDword = atomics(1, 0);
  EXPECT_GT(oneLine, apart);
  EXPECT_GT(oneDword, 4 * oneLine);
  EXPECT_GE(oneDword, Clocks(2000) / chip.xcds * 32 * chip.l2AtomicClocks); // each XCD has its own
}

TEST_P(Memory, PiecesOfLinesCostWholeLines) {
  // Waves read all of a region, but of each 256 bytes only a piece, and the next piece once the region has been walked
  // through. pyhip on MI308X: pieces of 128 bytes 0.88 of the sequential rate, of 64 bytes 0.45.
  ChipTiming small = withSmallCaches(chip);
  auto rate = [&](uint64_t piece) {
    MemorySystem memory(small);
    uint64_t given = 0, region = 16 * mega, walk = region * piece / 256;
    StreamResult result =
        stream(small, memory, chip.computeUnits, 16, [&](uint32_t, uint32_t, std::vector<LineAccess> &lines) {
          if (given == region)
            return VectorAccess{};
          lines.clear();
          for (uint64_t end = given + 1024, step = std::min<uint64_t>(piece, chip.l1LineBytes); given < end;
               given += step) {
            uint64_t place = given % walk, at = place / piece * 256 + given / walk * piece + place % piece;
            uint64_t offset = at % chip.l1LineBytes;
            lines.push_back({at - offset, (step == 128 ? ~0u : 0xffffu) << offset / 4, uint32_t(step / 16)});
          }
          return makeAccess(lines, AccessKind::Load, 16);
        });
    return result.gbs(chip, double(region));
  };
  double sequential = rate(256);
  EXPECT_NEAR(rate(128) / sequential, 0.88, 0.13);
  EXPECT_NEAR(rate(64) / sequential, 0.45, 0.1);
}

TEST_P(Memory, AMatrixOperandsLayoutIsSlowerThanRows) {
  // A wave's lanes read 64 bytes of each of 16 rows of a matrix, as v_mfma wants its operand, and then of the next
  // rows.
  ChipTiming small = withSmallCaches(chip);
  auto rate = [&](bool operand) {
    MemorySystem memory(small);
    uint64_t given = 0, region = 16 * mega, row = 512, columns = row / 64;
    StreamResult result =
        stream(small, memory, chip.computeUnits, 16, [&](uint32_t, uint32_t, std::vector<LineAccess> &lines) {
          if (given == region)
            return VectorAccess{};
          sequential(chip, given, 16, lines);
          uint64_t piece = given / 1024, rows = region / row / 16, column = piece / rows % columns;
          if (operand)
            lines.clear();
          for (uint64_t i = 0; operand && i < 16; ++i) {
            uint64_t at = (piece % rows * 16 + i) * row + column * 64, offset = at % chip.l1LineBytes;
            lines.push_back({at - offset, 0xffffu << offset / 4, 4});
          }
          given += 1024;
          return makeAccess(lines, AccessKind::Load, 16);
        });
    return result.gbs(chip, double(region));
  };
  EXPECT_LT(rate(true), 0.55 * rate(false));
}

TEST_P(Memory, LessBandwidthIsNeverFaster) {
  auto time = [](const ChipTiming &chip, AccessKind kind) {
    MemorySystem memory(chip);
    return 1 / walk(chip, memory, 6 * mega, 16, kind, 8);
  };
  ChipTiming small = withSmallCaches(chip);
  double before[] = {time(small, AccessKind::Load), time(small, AccessKind::Store)};
  for (const TimingField &field : timingFields()) {
    std::string_view key = field.key;
    if (!key.ends_with("bandwidth") && !key.ends_with("per_clock"))
      continue;
    ChipTiming slow = small;
    field.set(slow, std::max(field.min, field.get(small) / 2));
    for (AccessKind kind : {AccessKind::Load, AccessKind::Store})
      EXPECT_GE(time(slow, kind), 0.999 * before[kind == AccessKind::Store]) << key;
  }
}

TEST_P(Memory, MoreUnderWayIsNeverLessBandwidth) {
  double before = 0;
  for (uint32_t waves : {1, 2, 4, 8, 16}) {
    MemorySystem memory(chip);
    double rate = walk(chip, memory, 16 * mega, 8, AccessKind::Load, waves);
    EXPECT_GT(rate, 0.97 * before) << waves;
    before = rate;
  }
}

/// The first and the last row of each series (RRZE-HPC/gpu-benches 1038c5d, gpu-stream), which fixed constants.
struct Row {
  const char *chip;
  uint32_t reads, writes;
  double alone, full; ///< GB/s with a group of 16 threads a compute unit, with two of 1024
};
class Occupancy : public ::testing::TestWithParam<Row> {};
INSTANTIATE_TEST_SUITE_P(Series, Occupancy,
                         ::testing::Values(Row{"mi300x", 1, 0, 75, 4199}, Row{"mi300x", 0, 1, 136, 4801},
                                           Row{"mi300x", 1, 1, 122, 3997}, Row{"mi210", 1, 0, 24, 1370},
                                           Row{"mi210", 0, 1, 33, 1511}, Row{"mi210", 1, 1, 36, 1362}));

TEST_P(Occupancy, BandwidthRisesFromLatencyToTheChannels) {
  ChipTiming chip = withSmallCaches(ChipTiming::find(GetParam().chip));
  auto rate = [&](uint32_t threads, uint32_t groups, uint64_t bytes) {
    return ElementwiseStream(chip, {threads, groups, GetParam().reads, GetParam().writes, bytes}).gbs();
  };
  EXPECT_NEAR(rate(16, 1, mega), GetParam().alone, 0.06 * GetParam().alone);
  EXPECT_NEAR(rate(1024, 2, 64 * mega), GetParam().full, 0.12 * GetParam().full);
  // In between it grows, and each doubling of what is under way less than doubles it.
  double before = rate(128, 2, 16 * mega);
  for (uint32_t threads : {256, 512}) {
    double now = rate(threads, 2, 16 * mega);
    EXPECT_GT(now, 1.1 * before);
    EXPECT_LT(now, 2 * before);
    before = now;
  }
}

TEST(Interleave, StridesOfPowersOfTwoReachAllChannels) {
  for (uint32_t channels : {2, 16, 32, 128}) {
    Interleave interleave(channels, 256, 128);
    for (uint64_t stride = 256; stride <= 256 * uint64_t(channels) * channels; stride *= 2) {
      std::vector<uint32_t> reached(channels);
      for (uint64_t i = 0; i < channels; ++i)
        ++reached[interleave(i * stride).channel];
      EXPECT_EQ(std::ranges::count(reached, 1u), channels) << channels << " channels, stride " << stride;
    }
  }
}

TEST(Interleave, AddressesKeepApart) {
  for (uint32_t channels : {1, 12, 16}) {
    Interleave interleave(channels, 256, 128);
    std::set<std::pair<uint32_t, uint64_t>> homes;
    for (uint64_t line = 0; line < 5000; ++line) {
      Interleave::Home home = interleave(line * 128);
      EXPECT_LT(home.channel, channels);
      EXPECT_TRUE(homes.insert({home.channel, home.line}).second) << channels << " channels, line " << line;
    }
  }
}

TEST(SetMap, LinesOfABlockAreWhereTheyWouldBeAlone) {
  std::mt19937_64 random(3);
  for (auto [channels, sets, granule] :
       {std::array{16u, 128u, 256u}, {128u, 1024u, 256u}, {8u, 8u, 128u}, {2u, 16u, 4096u}}) {
    const LineBlock together(8, 128), alone(1, 128);
    ASSERT_TRUE(SetMap::suits(channels, sets, granule, together));
    const SetMap map(channels, sets, granule, together), single(channels, sets, granule, alone);
    for (int i = 0; i < 1000; ++i) {
      const uint64_t block = random() % (uint64_t(1) << 41) / 1024 * 1024;
      const SetMap::Place place = map(block);
      for (uint32_t index = 0; index < 8; ++index) {
        const SetMap::Place line = single(block + index * 128);
        EXPECT_EQ(map.getChannel(place, index), line.channel);
        const SetMap::Place same = map.getPlace(line.channel, line.bundle / channels);
        EXPECT_EQ(same.bundle, place.bundle);
        EXPECT_EQ(same.member, SetMap::getMember(place, index));
        const SetMap::InBundle inBundle = map.inBundle(place.bundle % (channels * map.setsOfBundle() / 8), same.member);
        EXPECT_EQ(inBundle.channel, line.channel);
        EXPECT_EQ(inBundle.set, line.bundle / channels % map.setsOfBundle());
      }
    }
  }
  EXPECT_FALSE(SetMap::suits(12, 128, 256, LineBlock(8, 128)));
  EXPECT_FALSE(SetMap::suits(2, 128, 256, LineBlock(8, 128)));
}

TEST(Sectors, DwordsTouchSectors) {
  Sectors sectors(128); // two of 64 bytes
  EXPECT_EQ(sectors.all(), 3);
  EXPECT_EQ(sectors.touched(0, 1), 1);
  EXPECT_EQ(sectors.touched(0, 0x10000), 2);
  EXPECT_EQ(sectors.touched(64, 0xffff), 2); // a line of an L1 with 64 bytes
  EXPECT_EQ(sectors.touched(0, ~0u), 3);
  EXPECT_EQ(Sectors(256).touched(128, 0xffff0000), 8);
  EXPECT_EQ(Sectors(256).touched(112, 0xf), 2); // a line of an L1 with 16 bytes is a part of a sector
  EXPECT_EQ(sectors.bytes(2), 64u);
  EXPECT_EQ(Sectors(64).all(), 1);
}

TEST(Channel, WorkWaitsAndDrains) {
  Channel channel;
  EXPECT_EQ(channel.book(0, 10), 0);
  EXPECT_EQ(channel.book(0, 10), 10);
  EXPECT_EQ(channel.book(5, 10), 15);
  EXPECT_EQ(channel.book(100, 10), 0);
}
} // namespace
