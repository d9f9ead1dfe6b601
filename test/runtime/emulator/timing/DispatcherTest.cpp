// Where and when workgroups begin.
#include "runtime/emulator/timing/compute_unit/Dispatcher.h"
#include "runtime/emulator/timing/chip/ChipTiming.h"
#include "runtime/emulator/timing/compute_unit/EventQueue.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace nstf::emulator::timing;

namespace {

class DispatcherTest : public testing::Test {
protected:
  DispatcherTest() : chip(ChipTiming::find("mi300x")) {
    chip.xcds = 2;
    chip.computeUnits = 6;
    chip.wavesLaunchedPerClock = 0.5;
    chip.workgroupLaunchClocks = 1;
    chip.slotTurnaroundNs = 1000;
  }
  ChipTiming chip;
};

TEST_F(DispatcherTest, WorkgroupsGoRoundDiesAndComputeUnits) {
  Dispatcher dispatcher(chip, 1000, 100, 4, 2);
  for (unsigned i = 0; i < 6; ++i) {
    EXPECT_EQ(dispatcher.next(1), i * 8); // 4 waves, 2 clocks each
    Dispatcher::Placement placement = dispatcher.place(1);
    EXPECT_EQ(placement.group, 2 * i + 1);
    EXPECT_EQ(placement.computeUnit, 3 + i % 3);
    EXPECT_EQ(placement.start, i * 8);
  }
  EXPECT_EQ(dispatcher.next(1), never); // full
  EXPECT_EQ(dispatcher.earliestAt(3), never);
  EXPECT_EQ(dispatcher.next(0), 0u);
  EXPECT_EQ(dispatcher.left(), 94u);
}

TEST_F(DispatcherTest, SmallWorkgroupsStartAtTheRateTheGridIsGoneThrough) {
  chip.workgroupLaunchClocks = 3;
  Dispatcher dispatcher(chip, 1000, 100, 1, 8);
  for (unsigned i = 0; i < 10; ++i)
    EXPECT_EQ(dispatcher.place(0).start, i * 6); // every second one is the other die's
  EXPECT_EQ(dispatcher.busyClocks(), 60);

  chip.workgroupLaunchClocks = 1.25; // starts are whole clocks, their rate isn't
  Dispatcher uneven(chip, 1000, 100, 1, 8);
  for (Clocks start : {0, 3, 5, 8, 10})
    EXPECT_EQ(uneven.place(0).start, start);
}

TEST_F(DispatcherTest, APlaceIsFreeSomeTimeAfterItsWorkgroup) {
  chip.computeUnits = 2;
  Dispatcher small(chip, 1000, 3, 4, 1);
  small.place(0);
  small.place(1);
  EXPECT_EQ(small.next(0), never);
  small.groupEnded(0, 500);
  const Clocks again = small.next(0);
  EXPECT_NEAR(double(again), 500 + 1000, 150); // what the model executes until the first access is part of the 1000
  EXPECT_EQ(small.earliestAt(0), again);
  EXPECT_EQ(small.place(0).group, 2u);
  small.groupEnded(1, 600);
  EXPECT_EQ(small.next(1), never); // no workgroup is left
}

TEST(EventQueueTest, TheEarliestActsFirstThenTheLowestNumber) {
  EventQueue queue(5);
  EXPECT_EQ(queue.time(), never);
  queue.set(4, 10);
  queue.set(2, 10);
  queue.set(3, 7);
  EXPECT_EQ(queue.actor(), 3u);
  EXPECT_EQ(queue.timeAfter(7), 10u);
  std::vector<uint32_t> then;
  queue.forEachAt(10, [&](uint32_t actor) { then.push_back(actor); });
  EXPECT_EQ(then, (std::vector<uint32_t>{2, 4}));
  queue.set(3, never);
  EXPECT_EQ(queue.actor(), 2u);
  EXPECT_EQ(queue.time(), 10u);
  queue.set(2, 11);
  EXPECT_EQ(queue.actor(), 4u);
}

TEST(EventQueueTest, TimesFarAheadAndBehindKeepTheOrder) {
  constexpr uint32_t actors = 200;
  std::mt19937 random(1);
  EventQueue queue(actors);
  std::vector<Clocks> times(actors, never);
  for (uint32_t step = 0; step < 20000; ++step) {
    const Clocks now = queue.time();
    const auto first = std::ranges::min_element(times);
    ASSERT_EQ(now, *first) << step;
    if (now != never)
      ASSERT_EQ(queue.actor(), uint32_t(first - times.begin())) << step;
    const uint32_t actor = now == never || random() % 4 == 0 ? uint32_t(random() % actors) : queue.actor();
    const Clocks from = now == never ? 0 : now;
    const Clocks ranges[] = {8, 100, 3000, 50000};
    Clocks time = from + random() % ranges[random() % 4];
    if (random() % 64 == 0)
      time = from - std::min<Clocks>(from, random() % 10000);
    else if (random() % 64 == 0)
      time = never;
    queue.set(actor, times[actor] = time);
  }
}

} // namespace
