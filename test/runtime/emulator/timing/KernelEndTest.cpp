// What a kernel's end does to the L2s, and what the next kernel finds there.
#include "test/runtime/emulator/timing/MemoryFixture.h"
#include "test/runtime/emulator/timing/MemoryStreams.h"

using namespace nstf::emulator;
using namespace nstf::emulator::timing;
using namespace nstf::emulator::timing::test;

namespace {

using KernelEnd = MemoryFixture;
INSTANTIATE_TEST_SUITE_P(Chips, KernelEnd, ::testing::Values("mi300x", "mi250x"));

TEST_P(KernelEnd, AKernelsEndWritesSeveralL2sBack) {
  MemorySystem memory(chip);
  constexpr uint32_t lines = 1000;
  Clocks now = 0;
  std::vector<LineAccess> whole;
  for (uint32_t i = 0; i < lines; ++i) {
    whole.clear();
    for (uint32_t offset = 0; offset < chip.l2LineBytes; offset += chip.l1LineBytes)
      whole.push_back({uint64_t(i) * chip.l2LineBytes + offset, chip.l1LineBytes == 128 ? ~0u : 0xffffu, 32});
    now = std::max(now, memory.vectorAccess(0, i, {AccessKind::Store, {}, whole, 4, 128}).done);
  }
  EXPECT_EQ(memory.counters().fabricWrites, 0u);
  Clocks end = memory.endKernel(now);
  bool several = chip.xcds > 1;
  EXPECT_EQ(memory.counters().fabricWrites, several ? lines : 0);
  EXPECT_EQ(end > now, several);
  memory.beginLaunch(chip.peakClock);
  load(memory, 0, 0, mega); // the page's translation
  EXPECT_NEAR(double(load(memory, 0, 5000, 0)), 5000.0 + chip.l2Latency, 4);
  // What was read is clean: nothing is written twice.
  memory.endKernel(10000);
  EXPECT_EQ(memory.counters().fabricWrites, 0u);
}

TEST_P(KernelEnd, WhatAnXcdWritesLeavesOtherL2sAtTheKernelsEnd) {
  if (chip.xcds == 1)
    return;
  MemorySystem memory(chip);
  const uint32_t other = chip.computeUnitsPerXcd();
  constexpr uint64_t written = 0, read = 4096, translation = mega;
  for (uint32_t unit : {0u, other})
    for (uint64_t address : {written, read})
      load(memory, unit, 0, address);
  store(memory, 0, 10000, written);
  memory.endKernel(20000);
  memory.beginLaunch(chip.peakClock);
  for (uint32_t unit : {0u, other})
    load(memory, unit, 0, translation);
  const double inL2 = 5000.0 + chip.l2Latency, inMall = inL2 + clocks(chip.mallLatencyNs);
  EXPECT_NEAR(double(load(memory, 0, 5000, written)), inL2, 4);
  EXPECT_NEAR(double(load(memory, 0, 5000, read)), inL2, 4);
  EXPECT_NEAR(double(load(memory, other, 5000, written)), inMall, 4);
  EXPECT_NEAR(double(load(memory, other, 5000, read)), inL2, 4);
}

TEST_P(KernelEnd, OtherThanLocalLinesDontOutliveTheKernel) {
  ChipTiming emptied = chip;
  emptied.l2KernelEnd = 2;
  const double inL2 = 5000.0 + chip.l2Latency, inMall = inL2 + clocks(chip.mallLatencyNs);
  auto again = [&](MemorySystem &memory, uint64_t address) {
    load(memory, 0, 0, address);
    memory.endKernel(10000);
    memory.beginLaunch(chip.peakClock);
    load(memory, 0, 0, address + mega); // the page's translation
    return double(load(memory, 0, 5000, address));
  };
  MemorySystem all(emptied), local(chip);
  if (chip.mallBytes) {
    EXPECT_NEAR(again(all, 0), inMall, 4);
    EXPECT_NEAR(again(local, PageSet::end), inMall, 4) << "arguments, which are the host's";
  }
  EXPECT_NEAR(again(local, 0), inL2, 4);
  local.endKernel(10000);
  local.overwrite({0, 4096});
  local.beginLaunch(chip.peakClock);
  load(local, 0, 0, mega);
  EXPECT_GT(double(load(local, 0, 5000, 0)), inL2 + 100) << "a copy has put other data there";
}

} // namespace
