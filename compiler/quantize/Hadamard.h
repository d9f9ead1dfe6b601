// An orthogonal matrix that spreads each channel over all others, so that none stands out.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace nstf::quantize {

/// Q = S·(H ⊗ O) / norm: random signs, a Hadamard matrix of the power of two in the size, and a random orthogonal one
/// of the odd rest. Always the same one of a size.
class OrthogonalMatrix {
public:
  explicit OrthogonalMatrix(int64_t size);

  /// A row becomes row·Q, or row·Qᵀ. Precondition: it has the matrix's size.
  void multiply(std::span<double> row) const;
  void multiplyTransposed(std::span<double> row) const;

private:
  void multiplyHadamard(std::span<double> row) const;
  void multiplyOdd(std::span<double> row, bool isTransposed) const;

  int64_t power, odd; ///< of whose product the size is
  std::vector<double> signs, rest;
};

} // namespace nstf::quantize
