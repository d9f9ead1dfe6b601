// How far a model's predictions are from another's.
#pragma once

#include "compiler/calibrate/TextRunner.h"

namespace nstf::calibrate {

struct Divergence {
  size_t positions = 0, predicted = 0;
  double kl = 0, kl99 = 0, largestKl = 0;        ///< mean, 99th percentile and largest over positions, in nats
  double sameTop = 0;                            ///< positions with the same likeliest token
  double perplexity = 0, comparedPerplexity = 0; ///< of the model, and of the one that is compared with it
};

/// `compared` beside `logits`, which have a row for each token of the texts.
Divergence compareLogits(const Texts &texts, const std::vector<Tensor> &logits, const std::vector<Tensor> &compared);

} // namespace nstf::calibrate
