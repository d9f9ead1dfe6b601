#include "compiler/calibrate/InputSums.h"

#include <algorithm>
#include <cmath>
#include <tbb/parallel_for.h>

using namespace nstf::calibrate;
using Eigen::MatrixXd;
using Eigen::VectorXd;

InputSums::InputSums(int64_t columns, bool diagonal)
    : largest(VectorXd::Zero(columns)), mean(VectorXd::Zero(columns)), square(VectorXd::Zero(columns)),
      sums(MatrixXd::Zero(columns, diagonal ? 1 : columns)) {}

void InputSums::add(const reference::Matrix &x) {
  tokens += x.rows();
  largest = largest.cwiseMax(x.cwiseAbs().colwise().maxCoeff().transpose());
  mean += x.cwiseAbs().colwise().sum().transpose();
  square += x.array().square().colwise().sum().matrix().transpose();
}

void InputSums::addProducts(const reference::Matrix &x) {
  VectorXd inverse = (square.array() > 0).select(double(tokens) / square.array(), 0).sqrt();
  MatrixXd scaled = x;
  for (auto row : scaled.rowwise())
    if (double norm = row.cwiseProduct(inverse.transpose()).norm(); norm > 0)
      row /= norm;
  if (sums.cols() == 1) {
    sums += scaled.array().square().colwise().sum().matrix().transpose();
    return;
  }
  constexpr int64_t width = 128;
  tbb::parallel_for(int64_t(0), (x.cols() + width - 1) / width, [&](int64_t i) {
    int64_t begin = i * width, end = std::min<int64_t>(x.cols(), begin + width);
    sums.block(begin, 0, end - begin, end).noalias() +=
        scaled.middleCols(begin, end - begin).transpose() * scaled.leftCols(end);
  });
}

void ExponentCounts::add(const reference::Matrix &x) {
  for (double number : x.reshaped())
    ++counts[std::clamp(number == 0 ? 0 : std::ilogb(number) - first, 0, size - 1)];
}
