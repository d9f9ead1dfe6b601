// Codes that make up for one another's rounding (GPTQ, arXiv 2210.17323).
//
// Columns are rounded one after the other, those of the largest inputs first ("act-order"), and what rounding a column
// did to the outputs is taken back by the columns not yet rounded. Scales and zeros are chosen beforehand, from the
// numbers as they are ("static groups"), so that the order leaves no trace in the format.
//
// With H = Σ x·xᵀ = L·Lᵀ and columns rounded from the last to the first, column p is to be rounded from
// w_p + Σ_{i>p} (w_i - ŵ_i)·L_ip / L_pp: the published steps on the Cholesky factor of H⁻¹, without an inverse.
#pragma once

#include "compiler/quantize/Round.h"

#include <Eigen/Core>

namespace nstf::quantize {

class Gptq {
public:
  /// Of the inputs' H, of which the lower triangle counts; it is factored in place. To its diagonal `damping` times the
  /// diagonal's mean is added. A column without any input is one whose weights don't matter: they become 0. Throws
  /// std::runtime_error where H has a number that is not finite or, damped, is not positive definite.
  explicit Gptq(Eigen::MatrixXd inputs, double damping = 0.01);

  /// Rows of a matrix, all of it or any part: each is rounded by itself, to grids of its own or to the `shared` ones.
  std::vector<CodedRow> round(const Format &format, Eigen::Ref<const Eigen::MatrixXd> rows, Clipping clipping,
                              std::span<const Grid> shared = {}) const;

  /// a·H·bᵀ of each row, without the damping.
  Eigen::VectorXd getProducts(Eigen::Ref<const Eigen::MatrixXd> a, Eigen::Ref<const Eigen::MatrixXd> b) const;

private:
  Eigen::MatrixXd reorder(Eigen::Ref<const Eigen::MatrixXd> rows) const;

  std::vector<int> order; ///< the columns, the one rounded first last
  std::vector<bool> unused;
  double added;           ///< to the diagonal
  Eigen::MatrixXd factor; ///< L, of columns in this order
};

} // namespace nstf::quantize
