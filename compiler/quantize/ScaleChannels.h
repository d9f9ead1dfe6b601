// Input channels scaled before rounding, so that those matter less that are rounded coarsely: W·diag(s), with 1/s
// folded into whatever makes the inputs.
#pragma once

#include "compiler/quantize/Round.h"

#include <Eigen/Core>

#include <functional>

namespace nstf::quantize {

/// What is known of the inputs of products that read the same ones, by channel.
struct InputStatistics {
  Eigen::VectorXd largest, mean; ///< of |x|
  Eigen::VectorXd meanSquare;
};

/// The squared error that rounding makes in the outputs, Σ_t |(W - Ŵ)·x_t|²: of Σ x·xᵀ, of which the lower triangle
/// counts, or of its diagonal as a column.
double getOutputError(const Eigen::MatrixXd &error, const Eigen::MatrixXd &inputs);

/// AWQ (arXiv 2306.00978): s = mean|x|^r / mean|w|^(1-r), for the one of 21 r from 0 to 1, or none, that gives the
/// smallest error of the outputs when weights are rounded to nearest. `matrices` read the same inputs. A column of ones
/// where scaling doesn't help.
Eigen::VectorXd searchScales(const std::vector<Format> &formats, const std::vector<Eigen::MatrixXd> &matrices,
                             const InputStatistics &statistics, const Eigen::MatrixXd &inputs);

/// Σ x·xᵀ of inputs that were divided by the scales.
void scaleInputs(const Eigen::VectorXd &scales, Eigen::MatrixXd &inputs);

/// Whether rounding with GPTQ, which makes up for much of what scales are for, still gains clearly by them: by the
/// error of the outputs, of these matrices. `readInputs` gives Σ x·xᵀ; no more than one is in memory.
bool helpGptq(const Eigen::VectorXd &scales, const std::vector<Format> &formats,
              const std::vector<Eigen::MatrixXd> &matrices, const std::function<Eigen::MatrixXd()> &readInputs);

/// SmoothQuant (arXiv 2211.10438): s = (max|x| / max|w|)^½, for products of rounded inputs.
Eigen::VectorXd smoothScales(const std::vector<Eigen::MatrixXd> &matrices, const InputStatistics &statistics);

} // namespace nstf::quantize
