// The places of an L1's misses: how many are under way, and what is found there.
#include "test/runtime/emulator/timing/MemoryFixture.h"

using namespace nstf::emulator;
using namespace nstf::emulator::timing;

namespace {

using MissPlaces = test::MemoryFixture;
INSTANTIATE_TEST_SUITE_P(Chips, MissPlaces, ::testing::Values("mi300x", "mi250x"));

// Places up to the number of lines: more misses wait for the oldest one's data. More places than lines: they don't, and
// what is under way is found there though its line in the L1 is another's.
TEST_P(MissPlaces, AreApartFromLines) {
  const uint32_t lines = uint32_t(chip.l1Bytes / chip.l1LineBytes);
  struct Seen {
    uint64_t merged, reads;
    Clocks waited;
  };
  auto missing = [&](uint32_t places, uint32_t loads) {
    ChipTiming changed = chip;
    changed.l1MissesInFlight = places;
    MemorySystem memory(changed);
    Seen seen = {};
    for (uint64_t i = 0; i < loads; ++i) {
      const LineAccess line{i * chip.l1LineBytes, 1, 1};
      seen.waited += memory.vectorAccess(0, i, {AccessKind::Load, {}, {&line, 1}, 1, 4}).placeWait;
    }
    load(memory, 0, loads, 0); // the first line again, long before its data come
    seen.merged = memory.counters().l1Merged;
    seen.reads = memory.counters().l2Reads;
    return seen;
  };
  const uint32_t few = lines / 2;
  EXPECT_EQ(missing(lines, few).waited, 0u);
  EXPECT_EQ(missing(lines, few).merged, 1u);
  EXPECT_GT(missing(lines, lines + 8).waited, 0u);
  EXPECT_GT(missing(few, few + 8).waited, 0u);
  const Seen apart = missing(2 * lines, lines + 8);
  EXPECT_EQ(apart.waited, 0u);
  EXPECT_EQ(apart.merged, 1u);
  EXPECT_EQ(apart.reads, lines + 8u);
}

TEST_P(MissPlaces, AreForgottenWithTheirL1) {
  ChipTiming changed = chip;
  const uint32_t lines = uint32_t(chip.l1Bytes / chip.l1LineBytes);
  changed.l1MissesInFlight = 2 * lines;
  MemorySystem memory(changed);
  load(memory, 0, 0, 4096);
  memory.invalidate(0, 1, {});
  load(memory, 0, 2, 4096);
  EXPECT_EQ(memory.counters().l1Hits, 0u);
  memory.endKernel(3);
  load(memory, 0, 4, 4096);
  EXPECT_EQ(memory.counters().l1Hits, 0u);
}

} // namespace
