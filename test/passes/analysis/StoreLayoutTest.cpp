// The costs of storing the accumulators of matrix cells, and layouts with lower costs.
#include "passes/analysis/StoreLayout.h"

#include "dialects/systolic/Layouts.h"
#include "mlir/IR/MLIRContext.h"
#include "test/passes/analysis/ChipCosts.h"
#include <gtest/gtest.h>

namespace nstf::systolic {
namespace {

class StoreLayout : public testing::Test {
protected:
  StoreLayout() { context.loadDialect<SystolicDialect>(); }

  FragmentAttr acc(int64_t rows, int64_t columns, int64_t waveRows, int64_t waveColumns, int64_t m) {
    auto array = SystolicArrayAttr::get(&context, waveRows, waveColumns, m, m, 512 / m, 256 / m, /*transposed=*/true);
    return getMmaLayout(array, MmaOperand::Acc, {rows, columns}, 64);
  }

  mlir::MLIRContext context;
  const Costs costs = test::getCosts(findTarget("gfx942"), context);
};

// A lane has 4 elements of a row, 2 (or 4) consecutive lanes share a row, and 8 lanes that are served together lie in 8
// rows.
TEST_F(StoreLayout, CellsStoreShortRuns) {
  StoreCost of32 = getStoreCost(acc(32, 32, 1, 1, 32), {{32, 32}, 16, 8}, costs);
  EXPECT_EQ(of32.laneBytes, 8);
  EXPECT_EQ(of32.bytesOfSegment(), 16);
  EXPECT_EQ(of32.clocks, 4 * 64);
  StoreCost of16 = getStoreCost(acc(16, 16, 1, 1, 16), {{16, 16}, 16, 8}, costs);
  EXPECT_EQ(of16.laneBytes, 8);
  EXPECT_EQ(of16.bytesOfSegment(), 32);
  EXPECT_EQ(of16.clocks, 64);
  // Rows of an odd length: one element at a time.
  EXPECT_EQ(getStoreCost(acc(16, 16, 1, 1, 16), {{16, 16}, 16, 1}, costs).laneBytes, 2);
}

// An address unit of twice the width takes the same rows two at a time, but one line per clock as before, or two lines.
TEST_F(StoreLayout, TheChipSaysWhatTheAddressUnitTakes) {
  FragmentAttr layout = getStoreLayouts(acc(128, 128, 2, 2, 16), {{128, 128}, 16, 8}, 64).front();
  StoredTile tile{{128, 128}, 16, 8};
  Target target = findTarget("gfx942");
  const int64_t before = getStoreCost(layout, tile, costs).clocks;
  target.vmemBytesPerClock = 128;
  EXPECT_EQ(getStoreCost(layout, tile, test::getCosts(target, context)).clocks, before / 2);
  StoredTile rows{{32, 32}, 16, 8};
  const int64_t ofLines = getStoreCost(acc(32, 32, 1, 1, 32), rows, costs).clocks;
  EXPECT_EQ(getStoreCost(acc(32, 32, 1, 1, 32), rows, test::getCosts(target, context)).clocks, ofLines);
  target.vmemLinesPerClock = 2;
  EXPECT_EQ(getStoreCost(acc(32, 32, 1, 1, 32), rows, test::getCosts(target, context)).clocks, ofLines / 2);
}

TEST_F(StoreLayout, LayoutsFillSegments) {
  for (auto [rows, columns, waveRows, waveColumns] :
       {std::array{256, 256, 2, 4}, {256, 224, 4, 2}, {128, 128, 2, 2}, {64, 192, 1, 4}, {16, 64, 1, 4}})
    for (unsigned bits : {16, 32}) {
      FragmentAttr from = acc(rows, columns, waveRows, waveColumns, 16);
      StoredTile tile{{rows, columns}, bits, 128 / int64_t(bits)};
      llvm::SmallVector<FragmentAttr, 4> layouts = getStoreLayouts(from, tile, 64);
      ASSERT_FALSE(layouts.empty()) << rows << "x" << columns;
      bool anyFull = false;
      for (FragmentAttr layout : layouts) {
        EXPECT_TRUE(mlir::succeeded(
            layout.verifyEncoding(tile.shape, {}, [&] { return mlir::emitError(mlir::UnknownLoc::get(&context)); })));
        StoreCost cost = getStoreCost(layout, tile, costs);
        EXPECT_GE(cost.laneBytes, 8);
        anyFull |= cost.bytesOfSegment() == segmentBytes;
      }
      EXPECT_TRUE(anyFull) << rows << "x" << columns << " of " << bits;
    }
}

// Waves that hold the same elements have no part of their own.
TEST_F(StoreLayout, ReplicatedWavesHaveNone) {
  auto layout = FragmentAttr::get(&context, {{1, 4, 1}}, {{0, 16, 1}, {1, 4, 4}}, {{-1, 2, 0}});
  EXPECT_TRUE(getStoreLayouts(layout, {{16, 16}, 16, 8}, 64).empty());
}

} // namespace
} // namespace nstf::systolic
