// How far the predictions of two models differ: at each position the divergence KL = Σ p·ln(p/q) in nats, and
// statistics of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace nstf::runtime {

struct Divergence {
  std::size_t positions = 0, predicted = 0;
  double kl = 0, kl99 = 0, largestKl = 0;        ///< mean, 99th percentile and largest over positions
  double sameTop = 0;                            ///< share of positions with the same likeliest token
  double perplexity = 0, comparedPerplexity = 0; ///< of the model, and of the one compared with it
};

/// Adds up position after position; sums are in float64.
class DivergenceSum {
public:
  /// Logits of the model and of the compared one, and the next token of the text, if there is one. -inf is a masked
  /// token. Precondition: both have the same size and at least one finite logit.
  void add(std::span<const double> logits, std::span<const double> compared, std::optional<int32_t> next);
  /// Precondition: at least one position was added.
  Divergence get() const;

private:
  std::vector<double> all;
  std::size_t sameTop = 0, predicted = 0;
  double likelihood = 0, comparedLikelihood = 0; ///< sums of negative logarithms
};

} // namespace nstf::runtime
