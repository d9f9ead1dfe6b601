// The costs of moving a tile through LDS, and the swizzle with the min cost. The numbers for rows of 64, 128 and 256
// bytes are those of shipped kernels.
#include "passes/analysis/LdsLayout.h"

#include "dialects/systolic/Layouts.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"
#include "test/passes/analysis/ChipCosts.h"
#include <gtest/gtest.h>

#include <set>

namespace nstf::systolic {
namespace {

using support::LdsDirection;

class LdsLayout : public testing::Test {
protected:
  LdsLayout() { context.loadDialect<SystolicDialect>(); }

  /// Operand A of a product of `rows` x `columns` in cells of m x m, with `elements` along K per lane.
  LdsTileAccess read(int64_t rows, int64_t columns, unsigned bits, int64_t m, int64_t elements) {
    auto array = SystolicArrayAttr::get(&context, 1, 1, m, m, elements * 64 / m, elements * 64 / m, false);
    return {LdsDirection::Read, getMmaLayout(array, MmaOperand::A, {rows, columns}, 64), {rows, columns}, bits};
  }
  LdsTileAccess write(int64_t rows, int64_t columns, unsigned bits) {
    return {LdsDirection::Write, getBlockedLayout(&context, {rows, columns}, bits, 1, 64), {rows, columns}, bits};
  }

