// What is measured while the chip drains, and how the end of a launch follows from it.
#include "runtime/emulator/timing/sample/DrainSpeed.h"

#include <gtest/gtest.h>

namespace nstf::emulator::timing {
namespace {

constexpr uint64_t places = 32;
constexpr double rate = 0.25; ///< instructions a clock of a workgroup on a full chip

/// Each number of residents is there for 100 clocks, and all together execute `executed(residents)` a clock.
template <typename Law> DrainSpeed measured(Law &&executed) {
  DrainSpeed speed(places, rate);
  for (uint64_t residents = places; residents > 0; --residents)
    speed.add(residents, 100, uint64_t(100 * executed(residents)));
  speed.finish();
  return speed;
}

TEST(DrainSpeed, LatencyBoundWorkgroupsStayAsTheyAre) {
  const DrainSpeed speed = measured([](uint64_t residents) { return rate * double(residents); });
  for (uint64_t residents = 1; residents <= places; ++residents)
    EXPECT_NEAR(speed.at(residents), 1, 1e-9);
  EXPECT_EQ(speed.drained({900, 1200, 1500}, 1000), 1500u);
}

TEST(DrainSpeed, WhatIsSharedGoesToThoseThatAreLeft) {
  // Saturated down to half of the places, and below by latency.
  const DrainSpeed speed = measured([](uint64_t residents) { return rate * double(std::min(2 * residents, places)); });
  EXPECT_NEAR(speed.at(places), 1, 1e-9);
  EXPECT_NEAR(speed.at(24), 4.0 / 3, 0.05);
  EXPECT_NEAR(speed.at(16), 2, 0.05);
  EXPECT_NEAR(speed.at(2), 2, 0.05);
  EXPECT_NEAR(double(speed.drained({1100, 1200}, 1000)), 1100, 5);
  // All places taken until their workgroups end one after the other: less than 3200, more than half of it.
  std::vector<Clocks> ends;
  for (uint64_t i = 1; i <= places; ++i)
    ends.push_back(100 * i);
  const Clocks drained = speed.drained(ends, 0);
  EXPECT_GT(drained, 1600u);
  EXPECT_LT(drained, 2200u);
}

TEST(DrainSpeed, StaysWithinWhatSharingCanDo) {
  // A burst of instructions and a pause: neither ten times as fast, nor slower where fewer are left.
  const DrainSpeed speed = measured([](uint64_t residents) {
    return residents == 16 ? 80.0 : residents < 8 ? 0.0 : 8.0;
  });
  double before = 1;
  for (uint64_t residents = places - 2; residents > 1; residents -= 2) {
    EXPECT_GE(speed.at(residents), before);
    EXPECT_LE(speed.at(residents) * double(residents), double(places) + 1e-9);
    before = speed.at(residents);
  }
}

TEST(DrainSpeed, WhatWasNotSeenIsAsWithMore) {
  DrainSpeed speed(4, rate);
  speed.add(4, 100, 100);
  speed.add(2, 100, 100);
  speed.add(0, 100, 0);
  speed.finish();
  EXPECT_NEAR(speed.at(4), 1, 1e-9);
  EXPECT_NEAR(speed.at(3), 1, 1e-9);
  EXPECT_GT(speed.at(2), 1.05);
  EXPECT_EQ(speed.at(1), speed.at(2));
}

} // namespace
} // namespace nstf::emulator::timing
