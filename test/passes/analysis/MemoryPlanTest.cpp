// The memory planner: known plans, and properties of every plan on random lifetimes.
#include "passes/analysis/MemoryPlan.h"

#include <gtest/gtest.h>
#include <random>

namespace nstf {
namespace {

// No two values that live at the same time share a byte, offsets are aligned, and the peak is the furthest end of a
// value, rounded up.
void expectValid(const std::vector<LiveInterval> &values, int64_t alignment, const MemoryPlan &plan) {
  ASSERT_EQ(plan.offsets.size(), values.size());
  int64_t end = 0;
  for (size_t i = 0; i != values.size(); ++i) {
    EXPECT_GE(plan.offsets[i], 0);
    EXPECT_EQ(plan.offsets[i] % alignment, 0);
    end = std::max(end, plan.offsets[i] + values[i].size);
    for (size_t j = 0; j != i; ++j) {
      if (!values[i].overlaps(values[j]) || values[i].size == 0 || values[j].size == 0)
        continue;
      bool apart =
          plan.offsets[i] + values[i].size <= plan.offsets[j] || plan.offsets[j] + values[j].size <= plan.offsets[i];
      EXPECT_TRUE(apart) << "values " << j << " and " << i << " at " << plan.offsets[j] << " and " << plan.offsets[i];
    }
  }
  EXPECT_EQ(plan.peak, (end + alignment - 1) / alignment * alignment);
}

TEST(MemoryPlan, NothingNeedsNothing) {
  MemoryPlan plan = planMemory({}, 256);
  EXPECT_TRUE(plan.offsets.empty());
  EXPECT_EQ(plan.peak, 0);
}

TEST(MemoryPlan, ChainUsesTwoPlaces) {
  // Each step reads the result of the previous one: two places in turn.
  std::vector<LiveInterval> values = {{256, 0, 1}, {256, 1, 2}, {256, 2, 3}, {256, 3, 3}};
  MemoryPlan plan = planMemory(values, 256);
  EXPECT_EQ(plan.offsets, (std::vector<int64_t>{0, 256, 0, 256}));
  EXPECT_EQ(plan.peak, 512);
}

TEST(MemoryPlan, SizesAreAligned) {
  std::vector<LiveInterval> values = {{1, 0, 1}, {257, 0, 1}};
  MemoryPlan plan = planMemory(values, 256);
  EXPECT_EQ(plan.offsets, (std::vector<int64_t>{512, 0}));
  EXPECT_EQ(plan.peak, 768);
}

TEST(MemoryPlan, SmallestGapThatFits) {
  // All except the last lie one after another: 0, 100, 190, 270, 320. At step 5 two of them are dead and leave gaps
  // of 90 (at 100) and 50 (at 270); the value of 30 takes the smaller gap.
  std::vector<LiveInterval> values = {{100, 0, 9}, {90, 0, 3}, {80, 0, 9}, {50, 0, 3}, {40, 0, 9}, {30, 5, 9}};
  MemoryPlan plan = planMemory(values, 1);
  EXPECT_EQ(plan.offsets, (std::vector<int64_t>{0, 100, 190, 270, 320, 270}));
  EXPECT_EQ(plan.peak, 360);
}

TEST(MemoryPlan, OverlapsAreFound) {
  std::vector<LiveInterval> values = {{256, 0, 1}, {256, 2, 3}, {100, 1, 2}, {0, 0, 3}};
  using Pair = std::pair<size_t, size_t>;
  EXPECT_EQ(findOverlap(values, std::vector<int64_t>{0, 0, 256, 10}), std::nullopt) << "one after the other";
  EXPECT_EQ(findOverlap(values, std::vector<int64_t>{0, 0, 255, 10}), Pair(0, 2)) << "a byte too early";
  EXPECT_EQ(findOverlap(values, std::vector<int64_t>{256, 99, 0, 10}), Pair(2, 1)) << "the later one begins inside";
}

TEST(MemoryPlan, RandomLifetimes) {
  std::mt19937 random(1);
  for (int round = 0; round != 300; ++round) {
    int64_t alignment = int64_t(1) << random() % 9, steps = 1 + random() % 60;
    std::vector<LiveInterval> values(random() % 80);
    int64_t sum = 0;
    for (LiveInterval &value : values) {
      value.size = random() % 5000;
      value.first = random() % steps;
      value.last = std::min<int64_t>(steps - 1, value.first + random() % 8);
      sum += (value.size + alignment - 1) / alignment * alignment;
    }
    MemoryPlan plan = planMemory(values, alignment);
    expectValid(values, alignment, plan);
    EXPECT_FALSE(findOverlap(values, plan.offsets));
    EXPECT_GE(plan.peak, peakLowerBound(values, alignment));
    EXPECT_LE(plan.peak, sum);
  }
}

} // namespace
} // namespace nstf
