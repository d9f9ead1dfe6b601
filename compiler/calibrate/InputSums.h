// Sums over the tokens of a value that linears read. Their order does not depend on the number of threads.
#pragma once

#include "compiler/reference/Tensor.h"

namespace nstf::calibrate {

class InputSums {
public:
  InputSums(int64_t columns, bool diagonal);

  void add(const reference::Matrix &x);
  /// Precondition: `add` was called with every x.
  void addProducts(const reference::Matrix &x);

  int64_t tokens = 0;
  Eigen::VectorXd largest, mean, square;
  Eigen::MatrixXd sums; ///< the lower triangle, or the diagonal as a column
};

/// A histogram of the numbers' exponents, beginning with 2^-32.
class ExponentCounts {
public:
  static constexpr int size = 64, first = -32;

  void add(const reference::Matrix &x);

  std::vector<int64_t> counts = std::vector<int64_t>(size);
};

} // namespace nstf::calibrate
