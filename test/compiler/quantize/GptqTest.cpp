// GPTQ against the published algorithm, its remaining error, and the effect of scaled channels on outliers.
#include "compiler/quantize/Gptq.h"
#include "compiler/quantize/ScaleChannels.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace nstf::quantize {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd randomMatrix(int64_t rows, int64_t columns, uint32_t seed) {
  std::mt19937 random(seed);
  return MatrixXd::NullaryExpr(rows, columns, [&] { return double(int32_t(random())) * 0x1p-31; });
}

/// Σ x·xᵀ of correlated inputs, some channels larger than others.
MatrixXd randomInputs(int64_t columns, uint32_t seed) {
  MatrixXd x = randomMatrix(4 * columns + 3, columns, seed) * randomMatrix(columns, columns, seed + 1);
  for (int64_t k = 0; k < columns; k += 7)
    x.col(k) *= 4;
  return x.transpose() * x;
}

MatrixXd decode(const Format &format, const std::vector<CodedRow> &rows) {
  MatrixXd result(rows.size(), format.columns);
  for (size_t i = 0; i < rows.size(); ++i)
    result.row(i) = VectorXd::Map(decodeRow(format, rows[i]).data(), format.columns).transpose();
  return result;
}

/// As in the paper: the inverse, its upper Cholesky factor, and the columns in order of falling diagonal.
std::vector<CodedRow> publishedSteps(const Format &format, const MatrixXd &rows, MatrixXd inputs) {
  int64_t columns = rows.cols();
  VectorXd diagonal = inputs.diagonal();
  inputs.diagonal().array() += 0.01 * diagonal.mean();
  std::vector<int> order(columns);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int k) { return diagonal[k]; });
  std::ranges::reverse(order);
  MatrixXd inverse = MatrixXd(inputs(order, order)).inverse();
  MatrixXd upper = inverse.llt().matrixU();
  std::vector<CodedRow> coded;
  for (int64_t n = 0; n < rows.rows(); ++n) {
    std::vector<double> whole(columns);
    VectorXd::Map(whole.data(), columns) = rows.row(n).transpose();
    std::vector<Grid> grids = chooseGrids(format, whole, Clipping::SquaredError);
    coded.push_back(makeRow(format, grids));
    VectorXd w = rows.row(n)(order).transpose();
    for (int64_t j = 0; j < columns; ++j) {
      const Grid &grid = grids[order[j] / format.groupSize()];
      coded[n].codes[order[j]] = grid.round(format, w[j]);
      double error = (w[j] - grid.decode(format, coded[n].codes[order[j]])) / upper(j, j);
      w.tail(columns - j) -= error * upper.row(j).tail(columns - j).transpose();
    }
  }
  return coded;
}

TEST(Gptq, ThePublishedSteps) {
  for (int64_t columns : {1, 38, 172})
    for (const Format &format :
         {Format{4, 32, columns, true}, Format{4, 0, columns, false}, Format{6, 64, columns, true}}) {
      MatrixXd rows = randomMatrix(5, columns, 1), inputs = randomInputs(columns, 2);
      std::vector<CodedRow> got = Gptq(inputs).round(format, rows, Clipping::SquaredError);
      std::vector<CodedRow> want = publishedSteps(format, rows, inputs);
      for (size_t n = 0; n < got.size(); ++n) {
        EXPECT_EQ(got[n].codes, want[n].codes) << columns << " columns, " << format.bits << " bits, row " << n;
        EXPECT_EQ(got[n].scales, want[n].scales);
        EXPECT_EQ(got[n].zeros, want[n].zeros);
      }
    }
}

TEST(Gptq, SharedGridsAreKept) {
  Format format{4, 0, 172, true};
  MatrixXd rows = randomMatrix(4, 172, 3);
  Gptq gptq(randomInputs(172, 4));
  std::vector<Grid> shared(1, {0.125, 7});
  for (const CodedRow &row : gptq.round(format, rows, Clipping::SquaredError, shared)) {
    EXPECT_EQ(row.scales, std::vector<float>{0.125f});
    EXPECT_EQ(row.zeros, std::vector<uint8_t>{7});
  }
}

