// The matrix cores' register maps, compared with formulas written here and with a product computed as the hardware
// does; blocked layouts, checked element by element for many shapes.
#include "dialects/systolic/Layouts.h"

#include "mlir/IR/MLIRContext.h"
#include <gtest/gtest.h>

namespace nstf::systolic {
namespace {

class Layouts : public testing::Test {
protected:
  Layouts() { context.loadDialect<SystolicDialect>(); }

  SystolicArrayAttr array(int64_t waveRows, int64_t waveCols, int64_t m, int64_t k, int64_t instructionK) {
    return SystolicArrayAttr::get(&context, waveRows, waveCols, m, m, k, instructionK, /*transposed=*/false);
  }

  mlir::MLIRContext context;
};

int64_t product(llvm::ArrayRef<Digit> digits) {
  int64_t count = 1;
  for (const Digit &digit : digits)
    count *= digit.count;
  return count;
}

// Adds the digits' strides for `number` to the coordinates; returns whether it is the first of its replicas.
bool move(llvm::ArrayRef<Digit> digits, int64_t number, std::array<int64_t, 2> &coordinates) {
  bool isFirst = true;
  for (const Digit &digit : digits) {
    int64_t value = number % digit.count;
    number /= digit.count;
    if (digit.dim < 0)
      isFirst &= value == 0;
    else
      coordinates[digit.dim] += value * digit.stride;
  }
  return isFirst;
}

std::array<int64_t, 2> coordinates(FragmentAttr layout, int64_t reg, int64_t lane, int64_t wave) {
  std::array<int64_t, 2> result = {0, 0};
  move(layout.getReg(), reg, result);
  move(layout.getLane(), lane, result);
  move(layout.getWave(), wave, result);
  return result;
}

// A cell is m x m x 4*64/m; a lane holds 4 consecutive elements along K of its row or column. D of a 32x32 instruction
// has blocks of 8 rows, 4 for each half of the wave (CDNA3 ISA, "matrix arithmetic instructions").
void expectFormulas(SystolicArrayAttr array, int64_t M, int64_t N, int64_t K) {
  int64_t m = array.getM(), cellK = 256 / m, WR = array.getWaveRows(), WC = array.getWaveCols();
  FragmentAttr a = getMmaLayout(array, MmaOperand::A, {M, K}, 64), b = getMmaLayout(array, MmaOperand::B, {K, N}, 64),
               acc = getMmaLayout(array, MmaOperand::Acc, {M, N}, 64);
  ASSERT_TRUE(a && b && acc);
  ASSERT_EQ(a.getNumRegisters(), M / WR * K / 64);
  ASSERT_EQ(b.getNumRegisters(), N / WC * K / 64);
  ASSERT_EQ(acc.getNumRegisters(), M / WR * N / WC / 64);
  for (int64_t wave = 0; wave < WR * WC; ++wave)
    for (int64_t lane = 0; lane < 64; ++lane) {
      int64_t row0 = wave % WR * (M / WR), col0 = wave / WR * (N / WC);
      for (int64_t reg = 0; reg < a.getNumRegisters(); ++reg) {
        int64_t k = reg / 4 % (K / cellK) * cellK + lane / m * 4 + reg % 4, cell = reg / 4 / (K / cellK);
        std::array<int64_t, 2> expected = {row0 + cell * m + lane % m, k};
        ASSERT_EQ(coordinates(a, reg, lane, wave), expected) << "A " << reg << " " << lane << " " << wave;
      }
      for (int64_t reg = 0; reg < b.getNumRegisters(); ++reg) {
        int64_t k = reg / 4 % (K / cellK) * cellK + lane / m * 4 + reg % 4, cell = reg / 4 / (K / cellK);
        std::array<int64_t, 2> expected = {k, col0 + cell * m + lane % m};
        ASSERT_EQ(coordinates(b, reg, lane, wave), expected) << "B " << reg << " " << lane << " " << wave;
      }
      int64_t perCell = m * m / 64, cellsN = N / WC / m;
      for (int64_t reg = 0; reg < acc.getNumRegisters(); ++reg) {
        int64_t r = reg % perCell, cell = reg / perCell;
        int64_t row = m == 16 ? lane / 16 * 4 + r : r / 4 * 8 + lane / 32 * 4 + r % 4;
        std::array<int64_t, 2> expected = {row0 + cell / cellsN * m + row, col0 + cell % cellsN * m + lane % m};
        ASSERT_EQ(coordinates(acc, reg, lane, wave), expected) << "Acc " << reg << " " << lane << " " << wave;
      }
    }
}

TEST_F(Layouts, FormulasOf16x16) {
  expectFormulas(array(1, 1, 16, 16, 4), 16, 16, 16);
  expectFormulas(array(1, 1, 16, 16, 4), 48, 32, 80);
  expectFormulas(array(2, 2, 16, 16, 4), 64, 96, 32);
  expectFormulas(array(3, 1, 16, 16, 16), 48, 16, 16);
  expectFormulas(array(1, 4, 16, 16, 4), 16, 64, 32);
}

TEST_F(Layouts, FormulasOf32x32) {
  expectFormulas(array(1, 1, 32, 8, 2), 32, 32, 8);
  expectFormulas(array(1, 1, 32, 8, 8), 96, 64, 24);
  expectFormulas(array(2, 2, 32, 8, 2), 128, 64, 32);
  expectFormulas(array(4, 1, 32, 8, 2), 128, 32, 8);
}

// Computes one f32 instruction like the hardware: lane l provides A[l mod m][l / m] and B[l / m][l mod m] of its slice
// of K.
void multiply(SystolicArrayAttr array, int64_t M, int64_t N, int64_t K) {
  FragmentAttr a = getMmaLayout(array, MmaOperand::A, {M, K}, 64), b = getMmaLayout(array, MmaOperand::B, {K, N}, 64),
               acc = getMmaLayout(array, MmaOperand::Acc, {M, N}, 64);
  ASSERT_TRUE(a && b && acc);
  auto left = [](int64_t i, int64_t k) { return (i * 7 + k * 13) % 31 - 15; };
  auto right = [](int64_t k, int64_t j) { return (k * 11 + j * 5) % 29 - 14; };
  int64_t m = array.getM(), groups = 64 / m, cellsK = K / array.getK(), perCell = m * m / 64;
  int64_t cellsM = M / array.getWaveRows() / m, cellsN = N / array.getWaveCols() / m;
  for (int64_t wave = 0; wave < array.getNumWaves(); ++wave)
    for (int64_t cellM = 0; cellM < cellsM; ++cellM)
      for (int64_t cellN = 0; cellN < cellsN; ++cellN) {
        std::vector<std::vector<int64_t>> d(m, std::vector<int64_t>(m, 0));
        for (int64_t step = 0; step < 4 * cellsK; ++step)
          for (int64_t group = 0; group < groups; ++group)
            for (int64_t i = 0; i < m; ++i)
              for (int64_t j = 0; j < m; ++j) {
                auto [row, ka] = coordinates(a, cellM * 4 * cellsK + step, group * m + i, wave);
                auto [kb, col] = coordinates(b, cellN * 4 * cellsK + step, group * m + j, wave);
                ASSERT_EQ(ka, kb);
                d[i][j] += left(row, ka) * right(kb, col);
              }
        for (int64_t lane = 0; lane < 64; ++lane)
          for (int64_t r = 0; r < perCell; ++r) {
            auto [row, col] = coordinates(acc, (cellM * cellsN + cellN) * perCell + r, lane, wave);
            int64_t expected = 0;
            for (int64_t k = 0; k < K; ++k)
              expected += left(row, k) * right(k, col);
            int64_t i = m == 16 ? lane / 16 * 4 + r : r / 4 * 8 + lane / 32 * 4 + r % 4;
            ASSERT_EQ(d[i][lane % m], expected) << row << " " << col;
          }
      }
}

TEST_F(Layouts, ProductsComeOutRight) {
  multiply(array(1, 1, 16, 16, 4), 16, 16, 32);
  multiply(array(2, 1, 16, 16, 4), 64, 48, 16);
  multiply(array(1, 1, 32, 8, 2), 32, 64, 24);
  multiply(array(2, 2, 32, 8, 2), 64, 64, 8);
}

// Deeper cells: 16 bytes of f16 per lane.
TEST_F(Layouts, EightElementsALane) {
  FragmentAttr a = getMmaLayout(array(1, 1, 32, 16, 8), MmaOperand::A, {32, 32}, 64);
  for (int64_t lane : {0, 5, 37, 63})
    for (int64_t reg = 0; reg < 16; ++reg) {
      std::array<int64_t, 2> expected = {lane % 32, reg / 8 * 16 + lane / 32 * 8 + reg % 8};
      EXPECT_EQ(coordinates(a, reg, lane, 0), expected) << reg << " " << lane;
    }
}

// A transposed array keeps the operands' layouts, and its result is the transpose of the transposed product.
TEST_F(Layouts, ExchangedOperands) {
  SystolicArrayAttr plain = array(2, 2, 32, 16, 8);
  auto exchanged = SystolicArrayAttr::get(&context, 2, 2, 32, 32, 16, 8, /*transposed=*/true);
  auto turned = SystolicArrayAttr::get(&context, 2, 2, 32, 32, 16, 8, /*transposed=*/false);
  EXPECT_EQ(getMmaLayout(exchanged, MmaOperand::A, {128, 32}, 64), getMmaLayout(plain, MmaOperand::A, {128, 32}, 64));
  EXPECT_EQ(getMmaLayout(exchanged, MmaOperand::B, {32, 64}, 64), getMmaLayout(plain, MmaOperand::B, {32, 64}, 64));
  FragmentAttr acc = getMmaLayout(exchanged, MmaOperand::Acc, {64, 64}, 64);
  FragmentAttr other = getMmaLayout(turned, MmaOperand::Acc, {64, 64}, 64);
  for (int64_t lane = 0; lane < 64; ++lane)
    for (int64_t reg = 0; reg < acc.getNumRegisters(); ++reg) {
      auto [row, column] = coordinates(acc, reg, lane, 0);
      auto [turnedRow, turnedColumn] = coordinates(other, reg, lane, 0);
      EXPECT_EQ(row, turnedColumn);
      EXPECT_EQ(column, turnedRow);
    }
}

// For attention: the accumulator of a cell of depth four has the layout of B, as has that of a deeper chained cell.
TEST_F(Layouts, AccumulatorIsTheNextB) {
  auto chained = SystolicArrayAttr::get(&context, 1, 4, 32, 32, 16, 8, /*transposed=*/false, /*chained=*/true);
  for (auto cells : {array(1, 1, 16, 16, 4), array(1, 4, 16, 16, 4), chained}) {
    int64_t M = 2 * cells.getM(), N = cells.getN() * cells.getWaveCols();
    EXPECT_EQ(getMmaLayout(cells, MmaOperand::Acc, {M, N}, 64), getMmaLayout(cells, MmaOperand::B, {M, N}, 64));
  }
}

// The instruction puts row 8i + 4h + j of a result into register 4i + j of the lanes of half h; that row holds what A
// has in lane 8i + 4h + j.
TEST_F(Layouts, ChainedRows) {
  auto chained = SystolicArrayAttr::get(&context, 1, 1, 32, 32, 16, 8, /*transposed=*/false, /*chained=*/true);
  FragmentAttr a = getMmaLayout(chained, MmaOperand::A, {32, 16}, 64);
  FragmentAttr acc = getMmaLayout(chained, MmaOperand::Acc, {32, 32}, 64);
  for (int64_t half : {0, 1})
    for (int64_t reg = 0; reg < 16; ++reg)
      EXPECT_EQ(coordinates(acc, reg, 32 * half, 0)[0], coordinates(a, 0, reg / 4 * 8 + half * 4 + reg % 4, 0)[0]);
}

// Each of three parts takes every third cell along K, and their sums lie below one another.
TEST_F(Layouts, PartsTakeCellsInTurn) {
  auto parts = SystolicArrayAttr::get(&context, 2, 1, 16, 16, 16, 4, /*transposed=*/false, /*chained=*/false, 3);
  FragmentAttr a = getMmaLayout(parts, MmaOperand::A, {64, 96}, 64),
               whole = getMmaLayout(parts.getWhole(), MmaOperand::A, {64, 32}, 64);
  FragmentAttr acc = getMmaLayout(parts, MmaOperand::Acc, {192, 32}, 64),
               one = getMmaLayout(parts.getWhole(), MmaOperand::Acc, {64, 32}, 64);
  ASSERT_TRUE(a && whole && acc && one);
  for (int64_t wave = 0; wave < 6; ++wave)
    for (int64_t reg = 0; reg < whole.getNumRegisters(); ++reg) {
      auto [row, column] = coordinates(whole, reg, 21, wave % 2);
      std::array<int64_t, 2> expected = {row, column / 16 * 48 + wave / 2 * 16 + column % 16};
      EXPECT_EQ(coordinates(a, reg, 21, wave), expected);
      auto [sumRow, sumColumn] = coordinates(one, reg, 21, wave % 2);
      expected = {wave / 2 * 64 + sumRow, sumColumn};
      EXPECT_EQ(coordinates(acc, reg, 21, wave), expected);
    }
  EXPECT_FALSE(getMmaLayout(parts, MmaOperand::A, {64, 64}, 64));
  EXPECT_FALSE(getMmaLayout(parts, MmaOperand::Acc, {64, 32}, 64));
}

// A wave sums adjacent registers of the parts; if there are fewer accesses than parts, several waves sum the same ones.
TEST_F(Layouts, SharesOfSums) {
  auto makeParts = [&](int64_t m, int64_t parts) {
    return SystolicArrayAttr::get(&context, 1, 2, m, m, 256 / m, 4, /*transposed=*/true, /*chained=*/false, parts);
  };
  for (auto [m, parts, shares] : {std::tuple(32, 2, 2), {32, 4, 4}, {32, 8, 4}, {16, 4, 1}, {32, 6, 2}}) {
    SystolicArrayAttr array = makeParts(m, parts);
    FragmentAttr acc = getMmaLayout(array.getWhole(), MmaOperand::Acc, {m, 2 * m}, 64),
                 sum = getSumLayout(array, {m, 2 * m}, 64);
    ASSERT_TRUE(acc && sum);
    int64_t own = acc.getNumRegisters() / shares;
    ASSERT_EQ(sum.getNumRegisters(), own);
    ASSERT_EQ(product(sum.getWave()), 2 * parts);
    for (int64_t wave = 0; wave < 2 * parts; ++wave)
      for (int64_t reg = 0; reg < own; ++reg)
        EXPECT_EQ(coordinates(sum, reg, 37, wave), coordinates(acc, wave / 2 % shares * own + reg, 37, wave % 2));
  }
  // 24 registers in three shares of 8, unless a share would end inside a row of cells.
  auto three = SystolicArrayAttr::get(&context, 1, 1, 16, 16, 16, 4, /*transposed=*/true, /*chained=*/false, 3);
  EXPECT_TRUE(getSumLayout(three, {96, 16}, 64));
  EXPECT_FALSE(getSumLayout(three, {32, 48}, 64));
}

TEST_F(Layouts, NoWholeCells) {
  SystolicArrayAttr cells = array(2, 2, 16, 16, 4);
  EXPECT_TRUE(getMmaLayout(cells, MmaOperand::A, {32, 16}, 64));
  EXPECT_FALSE(getMmaLayout(cells, MmaOperand::A, {16, 16}, 64));
  EXPECT_FALSE(getMmaLayout(cells, MmaOperand::A, {32, 24}, 64));
  EXPECT_FALSE(getMmaLayout(cells, MmaOperand::B, {24, 32}, 64));
  EXPECT_FALSE(getMmaLayout(cells, MmaOperand::B, {16, 48}, 64));
  EXPECT_FALSE(getMmaLayout(cells, MmaOperand::Acc, {32, 16}, 64));
  EXPECT_FALSE(getMmaLayout(cells, MmaOperand::Acc, {33, 32}, 64));
  // A cell that does not fill the wave, and an array without one.
  EXPECT_FALSE(getMmaLayout(array(1, 1, 16, 2, 1), MmaOperand::A, {16, 16}, 64));
  EXPECT_FALSE(getMmaLayout(array(1, 1, 0, 0, 0), MmaOperand::A, {16, 16}, 64));
}

// The first of each set of replicas holds every element exactly once, and every lane and wave holds some.
void expectPartition(FragmentAttr layout, llvm::ArrayRef<int64_t> shape, int64_t waves, int64_t waveSize) {
  ASSERT_EQ(product(layout.getLane()), waveSize);
  ASSERT_EQ(product(layout.getWave()), waves);
  int64_t cols = shape.size() == 2 ? shape[1] : 1, elements = shape[0] * cols;
  std::vector<int> holders(elements, 0), firsts(elements, 0);
  for (int64_t wave = 0; wave < waves; ++wave)
    for (int64_t lane = 0; lane < waveSize; ++lane)
      for (int64_t reg = 0; reg < layout.getNumRegisters(); ++reg) {
        std::array<int64_t, 2> at = {0, 0};
        bool isFirst = move(layout.getReg(), reg, at);
        isFirst &= move(layout.getLane(), lane, at);
        isFirst &= move(layout.getWave(), wave, at);
        ASSERT_LT(at[0], shape[0]);
        ASSERT_LT(at[1], cols);
        ++holders[at[0] * cols + at[1]];
        firsts[at[0] * cols + at[1]] += isFirst;
      }
  for (int64_t i = 0; i < elements; ++i) {
    ASSERT_EQ(firsts[i], 1) << "element " << i << " of " << elements << ", " << waves << " waves";
    ASSERT_EQ(holders[i], holders[0]);
  }
}

void expectPartition(mlir::MLIRContext &context, llvm::ArrayRef<int64_t> shape, unsigned bits, int64_t waves,
                     int64_t waveSize) {
  expectPartition(getBlockedLayout(&context, shape, bits, waves, waveSize), shape, waves, waveSize);
}

// Each access of a wave, 16 bytes per lane, is one block in lane order.
TEST_F(Layouts, Packed) {
  for (auto [rows, bytes, by] : {std::tuple(16, 64, 0), {8, 128, 0}, {32, 32, 0}, {16, 64, 4}, {8, 128, 2}})
    for (unsigned bits : {8u, 16u, 32u})
      for (int64_t down : {1, 2, 6})
        for (int64_t across : {1, 2, 3})
          for (int64_t waves : {1, 4, 6}) {
            auto packing = PackedAttr::get(&context, rows, bytes, by);
            int64_t granule = packing.getGranule(bits), columns = across * bytes * 8 / bits;
            std::array<int64_t, 2> shape = {down * rows, columns};
            FragmentAttr layout = getPackedLayout(packing, shape, bits, waves);
            ASSERT_TRUE(layout);
            expectPartition(layout, shape, waves, 64);
            for (int64_t wave = 0; wave < waves; ++wave)
              for (int64_t reg = 0; reg < layout.getNumRegisters(); ++reg)
                for (int64_t lane = 0; lane < 64; ++lane) {
                  auto first = coordinates(layout, reg - reg % granule, 0, wave),
                       at = coordinates(layout, reg, lane, wave);
                  int64_t block = packing.getPlace(first[0], first[1], columns, bits);
                  ASSERT_EQ(block % (64 * granule), 0);
                  ASSERT_EQ(packing.getPlace(at[0], at[1], columns, bits), block + lane * granule + reg % granule);
                }
          }
  EXPECT_FALSE(getPackedLayout(PackedAttr::get(&context, 16, 64, 0), {24, 32}, 16, 1));
  EXPECT_FALSE(getPackedLayout(PackedAttr::get(&context, 16, 64, 0), {16, 48}, 16, 1));
}

// A lane's 16 bytes belong to several cells of 4 elements per lane: adjacent cells for a 16x16 cell, every other one
// for a 32x32 cell.
TEST_F(Layouts, AccessesOfPackedCells) {
  auto packing = PackedAttr::get(&context, 16, 64, 4);
  FragmentAttr a16 = getMmaLayout(array(1, 1, 16, 16, 4), MmaOperand::A, {32, 64}, 64),
               a32 = getMmaLayout(array(1, 1, 32, 8, 8), MmaOperand::A, {32, 64}, 64);
  AccessRegisters of16 = getAccessRegisters(a16, 4, 1, packing, 16), of32 = getAccessRegisters(a32, 4, 1, packing, 16);
  EXPECT_EQ(of16.width, 8);
  EXPECT_EQ(of32.width, 8);
  EXPECT_EQ(of16.of(1), (llvm::ArrayRef<int64_t>{8, 9, 10, 11, 12, 13, 14, 15}));
  EXPECT_EQ(of32.of(1), (llvm::ArrayRef<int64_t>{4, 5, 6, 7, 12, 13, 14, 15}));
  for (auto [layout, accesses] : {std::pair(a16, of16), std::pair(a32, of32)})
    for (int64_t lane = 0; lane < 64; ++lane)
      for (int64_t access = 0; access < accesses.getNumAccesses(); ++access)
        for (auto [place, reg] : llvm::enumerate(accesses.of(access))) {
          auto first = coordinates(layout, accesses.of(access).front(), lane, 0),
               at = coordinates(layout, reg, lane, 0);
          EXPECT_EQ(packing.getPlace(at[0], at[1], 64, 16),
                    packing.getPlace(first[0], first[1], 64, 16) + int64_t(place));
        }
  // Eight adjacent elements of a lane are halves of two granules.
  FragmentAttr wide = getMmaLayout(SystolicArrayAttr::get(&context, 1, 1, 16, 16, 32, 16, /*transposed=*/false),
                                   MmaOperand::A, {32, 64}, 64);
  EXPECT_EQ(getAccessRegisters(wide, 4, 1, packing, 16).width, 4);
  EXPECT_EQ(getAccessRegisters(a16, 4, 1, {}, 16).width, 4);
}

TEST_F(Layouts, BlockedRank1) {
  for (int64_t size = 1; size <= 512; ++size)
    for (int64_t waves : {1, 4, 6})
      expectPartition(context, {size}, size % 2 ? 32 : 16, waves, size % 3 ? 64 : 32);
}

TEST_F(Layouts, BlockedRank2) {
  const int64_t sizes[] = {1,  2,  3,  4,  5,  6,  7,   8,   12,  16,  24,  31,
                           32, 33, 48, 64, 65, 96, 100, 128, 192, 255, 256, 512};
  for (int64_t rows : sizes)
    for (int64_t cols : sizes)
      for (int64_t waves : {1, 3, 4, 8})
        if (rows * cols <= 4096)
          expectPartition(context, {rows, cols}, cols % 3 ? 32 : 8, waves, 64);
}

TEST_F(Layouts, BlockedUsesWideAccesses) {
  // 16 bytes per lane if there is enough for all lanes, else fewer.
  auto vector = [&](llvm::ArrayRef<int64_t> shape, unsigned bits) {
    return getBlockedLayout(&context, shape, bits, 1, 64).getReg().front();
  };
  EXPECT_EQ(vector({16, 64}, 32), (Digit{1, 4, 1}));
  EXPECT_EQ(vector({16, 64}, 16), (Digit{1, 8, 1}));
  EXPECT_EQ(vector({2, 64}, 32), (Digit{1, 2, 1}));
  EXPECT_EQ(vector({16, 6}, 16), (Digit{1, 3, 2}));
}

TEST_F(Layouts, CanonicalForm) {
  // Digits of one value disappear, contiguous ones merge, and replicas have no stride.
  FragmentAttr layout = FragmentAttr::getCanonical(&context, {{0, 4, 1}, {1, 1, 7}, {0, 2, 4}, {0, 2, 16}},
                                                   {{-1, 2, 3}, {-1, 4, 5}}, {{1, 2, 1}, {1, 2, 4}});
  EXPECT_EQ(layout.getReg(), llvm::ArrayRef<Digit>({{0, 8, 1}, {0, 2, 16}}));
  EXPECT_EQ(layout.getLane(), llvm::ArrayRef<Digit>({{-1, 8, 0}}));
  EXPECT_EQ(layout.getWave(), llvm::ArrayRef<Digit>({{1, 2, 1}, {1, 2, 4}}));
}

TEST_F(Layouts, Slices) {
  FragmentAttr layout =
      FragmentAttr::getCanonical(&context, {{0, 4, 1}, {1, 2, 16}}, {{1, 16, 1}, {0, 4, 4}}, {{0, 2, 16}});
  // Dropping the rows removes their registers, makes their lanes and waves replicas, and renumbers the columns.
  FragmentAttr columns = layout.dropDim(0);
  EXPECT_EQ(columns.getReg(), llvm::ArrayRef<Digit>({{0, 2, 16}}));
  EXPECT_EQ(columns.getLane(), llvm::ArrayRef<Digit>({{0, 16, 1}, {-1, 4, 0}}));
  EXPECT_EQ(columns.getWave(), llvm::ArrayRef<Digit>({{-1, 2, 0}}));
  FragmentAttr rows = layout.dropDim(1);
  EXPECT_EQ(rows.getReg(), llvm::ArrayRef<Digit>({{0, 4, 1}}));
  EXPECT_EQ(rows.getLane(), llvm::ArrayRef<Digit>({{-1, 16, 0}, {0, 4, 4}}));
  // Inserting a unit dimension and dropping it again changes nothing.
  EXPECT_EQ(columns.insertUnitDim(0).dropDim(0), columns);
  EXPECT_EQ(columns.insertUnitDim(0).getReg(), llvm::ArrayRef<Digit>({{1, 2, 16}}));
}

// Lanes hold patches of depth x width; both orders of their registers are complete layouts of the same elements.
TEST_F(Layouts, Patches) {
  PatchLayouts patches = getPatchLayouts(&context, {64, 128}, 16, /*depth=*/8, /*waves=*/4, 64);
  ASSERT_TRUE(patches.alongRows && patches.alongColumns);
  EXPECT_EQ(getVectorWidth(patches.alongRows, 1, 16), 4);
  EXPECT_EQ(getVectorWidth(patches.alongColumns, 0, 16), 8);
  EXPECT_EQ(patches.alongRows.getLane(), patches.alongColumns.getLane());
  EXPECT_EQ(patches.alongRows.getWave(), patches.alongColumns.getWave());
  expectPartition(patches.alongRows, {64, 128}, 4, 64);
  expectPartition(patches.alongColumns, {64, 128}, 4, 64);
  EXPECT_FALSE(getPatchLayouts(&context, {20, 128}, 16, 8, 4, 64).alongRows);
  EXPECT_FALSE(getPatchLayouts(&context, {8, 16}, 16, 8, 4, 64).alongRows);
}

} // namespace
} // namespace nstf::systolic
