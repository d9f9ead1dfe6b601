// Caches in operand order: sizes, places against the blocks' definition, and that padding is zero.
#include "support/OperandOrder.h"

#include <gtest/gtest.h>
#include <vector>

using namespace nstf::support;

namespace {

using Operand = OperandOrder::Operand;

TEST(OperandOrder, Matrix) {
  auto expect = [](Operand operand, int64_t positions, int64_t bytes, int64_t rows, int64_t columns, int64_t stride) {
    OperandOrder::Matrix matrix = OperandOrder{operand, 3}.getMatrix(positions, 3 * 38, bytes);
    EXPECT_EQ(matrix.rows, rows);
    EXPECT_EQ(matrix.columns, columns);
    EXPECT_EQ(matrix.headStride, stride);
  };
  expect(Operand::Keys, 40, 2, 48, 3 * 64, 64);
  expect(Operand::Keys, 40, 4, 48, 3 * 48, 48);
  expect(Operand::Keys, 40, 1, 48, 3 * 64, 64);
  expect(Operand::Values, 40, 2, 3 * 48, 64, 48);
  expect(Operand::Values, 40, 4, 3 * 48, 48, 48);
  expect(Operand::Values, 40, 1, 3 * 48, 64, 48);
}

TEST(OperandOrder, PackAndUnpack) {
  for (Operand operand : {Operand::Keys, Operand::Values})
    for (int64_t headSize : {4, 38, 64}) {
      const int64_t positions = 40, features = 2 * headSize;
      OperandOrder order{operand, 2};
      OperandOrder::Matrix matrix = order.getMatrix(positions, features, 2);
      std::vector<uint16_t> rows(positions * features), back(rows.size());
      for (size_t i = 0; i < rows.size(); ++i)
        rows[i] = i + 1;
      std::vector<uint16_t> packed(matrix.rows * matrix.columns, 7);
      auto bytes = [](std::vector<uint16_t> &values) { return reinterpret_cast<std::byte *>(values.data()); };
      order.pack(positions, features, 2, bytes(rows), bytes(packed));
      // Element (r, c) of the matrix: blocks of 16 x 32 one after the other, in each granules g of a row's columns 4g
      // to 4g + 3 and 16 + 4g to 16 + 4g + 3, all rows' of one before the next.
      auto at = [&](int64_t r, int64_t c) {
        int64_t inGranule = c % 32 / 16 * 4 + c % 4;
        return packed[(r / 16 * (matrix.columns / 32) + c / 32) * 512 + c % 16 / 4 * 128 + r % 16 * 8 + inGranule];
      };
      for (int64_t r = 0; r < matrix.rows; ++r)
        for (int64_t c = 0; c < matrix.columns; ++c) {
          int64_t position = operand == Operand::Keys ? r : c, column = operand == Operand::Keys ? c : r;
          int64_t head = column / matrix.headStride, feature = column % matrix.headStride;
          bool isThere = position < positions && feature < headSize;
          ASSERT_EQ(at(r, c), isThere ? rows[position * features + head * headSize + feature] : 0);
        }
      order.unpack(positions, features, 2, bytes(packed), bytes(back));
      EXPECT_EQ(rows, back);
    }
}

TEST(OperandOrder, Names) {
  EXPECT_EQ((OperandOrder{Operand::Keys, 1}.str()), "keys in operand order, 1 head");
  EXPECT_EQ((OperandOrder{Operand::Values, 8}.str()), "values in operand order, 8 heads");
  EXPECT_EQ(operandFromName("values"), Operand::Values);
  EXPECT_EQ(operandFromName("rows"), std::nullopt);
}

} // namespace