TEST(Gptq, LessErrorThanNearest) {
  Format format{4, 32, 172, true};
  MatrixXd rows = randomMatrix(40, 172, 3), inputs = randomInputs(172, 4);
  MatrixXd error = decode(format, Gptq(inputs).round(format, rows, Clipping::SquaredError)) - rows;
  std::vector<CodedRow> nearest;
  for (int64_t n = 0; n < rows.rows(); ++n) {
    std::vector<double> row(172);
    VectorXd::Map(row.data(), 172) = rows.row(n).transpose();
    nearest.push_back(roundToNearest(format, row, Clipping::SquaredError));
  }
  EXPECT_LT(getOutputError(error, inputs), 0.7 * getOutputError(decode(format, nearest) - rows, inputs));
}

TEST(Gptq, ProductsWithoutTheDamping) {
  MatrixXd a = randomMatrix(3, 38, 5), b = randomMatrix(3, 38, 6), inputs = randomInputs(38, 7);
  VectorXd got = Gptq(inputs).getProducts(a, b), want = (a * inputs * b.transpose()).diagonal();
  for (int64_t i = 0; i < 3; ++i)
    EXPECT_NEAR(got[i], want[i], 1e-9 * want.cwiseAbs().maxCoeff());
}

TEST(Gptq, AnInputThatIsAlwaysZero) {
  Format format{4, 32, 38, true};
  MatrixXd rows = randomMatrix(2, 38, 8), inputs = randomInputs(38, 9);
  inputs.row(5).setZero();
  inputs.col(5).setZero();
  MatrixXd decoded = decode(format, Gptq(inputs).round(format, rows, Clipping::SquaredError));
  EXPECT_EQ(decoded(0, 5), 0);
  EXPECT_EQ(decoded(1, 5), 0);
  EXPECT_TRUE(decoded.allFinite());
}

TEST(Gptq, SumsThatAreNone) {
  auto message = [](const MatrixXd &inputs) {
    try {
      Gptq gptq(inputs);
    } catch (const std::runtime_error &error) {
      return std::string(error.what());
    }
    return std::string();
  };
  MatrixXd inputs = MatrixXd::Identity(3, 3);
  inputs(1, 1) = NAN;
  EXPECT_EQ(message(inputs), "expected finite sums of inputs but got others");
  inputs(1, 1) = 1;
  inputs(2, 1) = 5;
  EXPECT_EQ(message(inputs), "expected sums of inputs that are positive definite but got others");
}

// Three inputs 64 times the others, and their weights 64 times smaller.
TEST(ScaleChannels, Outliers) {
  Format format{4, 32, 64, true};
  MatrixXd rows = randomMatrix(64, 64, 10), inputs = randomInputs(64, 11);
  auto measure = [&](const MatrixXd &rows, const MatrixXd &inputs, const VectorXd &scales) {
    MatrixXd scaled = rows * scales.asDiagonal(), error = scaled;
    for (int64_t n = 0; n < rows.rows(); ++n) {
      std::vector<double> row(64);
      VectorXd::Map(row.data(), 64) = scaled.row(n).transpose();
      error.row(n) -=
          VectorXd::Map(decodeRow(format, roundToNearest(format, row, Clipping::SquaredError)).data(), 64).transpose();
    }
    return getOutputError(error * scales.cwiseInverse().asDiagonal(), inputs);
  };
  double plain = measure(rows, inputs, VectorXd::Ones(64));
  VectorXd planted = VectorXd::Ones(64);
  for (int64_t k : {3, 30, 50})
    planted[k] = 64;
  rows = rows * planted.cwiseInverse().asDiagonal();
  inputs = planted.asDiagonal() * inputs * planted.asDiagonal();
  InputStatistics statistics{4 * inputs.diagonal().cwiseSqrt(), inputs.diagonal().cwiseSqrt(), inputs.diagonal()};
  EXPECT_GT(measure(rows, inputs, VectorXd::Ones(64)), 4 * plain);
  VectorXd scales = searchScales({format}, {rows}, statistics, inputs);
  EXPECT_LT(measure(rows, inputs, scales), 1.1 * plain);
  EXPECT_TRUE(helpGptq(scales, {format}, {rows}, [&] { return inputs; }));
  VectorXd smooth = smoothScales({rows}, statistics);
  EXPECT_LT(measure(rows, inputs, smooth), 2 * plain);
  EXPECT_TRUE(smooth.allFinite());
}

} // namespace
} // namespace nstf::quantize
