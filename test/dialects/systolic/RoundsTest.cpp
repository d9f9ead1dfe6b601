// Conversions of a tile part by part: rounds and parts together hold every element once, in existing registers.
#include "dialects/systolic/Rounds.h"

#include "dialects/systolic/Layouts.h"
#include "mlir/IR/MLIRContext.h"
#include <gtest/gtest.h>
#include <set>

namespace nstf::systolic {
namespace {

class Rounds : public testing::Test {
protected:
  Rounds() { context.loadDialect<SystolicDialect>(); }

  FragmentAttr acc(int64_t rows, int64_t columns, int64_t waveRows, int64_t waveColumns, int64_t m) {
    auto array = SystolicArrayAttr::get(&context, waveRows, waveColumns, m, m, 512 / m, 256 / m, /*transposed=*/true);
    return getMmaLayout(array, MmaOperand::Acc, {rows, columns}, 64);
  }

  mlir::MLIRContext context;
};

/// For each round, compares the elements in the registers of the first lane of the first wave: once by the layout of
/// the part, mapped back to the tile, and once by the layout of the tile.
void expectSameElements(FragmentAttr layout, llvm::ArrayRef<Digit> rounds) {
  RoundLayout split = splitIntoRounds(layout, rounds, 2);
  std::set<int64_t> seen;
  for (auto [number, registers] : llvm::enumerate(split.registers)) {
    ASSERT_EQ(int64_t(registers.size()), split.part.getNumRegisters());
    for (auto [i, reg] : llvm::enumerate(registers)) {
      EXPECT_TRUE(seen.insert(reg).second);
      llvm::SmallVector<int64_t> at = split.part.getRegisterCoordinates(i, 2);
      int64_t rest = number;
      for (const Digit &round : llvm::reverse(rounds)) {
        int64_t value = rest % round.count, &place = at[round.dim];
        rest /= round.count;
        place = place / round.stride * round.stride * round.count + value * round.stride + place % round.stride;
      }
      EXPECT_EQ(at, layout.getRegisterCoordinates(reg, 2));
    }
  }
  EXPECT_EQ(int64_t(seen.size()), layout.getNumRegisters());
}

TEST_F(Rounds, HoldEveryElementOnce) {
  struct Case {
    int64_t rows, columns, waveRows, waveColumns, m, partRows, partColumns;
  };
  for (const Case &one : {Case{256, 256, 2, 4, 32, 64, 256}, Case{256, 256, 2, 4, 32, 64, 128},
                          Case{256, 224, 4, 2, 16, 64, 224}, Case{96, 96, 1, 3, 16, 32, 96}}) {
    FragmentAttr from = acc(one.rows, one.columns, one.waveRows, one.waveColumns, one.m);
    ASSERT_TRUE(from);
    llvm::SmallVector<int64_t> shape = {one.rows, one.columns}, part = {one.partRows, one.partColumns};
    auto rounds = findRounds(from, from, shape, part);
    ASSERT_TRUE(rounds) << one.rows << "x" << one.columns;
    expectSameElements(from, *rounds);
    RoundLayout split = splitIntoRounds(from, *rounds, 2);
    EXPECT_TRUE(mlir::succeeded(
        split.part.verifyEncoding(part, {}, [&] { return mlir::emitError(mlir::UnknownLoc::get(&context)); })));
  }
}

TEST_F(Rounds, TheWholeIsOneRound) {
  FragmentAttr from = acc(64, 64, 1, 1, 32);
  auto rounds = findRounds(from, from, {64, 64}, {64, 64});
  ASSERT_TRUE(rounds && rounds->empty());
  EXPECT_EQ(splitIntoRounds(from, *rounds, 2).part, from);
}

// Rows below 32 are lanes of a cell of 32, and the parts must divide the tile.
TEST_F(Rounds, ThereAreNone) {
  FragmentAttr from = acc(64, 64, 1, 1, 32);
  EXPECT_FALSE(findRounds(from, from, {64, 64}, {16, 64}));
  EXPECT_FALSE(findRounds(from, from, {64, 64}, {48, 64}));
  EXPECT_FALSE(findRounds(from, getBlockedLayout(&context, {64, 64}, 32, 1, 64), {64, 64}, {16, 64}));
}

} // namespace
} // namespace nstf::systolic
