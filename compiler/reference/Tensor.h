// Values of the reference.
//
// Every number is a float64, including ids (exact up to 2⁵³), in a row-major Eigen matrix.
#pragma once

#include <Eigen/Core>

#include <cstdint>
#include <vector>

namespace nstf::reference {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A tensor of rank 1 is one row; a tensor of rank 2 or more has `shape[0]` rows.
struct Tensor {
  std::vector<int64_t> shape;
  Matrix values;

  Tensor() = default;
  /// A tensor of zeros.
  explicit Tensor(std::vector<int64_t> shape);
  /// Copies row-major numbers. Precondition: their number equals the shape's number of elements.
  template <typename Number>
  Tensor(std::vector<int64_t> shape, const std::vector<Number> &numbers) : Tensor(std::move(shape)) {
    for (size_t i = 0; i < numbers.size(); ++i)
      values.data()[i] = static_cast<double>(numbers[i]);
  }

  int64_t size() const { return values.size(); }
  const double *data() const { return values.data(); }
  double *data() { return values.data(); }
};

inline Tensor::Tensor(std::vector<int64_t> extents) : shape(std::move(extents)) {
  int64_t rows = shape.size() < 2 ? 1 : shape[0], columns = 1;
  for (size_t i = shape.size() < 2 ? 0 : 1; i < shape.size(); ++i)
    columns *= shape[i];
  values = Matrix::Zero(rows, columns);
}

} // namespace nstf::reference
