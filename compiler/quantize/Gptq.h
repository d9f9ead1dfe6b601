// Rounds matrices to codes that compensate each other's rounding errors (GPTQ, arXiv 2210.17323).
//
// Columns are rounded one after another, those of the largest inputs first ("act-order"). The columns not yet rounded
// compensate the error that rounding a column makes in the outputs. Scales and zeros are chosen beforehand, from the
// unrounded numbers ("static groups"), so the format does not depend on the order.
//
// With H = Σ x·xᵀ = L·Lᵀ and columns rounded from the last to the first, column p is rounded from
// w_p + Σ_{i>p} (w_i - ŵ_i)·L_ip / L_pp. These are the published steps on the Cholesky factor of H⁻¹, without an
// inverse.
#pragma once

#include "compiler/quantize/Round.h"

#include <Eigen/Core>

namespace nstf::quantize {

class Gptq {
public:
  /// `inputs` is the inputs' H; only the lower triangle is used, and H is factored in place. `damping` times the mean
  /// of the diagonal is added to the diagonal. The weights of a column without any input don't matter and become 0.
  /// Throws std::runtime_error if H has a number that is not finite or, damped, is not positive definite.
  explicit Gptq(Eigen::MatrixXd inputs, double damping = 0.01);

  /// Rounds all or some rows of a matrix, independently, to grids of their own or to the `shared` ones.
  std::vector<CodedRow> round(const Format &format, Eigen::Ref<const Eigen::MatrixXd> rows, Clipping clipping,
                              std::span<const Grid> shared = {}) const;

  /// a·H·bᵀ of each row, without the damping.
  Eigen::VectorXd getProducts(Eigen::Ref<const Eigen::MatrixXd> a, Eigen::Ref<const Eigen::MatrixXd> b) const;

private:
  Eigen::MatrixXd reorder(Eigen::Ref<const Eigen::MatrixXd> rows) const;

  std::vector<int> order; ///< of the columns; the last one is rounded first
  std::vector<bool> unused;
  double added;           ///< to the diagonal
  Eigen::MatrixXd factor; ///< L, with columns in this order
};

} // namespace nstf::quantize
