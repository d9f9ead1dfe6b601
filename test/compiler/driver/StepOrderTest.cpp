// Which steps wait for which: known cases, and properties of every order on random steps.
#include "compiler/driver/StepOrder.h"

#include <gtest/gtest.h>
#include <random>

namespace nstf {
namespace {

using Steps = std::vector<std::vector<MemoryTouch>>;
using Order = std::vector<std::vector<uint32_t>>;

MemoryTouch read(size_t buffer, uint64_t begin, uint64_t end) { return {buffer, begin, end, false}; }
MemoryTouch write(size_t buffer, uint64_t begin, uint64_t end) { return {buffer, begin, end, true}; }

TEST(StepOrder, NoSteps) { EXPECT_TRUE(orderSteps({}).empty()); }

TEST(StepOrder, ReaderAfterWriter) { EXPECT_EQ(orderSteps({{write(0, 0, 64)}, {read(0, 0, 64)}}), (Order{{}, {0}})); }

TEST(StepOrder, WriterAfterReaderAndAfterWriter) {
  EXPECT_EQ(orderSteps({{read(0, 0, 64)}, {write(0, 32, 96)}}), (Order{{}, {0}}));
  EXPECT_EQ(orderSteps({{write(0, 0, 64)}, {write(0, 63, 96)}}), (Order{{}, {0}}));
}

TEST(StepOrder, ReadersAndNeighboursAndOtherBuffersAreFree) {
  EXPECT_EQ(orderSteps({{read(0, 0, 64)}, {read(0, 0, 64)}}), (Order{{}, {}}));
  EXPECT_EQ(orderSteps({{write(0, 0, 64)}, {read(0, 64, 128)}}), (Order{{}, {}}));
  EXPECT_EQ(orderSteps({{write(0, 0, 64)}, {read(1, 0, 64)}}), (Order{{}, {}}));
}

TEST(StepOrder, WhatAnotherWaitsForIsNotListed) {
  // 0 -> 1 -> 2, where 2 also reads what 0 wrote.
  EXPECT_EQ(orderSteps({{write(0, 0, 64)},
                        {read(0, 0, 64), write(0, 64, 128)},
                        {read(0, 0, 64), read(0, 64, 128), write(0, 128, 192)}}),
            (Order{{}, {0}, {1}}));
}

TEST(StepOrder, TwoBranchesMeet) {
  EXPECT_EQ(orderSteps({{write(0, 0, 64)},
                        {read(0, 0, 64), write(0, 64, 128)},
                        {read(0, 0, 64), write(0, 128, 192)},
                        {read(0, 64, 192), write(0, 192, 256)}}),
            (Order{{}, {0}, {0}, {1, 2}}));
}

// By the definition: exactly the conflicting steps are reachable, directly or through others, and no listed step is
// reachable through another listed one.
TEST(StepOrder, RandomSteps) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    Steps steps(random() % 20);
    for (auto &touches : steps)
      for (int i = random() % 4; i >= 0; --i) {
        uint64_t begin = random() % 32;
        touches.push_back({random() % 2, begin, begin + 1 + random() % 8, random() % 3 == 0});
      }
    Order order = orderSteps(steps);
    ASSERT_EQ(order.size(), steps.size());
    size_t n = steps.size();
    std::vector<std::vector<bool>> must(n, std::vector<bool>(n)), waits = must;
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < i; ++j)
        for (const MemoryTouch &a : steps[i])
          for (const MemoryTouch &b : steps[j])
            if (a.buffer == b.buffer && (a.isWrite || b.isWrite) && std::max(a.begin, b.begin) < std::min(a.end, b.end))
              must[i][j] = true;
    for (size_t i = 0; i < n; ++i)
      for (uint32_t j : order[i]) {
        ASSERT_LT(j, i);
        EXPECT_TRUE(must[i][j]) << "step " << i << " waits for " << j << " without a reason";
        waits[i][j] = true;
        for (size_t k = 0; k < n; ++k)
          waits[i][k] = waits[i][k] || waits[j][k];
      }
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j < i; ++j)
        EXPECT_TRUE(!must[i][j] || waits[i][j]) << "step " << i << " must wait for " << j;
      for (uint32_t j : order[i])
        for (uint32_t k : order[i])
          EXPECT_FALSE(waits[k][j]) << j << " is listed beside " << k << ", which waits for it";
    }
  }
}

} // namespace
} // namespace nstf
