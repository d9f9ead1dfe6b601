// Caches in operand order: sizes, places according to the blocks' definition, and zeros in the padding.
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
  expect(Operand::Keys, 40, 2, 64, 3 * 64, 64);
  expect(Operand::Keys, 40, 4, 64, 3 * 48, 48);
  expect(Operand::Keys, 65, 1, 128, 3 * 64, 64);
  expect(Operand::Values, 40, 2, 3 * 48, 64, 48);
  expect(Operand::Values, 65, 4, 3 * 48, 128, 48);
  expect(Operand::Values, 40, 1, 3 * 48, 64, 48);
  OperandOrder::Matrix scales = OperandOrder{Operand::Scales, 3}.getMatrix(65, 3, 4);
  EXPECT_EQ(scales.rows, 3);
  EXPECT_EQ(scales.columns, 128);
  EXPECT_EQ(scales.headStride, 1);
}

/// Packs numbers other than 0, and checks these numbers and the zeros of the padding.
template <typename Element> void expectPlaces(Operand operand, int64_t positions, int64_t headSize) {
  constexpr int64_t size = sizeof(Element), across = 64 / size, granule = 16 / size;
  const int64_t features = 2 * headSize;
  OperandOrder order{operand, 2};
  OperandOrder::Matrix matrix = order.getMatrix(positions, features, size);
  std::vector<Element> rows(positions * features), back(rows.size());
  for (size_t i = 0; i < rows.size(); ++i)
    rows[i] = i % 251 + 1;
  std::vector<Element> packed(matrix.rows * matrix.columns, 7);
  auto bytes = [](std::vector<Element> &values) { return reinterpret_cast<std::byte *>(values.data()); };
  order.pack(positions, features, size, bytes(rows), bytes(packed));
  // Element (r, c) of a matrix in blocks. Blocks of 16 rows and 64 bytes follow one another. In a block, granule g of a
  // row has columns 4g to 4g + 3, 16 + 4g to 16 + 4g + 3 and so on, and the granules g of all rows precede granules g +
  // 1.
  auto at = [&](int64_t r, int64_t c) {
    if (!order.hasBlocks())
      return packed[r * matrix.columns + c];
    int64_t block = r / 16 * (matrix.columns / across) + c / across, inGranule = c % across / 16 * 4 + c % 4;
    return packed[block * 16 * across + c % 16 / 4 * 16 * granule + r % 16 * granule + inGranule];
  };
  for (int64_t r = 0; r < matrix.rows; ++r)
    for (int64_t c = 0; c < matrix.columns; ++c) {
      int64_t position = operand == Operand::Keys ? r : c, column = operand == Operand::Keys ? c : r;
      int64_t head = column / matrix.headStride, feature = column % matrix.headStride;
      bool isThere = position < positions && feature < headSize;
      ASSERT_EQ(at(r, c), isThere ? rows[position * features + head * headSize + feature] : 0);
    }
  order.unpack(positions, features, size, bytes(packed), bytes(back));
  EXPECT_EQ(rows, back);
}

TEST(OperandOrder, PackAndUnpack) {
  for (Operand operand : {Operand::Keys, Operand::Values})
    for (int64_t headSize : {4, 38, 64, 80})
      for (int64_t positions : {40, 64, 100}) {
        expectPlaces<uint8_t>(operand, positions, headSize);
        expectPlaces<uint16_t>(operand, positions, headSize);
        expectPlaces<uint32_t>(operand, positions, headSize);
      }
  expectPlaces<uint32_t>(Operand::Scales, 100, 1);
}

TEST(OperandOrder, Names) {
  EXPECT_EQ((OperandOrder{Operand::Keys, 1}.str()), "keys in operand order, 1 head");
  EXPECT_EQ((OperandOrder{Operand::Values, 8}.str()), "values in operand order, 8 heads");
  EXPECT_EQ((OperandOrder{Operand::Scales, 8}.str()), "scales in operand order, 8 heads");
  EXPECT_EQ(operandFromName("values"), Operand::Values);
  EXPECT_EQ(operandFromName("scales"), Operand::Scales);
  EXPECT_EQ(operandFromName("rows"), std::nullopt);
}

} // namespace
