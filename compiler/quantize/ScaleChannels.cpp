#include "compiler/quantize/ScaleChannels.h"

#include "compiler/quantize/Gptq.h"

#include <algorithm>
#include <cmath>
#include <tbb/parallel_for.h>

using namespace nstf::quantize;
using Eigen::MatrixXd;
using Eigen::VectorXd;

double nstf::quantize::getOutputError(const MatrixXd &error, const MatrixXd &inputs) {
  if (inputs.cols() == 1)
    return error.array().square().colwise().sum().matrix().dot(inputs.col(0));
  return (error * inputs.selfadjointView<Eigen::Lower>()).cwiseProduct(error).sum();
}

/// Divides the scales by the geometric mean of the smallest and the largest. Channels without weights or inputs don't
/// matter: they are ignored, and their scales are 1.
static VectorXd normalize(VectorXd scales) {
  double smallest = INFINITY, largest = 0;
  for (double scale : scales)
    if (std::isfinite(scale) && scale > 0) {
      smallest = std::min(smallest, scale);
      largest = std::max(largest, scale);
    }
  double middle = std::sqrt(smallest * largest);
  for (double &scale : scales)
    scale = std::isfinite(scale) && scale > 0 ? scale / middle : 1;
  return scales;
}

/// The error in the outputs when W·diag(s) is rounded to nearest.
static double measure(const Format &format, const MatrixXd &matrix, const VectorXd &scales, const MatrixXd &inputs) {
  MatrixXd error(matrix.rows(), matrix.cols());
  std::vector<double> row(matrix.cols());
  for (int64_t n = 0; n < matrix.rows(); ++n) {
    for (int64_t k = 0; k < matrix.cols(); ++k)
      row[k] = matrix(n, k) * scales[k];
    std::vector<double> rounded = decodeRow(format, roundToNearest(format, row, Clipping::SquaredError));
    for (int64_t k = 0; k < matrix.cols(); ++k)
      error(n, k) = (rounded[k] - row[k]) / scales[k];
  }
  return getOutputError(error, inputs);
}

VectorXd nstf::quantize::searchScales(const std::vector<Format> &formats, const std::vector<MatrixXd> &matrices,
                                      const InputStatistics &statistics, const MatrixXd &inputs) {
  VectorXd weights = VectorXd::Zero(statistics.mean.size());
  double rows = 0;
  for (const MatrixXd &matrix : matrices) {
    weights += matrix.cwiseAbs().colwise().sum().transpose();
    rows += double(matrix.rows());
  }
  weights /= rows;
  constexpr int steps = 20;
  std::vector<VectorXd> candidates = {VectorXd::Ones(weights.size())};
  for (int step = 0; step <= steps; ++step) {
    double r = double(step) / steps;
    candidates.push_back(normalize((statistics.mean.array().pow(r) / weights.array().pow(1 - r)).matrix()));
  }
  std::vector<double> errors(candidates.size());
  tbb::parallel_for(size_t(0), candidates.size(), [&](size_t i) {
    for (size_t j = 0; j < matrices.size(); ++j)
      errors[i] += measure(formats[j], matrices[j], candidates[i], inputs);
  });
  return candidates[std::ranges::min_element(errors) - errors.begin()];
}

void nstf::quantize::scaleInputs(const VectorXd &scales, MatrixXd &inputs) {
  for (int64_t column = 0; column < inputs.cols(); ++column)
    inputs.col(column).array() /= scales.array() * scales[column];
}

bool nstf::quantize::helpGptq(const VectorXd &scales, const std::vector<Format> &formats,
                              const std::vector<MatrixXd> &matrices, const std::function<MatrixXd()> &readInputs) {
  auto measure = [&](const VectorXd &scales) {
    MatrixXd inputs = readInputs();
    scaleInputs(scales, inputs);
    Gptq gptq(std::move(inputs));
    double sum = 0;
    for (size_t i = 0; i < matrices.size(); ++i) {
      MatrixXd error = matrices[i] * scales.asDiagonal();
      std::vector<CodedRow> coded = gptq.round(formats[i], error, Clipping::SquaredError);
      for (int64_t row = 0; row < error.rows(); ++row) {
        std::vector<double> numbers = decodeRow(formats[i], coded[row]);
        error.row(row) -= VectorXd::Map(numbers.data(), error.cols()).transpose();
      }
      sum += gptq.getProducts(error, error).sum();
    }
    return sum;
  };
  // A gain of a few per cent in one layer's outputs says little about the model's, so at least 10 % are required.
  return measure(scales) < 0.9 * measure(VectorXd::Ones(scales.size()));
}

VectorXd nstf::quantize::smoothScales(const std::vector<MatrixXd> &matrices, const InputStatistics &statistics) {
  VectorXd weights = VectorXd::Zero(statistics.largest.size());
  for (const MatrixXd &matrix : matrices)
    weights = weights.cwiseMax(matrix.cwiseAbs().colwise().maxCoeff().transpose());
  return normalize((statistics.largest.array() / weights.array()).sqrt().matrix());
}
