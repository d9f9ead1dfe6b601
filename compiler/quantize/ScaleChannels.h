// Scales input channels before rounding, so that coarsely rounded channels matter less: W·diag(s), with 1/s folded into
// the producer of the inputs.
#pragma once

#include "compiler/quantize/Round.h"

#include <Eigen/Core>

#include <functional>

namespace nstf::quantize {

/// Statistics, by channel, of inputs that several products share.
struct InputStatistics {
  Eigen::VectorXd largest, mean; ///< of |x|
  Eigen::VectorXd meanSquare;
};

/// The squared error that rounding makes in the outputs, Σ_t |(W - Ŵ)·x_t|². `inputs` is Σ x·xᵀ, of which only the
/// lower triangle is used, or its diagonal as a column.
double getOutputError(const Eigen::MatrixXd &error, const Eigen::MatrixXd &inputs);

/// AWQ (arXiv 2306.00978): s = mean|x|^r / mean|w|^(1-r). Of 21 values of r from 0 to 1, and no scaling, returns the
/// one with the smallest error of the outputs when weights are rounded to nearest. `matrices` read the same inputs.
/// Returns a column of ones if scaling doesn't help.
Eigen::VectorXd searchScales(const std::vector<Format> &formats, const std::vector<Eigen::MatrixXd> &matrices,
                             const InputStatistics &statistics, const Eigen::MatrixXd &inputs);

/// Adapts Σ x·xᵀ to inputs that are divided by the scales.
void scaleInputs(const Eigen::VectorXd &scales, Eigen::MatrixXd &inputs);

/// Whether scales still clearly reduce the error of these matrices' outputs when GPTQ, which compensates much of the
/// same error, does the rounding. `readInputs` returns Σ x·xᵀ; only one is in memory at a time.
bool helpGptq(const Eigen::VectorXd &scales, const std::vector<Format> &formats,
              const std::vector<Eigen::MatrixXd> &matrices, const std::function<Eigen::MatrixXd()> &readInputs);

/// SmoothQuant (arXiv 2211.10438): s = (max|x| / max|w|)^½, for products of rounded inputs.
Eigen::VectorXd smoothScales(const std::vector<Eigen::MatrixXd> &matrices, const InputStatistics &statistics);

} // namespace nstf::quantize
