// What workgroups have to do, told from the few that probes ask.
#include "runtime/emulator/timing/sample/GroupWork.h"

#include <functional>
#include <gtest/gtest.h>

namespace nstf::emulator::timing {
namespace {

/// The largest error over all workgroups of a grid, of which the probes alone were executed; 0.01 is 1 %.
double worstError(const uint32_t (&grid)[3], const std::function<uint64_t(uint64_t x, uint64_t y, uint64_t z)> &law) {
  auto at = [&](uint64_t index) { return law(index % grid[0], index / grid[0] % grid[1], index / grid[0] / grid[1]); };
  GroupWork work(grid);
  for (uint64_t index : GroupWork::probes(grid))
    work.add(index, at(index));
  double worst = 0;
  for (uint64_t index = 0; index < uint64_t(grid[0]) * grid[1] * grid[2]; ++index)
    worst = std::max(worst, std::abs(double(work.estimate(index)) / double(at(index)) - 1));
  return worst;
}

TEST(GroupWork, AllAlike) {
  EXPECT_EQ(worstError({64, 64, 1}, [](auto...) { return 1000; }), 0);
}

TEST(GroupWork, CausalRowsInAnyCoordinate) {
  EXPECT_LT(worstError({32, 64, 1}, [](uint64_t x, auto...) { return 100 + 400 * x; }), 0.02);
  EXPECT_LT(worstError({64, 32, 1}, [](uint64_t, uint64_t y, uint64_t) { return 100 + 400 * y; }), 0.02);
  EXPECT_LT(worstError({16, 4, 64}, [](uint64_t, uint64_t, uint64_t z) { return 100 + 400 * z; }), 0.02);
}

TEST(GroupWork, ALastColumnWithLess) {
  EXPECT_EQ(worstError({40, 40, 1}, [](uint64_t x, auto...) { return x == 39 ? 300 : 1000; }), 0);
}

TEST(GroupWork, ProbesOfSmallGrids) {
  EXPECT_EQ(GroupWork::probes({1, 1, 1}), std::vector<uint64_t>{0});
  EXPECT_EQ(GroupWork::probes({2, 1, 1}), (std::vector<uint64_t>{0, 1}));
  EXPECT_LT(GroupWork::probes({1000, 1000, 10}).size(), 130u);
}

} // namespace
} // namespace nstf::emulator::timing
