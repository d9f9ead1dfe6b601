// The memory system against the constants it is made of: latency and bandwidth of each level, what caches hold, and how
// bandwidth grows with what is under way.
#include "test/runtime/emulator/timing/MemoryStreams.h"

#include <gtest/gtest.h>

using namespace nstf::emulator;
using namespace nstf::emulator::timing;
using namespace nstf::emulator::timing::test;

namespace {

class Memory : public ::testing::TestWithParam<const char *> {
protected:
  const ChipTiming &chip = ChipTiming::find(GetParam());
  double clocks(double ns) const { return ns * chip.peakClock / 1000; }
  double expectNear(double got, double wanted, double share) const {
    EXPECT_NEAR(got, wanted, wanted * share);
    return got;
  }
  /// One load of a line by itself.
  Clocks load(MemorySystem &memory, uint32_t computeUnit, Clocks now, uint64_t address, CachePolicy policy = {}) const {
    LineAccess line{address, 1, 1};
    return memory.vectorAccess(computeUnit, now, {AccessKind::Load, policy, {&line, 1}, 4, 4}).done;
  }
  Clocks store(MemorySystem &memory, uint32_t computeUnit, Clocks now, uint64_t address,
               CachePolicy policy = {}) const {
    LineAccess line{address, 1, 1};
    return memory.vectorAccess(computeUnit, now, {AccessKind::Store, policy, {&line, 1}, 4, 4}).done;
  }
};
INSTANTIATE_TEST_SUITE_P(Chips, Memory, ::testing::Values("mi300x", "mi250x"));

TEST_P(Memory, chasesTakeEachLevelsLatency) {
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
  uint64_t footprint = std::max(chip.mallBytes, chip.tlbReachBytes) * 5 / 4;
  double translation = chip.tlbMissNs * (1 - double(chip.tlbReachBytes) / double(footprint));
  expectNear(chase(chip, footprint), beyondL2 + clocks(chip.hbmLatencyNs + translation), 0.05);
}

TEST_P(Memory, latenciesAreClocksUpToTheL2AndNanosecondsBehindIt) {
  double half = chip.peakClock / 2;
  expectNear(chase(chip, chip.l2Bytes / 4, {}, half), chip.l2Latency, 0.05);
  double beyondL2 = (chip.mallBytes ? chip.mallLatencyNs : chip.hbmLatencyNs) * half / 1000;
  expectNear(chase(chip, 24 * mega, {}, half), chip.l2Latency + beyondL2, 0.05);
}

TEST_P(Memory, streamsReachEachLevelsBandwidth) {
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

TEST_P(Memory, streamsReachMemorysBandwidth) {
  {
    MemorySystem memory(chip);
    expectNear(walk(chip, memory, 96 * mega, 16, AccessKind::Load, 16), chip.hbmReadBandwidth, 0.1);
  }
}
} // namespace
