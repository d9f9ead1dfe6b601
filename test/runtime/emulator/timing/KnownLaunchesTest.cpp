// Which launches are identical, and what one that isn't simulated again leaves in the caches.
#include "runtime/emulator/timing/timeline/KnownLaunches.h"
#include "runtime/emulator/timing/TimedLaunch.h"
#include "runtime/emulator/timing/chip/ChipTiming.h"
#include "test/runtime/emulator/run/Kernels.h"

#include <gtest/gtest.h>

using namespace nstf::emulator;
using namespace nstf::emulator::test;
using namespace nstf::emulator::timing;

namespace {

constexpr const char *source = R"(
  kernel void scale(global const float *a, global float *b, global const int *position, int n) {
    int i = get_global_id(0);
    if (i < n)
      b[i] = a[i] * position[0];
  }
)";

class KnownLaunchesTest : public testing::Test {
protected:
  static constexpr int items = 1 << 16;
  struct Arguments {
    float *a, *b;
    int *position;
    int n = items;
  };

  KnownLaunchesTest() : kernels("gfx942", source, "-O2"), chip(ChipTiming::find("mi300x")), caches(chip) {}

  Arguments arguments(int position = 1) {
    const std::vector<float> values(items);
    return {upload(kernels.memory, values), upload(kernels.memory, values),
            upload(kernels.memory, std::vector{position})};
  }
  PackedLaunch packed(const Arguments &with, unsigned groups = items / 256) {
    return pack(kernels, "scale", {groups}, {256}, 0,
                {getBytes(with.a), getBytes(with.b), getBytes(with.position), getBytes(with.n)});
  }
  LaunchPrediction simulate(const PackedLaunch &launch) {
    const LaunchIdentity identity = LaunchIdentity::of(launch.launch, kernels.memory);
    const LaunchPrediction prediction = predict(kernels.target, kernels.memory, launch.launch, options, chip, caches);
    known.add(identity, prediction, caches);
    return prediction;
  }
  const LaunchPrediction *find(const PackedLaunch &launch) {
    return known.find(LaunchIdentity::of(launch.launch, kernels.memory), caches);
  }

  CompiledKernels kernels;
  const LaunchOptions options = LaunchOptions::fromEnvironment();
  const ChipTiming chip;
  MemorySystem caches;
  KnownLaunches known;
};

TEST_F(KnownLaunchesTest, TheSameLaunchOnOtherBuffersIsKnown) {
  const LaunchPrediction first = simulate(packed(arguments()));
  const LaunchPrediction *again = find(packed(arguments()));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->clocks, first.clocks);
}

TEST_F(KnownLaunchesTest, OtherNumbersShapesAndPositionsAreNot) {
  simulate(packed(arguments()));
  Arguments shorter = arguments();
  shorter.n = items / 2;
  EXPECT_FALSE(find(packed(shorter)));
  EXPECT_FALSE(find(packed(arguments(), items / 512)));
  EXPECT_FALSE(find(packed(arguments(2)))) << "a small allocation counts by its contents";
  Arguments inPlace = arguments();
  inPlace.b = inPlace.a;
  EXPECT_FALSE(find(packed(inPlace))) << "which pointers are equal";
  Arguments shifted = arguments();
  ++shifted.a;
  EXPECT_FALSE(find(packed(shifted))) << "the place in the page";
}

TEST_F(KnownLaunchesTest, WhatTheCachesHoldDecidesToo) {
  const PackedLaunch launch = packed(arguments());
  const LaunchPrediction cold = simulate(launch);
  EXPECT_FALSE(find(launch)) << "its buffers are in the MALL now";
  const LaunchPrediction warm = simulate(launch);
  EXPECT_LT(warm.clocks, cold.clocks);
  const LaunchPrediction *again = find(launch);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->clocks, warm.clocks);
}

/// The buffers are in the MALL in any case; whether they are in L2s, too, another launch decides.
TEST_F(KnownLaunchesTest, WhatTheL2sHoldDecidesToo) {
  const Arguments with = arguments();
  const PackedLaunch launch = packed(with);
  simulate(launch);
  const LaunchPrediction inL2s = simulate(launch);
  ASSERT_TRUE(find(launch));
  const uint64_t begin = kernels.memory.regions()->find(uint64_t(with.a))->physical;
  caches.overwrite({begin, begin + items * sizeof(float)});
  EXPECT_FALSE(find(launch));
  const LaunchPrediction inMall = simulate(launch);
  EXPECT_GT(inMall.clocks, inL2s.clocks);
  // A known launch leaves it in the L2s that the simulated one did.
  const LaunchPrediction *again = find(launch);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->clocks, inL2s.clocks);
  caches.overwrite({begin, begin + items * sizeof(float)});
  again = find(launch);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->clocks, inMall.clocks);
  again = find(launch);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->clocks, inL2s.clocks);
}

TEST_F(KnownLaunchesTest, AKnownLaunchLeavesItsBuffersInTheCaches) {
  simulate(packed(arguments()));
  const PackedLaunch other = packed(arguments());
  ASSERT_TRUE(find(other)) << "cold";
  EXPECT_FALSE(find(other)) << "no longer cold, and nobody has seen it warm";
}

} // namespace
