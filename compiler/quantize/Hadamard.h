// An orthogonal matrix that spreads each channel over all others, so that no channel has outliers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace nstf::quantize {

/// Q = S·(H ⊗ O) / norm: random signs S, a Hadamard matrix H whose size is the largest power of two that divides the
/// size, and a random orthogonal matrix O of the odd rest. The same size always gives the same matrix.
class OrthogonalMatrix {
public:
  explicit OrthogonalMatrix(int64_t size);

  /// Multiply a row by Q, or by Qᵀ. Precondition: the row has the matrix's size.
  void multiply(std::span<double> row) const;
  void multiplyTransposed(std::span<double> row) const;

private:
  void multiplyHadamard(std::span<double> row) const;
  void multiplyOdd(std::span<double> row, bool isTransposed) const;

  int64_t power, odd; ///< factors of the size
  std::vector<double> signs, rest;
};

} // namespace nstf::quantize
