#include "compiler/quantize/Hadamard.h"

#include <Eigen/QR>
#include <cmath>
#include <random>

using namespace nstf::quantize;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// The distributions of std differ between libraries; its engines don't.
static double drawNumber(std::mt19937_64 &engine) { return double(int64_t(engine())) * 0x1p-63; }

OrthogonalMatrix::OrthogonalMatrix(int64_t size) : power(size & -size), odd(size / power), signs(size) {
  std::mt19937_64 engine{uint64_t(size)};
  for (double &sign : signs)
    sign = engine() >> 63 ? -1 : 1;
  Eigen::MatrixXd numbers(odd, odd);
  for (double &number : numbers.reshaped())
    number = drawNumber(engine);
  const Matrix orthogonal = Eigen::HouseholderQR<Eigen::MatrixXd>(numbers).householderQ();
  rest.assign(orthogonal.data(), orthogonal.data() + orthogonal.size());
}

void OrthogonalMatrix::multiplyHadamard(std::span<double> row) const {
  for (int64_t half = 1; half < power; half *= 2)
    for (int64_t first = 0; first < power; first += 2 * half)
      for (int64_t i = first * odd; i < (first + half) * odd; ++i) {
        double a = row[i], b = row[i + half * odd];
        row[i] = a + b;
        row[i + half * odd] = a - b;
      }
  double norm = 1 / std::sqrt(double(power));
  for (double &number : row)
    number *= norm;
}

void OrthogonalMatrix::multiplyOdd(std::span<double> row, bool isTransposed) const {
  if (odd == 1)
    return;
  Eigen::Map<const Matrix> matrix(rest.data(), odd, odd);
  Eigen::Map<Matrix> parts(row.data(), power, odd);
  parts = isTransposed ? Matrix(parts * matrix.transpose()) : Matrix(parts * matrix);
}

void OrthogonalMatrix::multiply(std::span<double> row) const {
  for (size_t i = 0; i < row.size(); ++i)
    row[i] *= signs[i];
  multiplyHadamard(row);
  multiplyOdd(row, /*isTransposed=*/false);
}

void OrthogonalMatrix::multiplyTransposed(std::span<double> row) const {
  multiplyOdd(row, /*isTransposed=*/true);
  multiplyHadamard(row);
  for (size_t i = 0; i < row.size(); ++i)
    row[i] *= signs[i];
}
