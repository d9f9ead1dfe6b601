#include "compiler/calibrate/Divergence.h"

#include <algorithm>
#include <cmath>

using namespace nstf::calibrate;

/// Logarithms of the probabilities.
static Eigen::RowVectorXd normalize(Eigen::RowVectorXd logits) {
  double largest = logits.maxCoeff();
  return logits.array() - (largest + std::log((logits.array() - largest).exp().sum()));
}

Divergence nstf::calibrate::compareLogits(const Texts &texts, const std::vector<Tensor> &logits,
                                          const std::vector<Tensor> &compared) {
  Divergence result;
  std::vector<double> all;
  double likelihood = 0, comparedLikelihood = 0;
  size_t sameTop = 0;
  for (size_t text = 0; text < texts.size(); ++text)
    for (size_t row = 0; row < texts[text].size(); ++row) {
      Eigen::RowVectorXd p = normalize(logits[text].values.row(row)), q = normalize(compared[text].values.row(row));
      all.push_back(std::max(0.0, (p.array().exp() * (p - q).array()).sum()));
      Eigen::Index top, comparedTop;
      p.maxCoeff(&top);
      q.maxCoeff(&comparedTop);
      sameTop += top == comparedTop;
      if (row + 1 == texts[text].size())
        continue;
      likelihood -= p[texts[text][row + 1]];
      comparedLikelihood -= q[texts[text][row + 1]];
      ++result.predicted;
    }
  result.positions = all.size();
  for (double kl : all)
    result.kl += kl / double(all.size());
  std::ranges::sort(all);
  result.kl99 = all[std::min(all.size() - 1, all.size() * 99 / 100)];
  result.largestKl = all.back();
  result.sameTop = double(sameTop) / double(all.size());
  result.perplexity = std::exp(likelihood / double(result.predicted));
  result.comparedPerplexity = std::exp(comparedLikelihood / double(result.predicted));
  return result;
}
