// An orthogonal matrix of any size.
#include "compiler/quantize/Hadamard.h"

#include <cmath>
#include <gmock/gmock.h>
#include <numeric>

using namespace nstf::quantize;

namespace {

std::vector<double> makeUnit(int64_t size, int64_t index) {
  std::vector<double> unit(size);
  unit[index] = 1;
  return unit;
}

double multiply(const std::vector<double> &a, const std::vector<double> &b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

TEST(OrthogonalMatrix, RowsAreOrthogonalAndGoBack) {
  for (int64_t size : {1, 2, 3, 64, 96, 172}) {
    OrthogonalMatrix matrix(size);
    std::vector<std::vector<double>> rows;
    for (int64_t i = 0; i < size; ++i) {
      rows.push_back(makeUnit(size, i));
      matrix.multiply(rows.back());
    }
    for (int64_t i = 0; i < size; ++i)
      for (int64_t j = 0; j < size; ++j)
        EXPECT_NEAR(multiply(rows[i], rows[j]), i == j, 1e-12) << size;
    for (int64_t i = 0; i < size; ++i) {
      matrix.multiplyTransposed(rows[i]);
      for (int64_t j = 0; j < size; ++j)
        EXPECT_NEAR(rows[i][j], i == j, 1e-12) << size;
    }
  }
}

// If the size is a power of two, a channel spreads equally to all others, with both signs.
TEST(OrthogonalMatrix, SpreadsAChannel) {
  OrthogonalMatrix matrix(64);
  std::vector<double> row = makeUnit(64, 5);
  matrix.multiply(row);
  for (double number : row)
    EXPECT_DOUBLE_EQ(std::abs(number), 0.125);
  std::vector<double> ones(64, 1.0);
  matrix.multiply(ones); // without the signs all of it would go to the first channel
  EXPECT_LT(std::ranges::max(ones), 4);
}

} // namespace
