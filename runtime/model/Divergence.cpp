#include "nstf/Divergence.h"

#include <algorithm>
#include <cmath>

using namespace nstf::runtime;

static double logSum(std::span<const double> logits) {
  double largest = *std::ranges::max_element(logits), sum = 0;
  for (double logit : logits)
    sum += std::exp(logit - largest);
  return largest + std::log(sum);
}

void DivergenceSum::add(std::span<const double> logits, std::span<const double> compared, std::optional<int32_t> next) {
  double sum = logSum(logits), comparedSum = logSum(compared), kl = 0;
  for (size_t i = 0; i < logits.size(); ++i)
    if (double p = std::exp(logits[i] - sum); p > 0)
      kl += p * ((logits[i] - sum) - (compared[i] - comparedSum));
  all.push_back(std::max(0.0, kl));
  sameTop += std::ranges::max_element(logits) - logits.begin() == std::ranges::max_element(compared) - compared.begin();
  if (!next)
    return;
  likelihood -= logits[*next] - sum;
  comparedLikelihood -= compared[*next] - comparedSum;
  ++predicted;
}

Divergence DivergenceSum::get() const {
  std::vector<double> sorted = all;
  std::ranges::sort(sorted);
  double count = double(all.size()), kl = 0;
  for (double number : all)
    kl += number / count;
  return {all.size(),
          predicted,
          kl,
          sorted[std::min(sorted.size() - 1, sorted.size() * 99 / 100)],
          sorted.back(),
          double(sameTop) / count,
          std::exp(likelihood / double(predicted)),
          std::exp(comparedLikelihood / double(predicted))};
}
