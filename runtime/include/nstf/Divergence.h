// How far a model's predictions are from another's: KL = Σ p·ln(p/q) in nats, of each position, and what goes with it.
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
  double perplexity = 0, comparedPerplexity = 0; ///< of the model, and of the one that is compared with it
};

/// Position after position; sums are in float64.
class DivergenceSum {
public:
  /// Logits of the model and of the compared one, and the token that came next, where one did. -inf is a masked token.
  /// Precondition: of one size, and each has a number.
  void add(std::span<const double> logits, std::span<const double> compared, std::optional<int32_t> next);
  /// Precondition: one position or more.
  Divergence get() const;

private:
  std::vector<double> all;
  std::size_t sameTop = 0, predicted = 0;
  double likelihood = 0, comparedLikelihood = 0; ///< negative logarithms
};

} // namespace nstf::runtime
