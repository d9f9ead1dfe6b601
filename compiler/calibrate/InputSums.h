// Sums over the tokens of a value that linears read, in a fixed order whatever the threads.
#pragma once

#include "compiler/reference/Tensor.h"

namespace nstf::calibrate {

class InputSums {
public:
  InputSums(int64_t columns, bool diagonal);

  void add(const reference::Matrix &x);
  /// Precondition: every x was added.
  void addProducts(const reference::Matrix &x);

  int64_t tokens = 0;
  Eigen::VectorXd largest, mean, square;
  Eigen::MatrixXd sums; ///< the lower triangle, or the diagonal as a column
};

/// A histogram of the numbers' exponents, from 2^-32 on.
class ExponentCounts {
public:
  static constexpr int size = 64, first = -32;

  void add(const reference::Matrix &x);

  std::vector<int64_t> counts = std::vector<int64_t>(size);
};

} // namespace nstf::calibrate
