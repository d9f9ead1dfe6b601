#include "nstf/Logits.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

namespace nstf::runtime {

constexpr float infinity = std::numeric_limits<float>::infinity();

void checkLogits(std::span<const float> logits) {
  if (logits.empty())
    throw LogitsError("expected logits but there are none");
  // One pass without branches; the index matters only if there is an error.
  bool allBelowInfinity = true, anyFinite = false;
  for (float logit : logits) {
    allBelowInfinity &= logit < infinity; // false for NaN
    anyFinite |= logit > -infinity;
  }
  if (!allBelowInfinity) {
    auto bad = std::find_if(logits.begin(), logits.end(), [](float logit) { return !(logit < infinity); });
    throw LogitsError("expected logits to be finite or -inf but the one of token " +
                      std::to_string(bad - logits.begin()) + " is " + (std::isnan(*bad) ? "NaN" : "+inf"));
  }
  if (!anyFinite)
    throw LogitsError("expected a finite logit but all " + std::to_string(logits.size()) + " are -inf");
}

int32_t argmax(std::span<const float> logits) {
  checkLogits(logits);
  return static_cast<int32_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

double logSumExp(std::span<const float> logits) {
  double max = *std::max_element(logits.begin(), logits.end()), sum = 0.0;
  for (float logit : logits)
    sum += std::exp(double(logit) - max); // the exponent is at most 0: no overflow, and the largest term is 1
  return max + std::log(sum);
}

std::vector<TokenLogprob> likeliest(std::span<const float> logits, std::size_t count) {
  std::vector<int32_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  count = std::min(count, order.size());
  std::partial_sort(order.begin(), order.begin() + count, order.end(),
                    [&](int32_t a, int32_t b) { return logits[a] != logits[b] ? logits[a] > logits[b] : a < b; });
  double sum = count ? logSumExp(logits) : 0.0;
  std::vector<TokenLogprob> result;
  for (std::size_t i = 0; i < count; ++i)
    result.push_back({order[i], double(logits[order[i]]) - sum});
  return result;
}

} // namespace nstf::runtime
