// Orders of workgroups: each is one to one, and the chosen one shares the stated part.
#include "passes/analysis/WorkgroupOrder.h"

#include <gtest/gtest.h>
#include <set>

namespace nstf::systolic {
namespace {

const std::vector<SharedTile> product = {{256, true, false}, {256, false, true}}; // A depends on rows, B on columns

TEST(WorkgroupOrder, IsOneToOne) {
  for (int64_t rows = 1; rows <= 13; ++rows)
    for (int64_t columns = 1; columns <= 13; ++columns)
      for (int64_t xcds : {1, 2, 3, 8})
        for (int64_t window = 1; window <= rows; ++window) {
          const WorkgroupOrder order{rows, columns, xcds, window};
          std::set<std::pair<int64_t, int64_t>> places;
          for (int64_t i = 0; i < rows * columns; ++i) {
            const auto [row, column] = order.place(i);
            ASSERT_TRUE(row >= 0 && row < rows && column >= 0 && column < columns)
                << rows << "x" << columns << " xcds " << xcds << " window " << window << " item " << i;
            ASSERT_TRUE(places.insert({row, column}).second)
                << rows << "x" << columns << " xcds " << xcds << " window " << window << " item " << i;
            // A launch of fewer rows of a larger grid has the same places.
            EXPECT_EQ((WorkgroupOrder{13, columns, xcds, window}.place(i, rows)), std::pair(row, column));
          }
          // If the whole grid is launched, the workgroups after these have none of its rows.
          for (int64_t i = rows * columns; i < 13 * columns; ++i) {
            const auto [row, column] = WorkgroupOrder{13, columns, xcds, window}.place(i, rows);
            ASSERT_TRUE(row == rows && column >= 0 && column < columns);
          }
        }
}

TEST(WorkgroupOrder, AnXcdHasARunOfItsOwn) {
  const WorkgroupOrder order{4, 5, 8, 1}; // 20 items: three for the first four XCDs, two for the others
  EXPECT_EQ(order.place(int64_t(0)), std::pair(int64_t(0), int64_t(0)));
  EXPECT_EQ(order.place(int64_t(8)), std::pair(int64_t(0), int64_t(1)));
  EXPECT_EQ(order.place(int64_t(16)), std::pair(int64_t(0), int64_t(2)));
  EXPECT_EQ(order.place(int64_t(1)), std::pair(int64_t(0), int64_t(3)));
  EXPECT_EQ(order.place(int64_t(7)), std::pair(int64_t(3), int64_t(3)));
}

// The last window of the five rows has two.
TEST(WorkgroupOrder, AWindowGoesDownEachColumn) {
  const WorkgroupOrder order{5, 2, 1, 3};
  const std::pair<int64_t, int64_t> expected[] = {{0, 0}, {1, 0}, {2, 0}, {0, 1}, {1, 1},
                                                  {2, 1}, {3, 0}, {4, 0}, {3, 1}, {4, 1}};
  for (int64_t i = 0; i < 10; ++i)
    EXPECT_EQ(order.place(i), expected[i]) << i;
}

// 16 x 19 tiles on 8 XCDs of 38 compute units: an XCD either gets tiles from all rows and columns, 35 of 76, or from 6
// x 7 of them.
TEST(WorkgroupOrder, SharedPartsAreCounted) {
  EXPECT_DOUBLE_EQ(getSharedPart({16, 19}, product, 8, 38), 1 - 35.0 / 76);
  EXPECT_DOUBLE_EQ(getSharedPart({1, 38}, product, 1, 38), 1 - 39.0 / 76);
  // A tile that depends on both axes is shared with no other work item, one that depends on neither with all.
  EXPECT_DOUBLE_EQ(getSharedPart({4, 4}, {{8, true, true}}, 1, 16), 0);
  EXPECT_DOUBLE_EQ(getSharedPart({4, 4}, {{8, false, false}}, 1, 16), 1 - 1.0 / 16);
  EXPECT_DOUBLE_EQ(getSharedPart({4, 4}, {}, 1, 16), 0);
}

TEST(WorkgroupOrder, TheBestIsChosen) {
  const WorkgroupOrder order = chooseOrder(16, 19, product, 8, 38);
  EXPECT_EQ(order.xcds, 8);
  EXPECT_GT(order.window, 1);
  EXPECT_GT(getSharedPart(order, product, 8, 38), 0.8);
  // With one L2, only windows matter.
  EXPECT_EQ(chooseOrder(32, 64, product, 1, 104).xcds, 1);
  EXPECT_GT(chooseOrder(32, 64, product, 1, 104).window, 1);
  // Nothing to gain, so the order is row by row.
  for (const WorkgroupOrder &plain : {chooseOrder(1, 64, product, 1, 104), chooseOrder(64, 1, product, 8, 38),
                                      chooseOrder(2, 2, product, 1, 104), chooseOrder(9, 9, {}, 8, 38)}) {
    EXPECT_EQ(plain.xcds, 1);
    EXPECT_EQ(plain.window, 1);
  }
}

} // namespace
} // namespace nstf::systolic