  mlir::MLIRContext context;
  const Costs costs = test::getCosts(findTarget("gfx942"), context);
};

TEST_F(LdsLayout, OperandsOf16BytesHaveASwizzleWithoutConflicts) {
  for (int64_t m : {16, 32})
    for (int64_t columns : {32, 64, 128}) {
      LdsTileAccess in = write(64, columns, 16), out = read(64, columns, 16, m, 8);
      SwizzleAttr swizzle = chooseSwizzle(in, out, costs);
      ASSERT_TRUE(swizzle) << columns;
      EXPECT_EQ(swizzle.getVector(), 8);
      EXPECT_EQ(getAccessRegisters(in, swizzle).width, 8);
      EXPECT_EQ(getAccessRegisters(out, swizzle).width, 8);
      EXPECT_EQ(getCost(in, swizzle, costs).conflictClocks, 0) << m << " " << columns;
      EXPECT_EQ(getCost(out, swizzle, costs).conflictClocks, 0) << m << " " << columns;
    }
  // Two rows of 64 bytes fill the banks.
  EXPECT_EQ(chooseSwizzle(write(64, 32, 16), read(64, 32, 16, 32, 8), costs), SwizzleAttr::get(&context, 8, 4, 2, 1));
  EXPECT_EQ(chooseSwizzle(write(64, 64, 16), read(64, 64, 16, 32, 8), costs), SwizzleAttr::get(&context, 8, 8, 1, 1));
}

// The rows of chained products are permuted: lanes that are served together differ in one bit of the row's number,
// which no swizzle of eight rows distinguishes. Patches of two rows are two rows apart.
TEST_F(LdsLayout, ExchangedRowsAreFolded) {
  auto layout = [&](const char *text) { return llvm::cast<FragmentAttr>(mlir::parseAttribute(text, &context)); };
  LdsTileAccess keys = {LdsDirection::Write,
                        layout("#systolic.fragment<reg [1:8*1, 0:2*16], lane [1:16*8, 0:4*1], wave [0:4*4]>"),
                        {32, 128},
                        16};
  LdsTileAccess ofKeys = {
      LdsDirection::Read,
      layout("#systolic.fragment<reg [1:8*1, 1:8*16], lane [0:4*1, 0:2*8, 0:2*4, 0:2*16, 1:2*8], wave [-1:4*0]>"),
      {32, 128},
      16};
  LdsTileAccess values = {LdsDirection::Write,
                          layout("#systolic.fragment<reg [1:8*1, 0:2*1], lane [1:4*8, 0:16*2], wave [0:4*32]>"),
                          {128, 32},
                          16};
  LdsTileAccess ofValues = {
      LdsDirection::Read,
      layout(
          "#systolic.fragment<reg [1:8*1, 1:2*16, 0:4*32], lane [0:4*1, 0:2*8, 0:2*4, 0:2*16, 1:2*8], wave [-1:4*0]>"),
      {128, 32},
      16};
  EXPECT_EQ(chooseSwizzle(keys, ofKeys, costs), SwizzleAttr::get(&context, 8, 8, 1, 16));
  EXPECT_EQ(chooseSwizzle(values, ofValues, costs), SwizzleAttr::get(&context, 8, 4, 2, 16));
  for (auto [write, read] : {std::pair(keys, ofKeys), std::pair(values, ofValues)}) {
    SwizzleAttr swizzle = chooseSwizzle(write, read, costs);
    EXPECT_EQ(getCost(write, swizzle, costs).conflictClocks + getCost(read, swizzle, costs).conflictClocks, 0);
    EXPECT_EQ(getAccessRegisters(write, swizzle).width, 8);
    EXPECT_EQ(getAccessRegisters(read, swizzle).width, 8);
  }
}

// No two rows share a place in the array.
TEST_F(LdsLayout, FoldedRowsStandInDifferentPlaces) {
  auto swizzle = SwizzleAttr::get(&context, 8, 4, 2, 16);
  std::set<int64_t> places;
  for (int64_t row = 0; row < 48; ++row)
    for (int64_t column = 0; column < 32; ++column)
      places.insert(swizzle.getPlace(row, column, 32));
  EXPECT_EQ(places.size(), 48u * 32);
  EXPECT_EQ(*places.rbegin(), 48 * 32 - 1);
}

TEST_F(LdsLayout, CostsAreOfTheWholeTile) {
  LdsTileAccess out = read(32, 64, 16, 32, 8);
  LdsCost cost = getCost(out, nullptr, costs);
  EXPECT_EQ(cost.accesses, 4); // steps of 16 along K
  EXPECT_EQ(cost.portClocks, 4 * 16);
  EXPECT_EQ(cost.conflictClocks, 4 * 56);
  EXPECT_EQ(cost.addresses, 1);
  // With a swizzle, the steps do not differ by a constant.
  EXPECT_EQ(getCost(out, SwizzleAttr::get(&context, 8, 8, 1, 1), costs).addresses, 4);
  LdsCost in = getCost(write(32, 64, 16), nullptr, costs);
  EXPECT_EQ(in.accesses, 4);
  EXPECT_EQ(in.portClocks, 4 * 20);
  EXPECT_EQ(in.conflictClocks, 0);
}

// With 64 banks, four rows of 64 bytes fill them.
TEST_F(LdsLayout, TheChipSaysHowManyBanksThereAre) {
  Target target = findTarget("gfx942");
  target.ldsBanks = 64;
  const Costs ofMore = test::getCosts(target, context);
  LdsTileAccess in = write(64, 32, 16), out = read(64, 32, 16, 32, 8);
  SwizzleAttr swizzle = chooseSwizzle(in, out, ofMore);
  EXPECT_NE(swizzle, chooseSwizzle(in, out, costs));
  EXPECT_EQ(getCost(in, swizzle, ofMore).conflictClocks + getCost(out, swizzle, ofMore).conflictClocks, 0);
}

// Half of the lanes hold the same as the other half: they take part in reads, but do not write.
TEST_F(LdsLayout, Replicas) {
  LdsTileAccess in = write(4, 32, 16); // 16 lanes with 16 bytes each
  LdsCost cost = getCost(in, nullptr, costs);
  EXPECT_EQ(cost.accesses, 1);
  EXPECT_EQ(cost.conflictClocks, 0);
  LdsTileAccess out = in;
  out.direction = LdsDirection::Read;
  EXPECT_EQ(getCost(out, nullptr, costs).accesses, 1);
}

TEST_F(LdsLayout, ATransposedTileIsReadDownTheColumns) {
  LdsTileAccess out = read(16, 32, 16, 16, 4);
  out.transposed = true;
  out.shape = {32, 16};
  EXPECT_EQ(getAccessRegisters(out, nullptr).width, 1);
}

TEST_F(LdsLayout, RowsThatNoGroupsDivideHaveNone) {
  LdsTileAccess in = write(16, 48, 32), out = read(16, 48, 32, 16, 4);
  if (SwizzleAttr swizzle = chooseSwizzle(in, out, costs))
    EXPECT_EQ(48 % (swizzle.getVector() * swizzle.getRows()), 0);
}

} // namespace
} // namespace nstf::systolic
