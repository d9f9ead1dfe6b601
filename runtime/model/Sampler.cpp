#include "nstf/Sampler.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace nstf::runtime {

std::int32_t argmax(std::span<const float> logits) {
  if (logits.empty())
    throw std::runtime_error("expected logits but there are none");
  std::size_t best = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (std::isnan(logits[i]))
      throw std::runtime_error("expected logits to be numbers but the one of token " + std::to_string(i) + " is NaN");
    if (logits[i] > logits[best])
      best = i;
  }
  return static_cast<std::int32_t>(best);
}

Sampler::Sampler(const SamplerOptions &options) : options(options), state(options.seed) {
  if (!(options.temperature >= 0.0f) || !std::isfinite(options.temperature))
    throw std::runtime_error("expected a temperature of 0 or more but got " + std::to_string(options.temperature));
  if (!(options.topP > 0.0f && options.topP <= 1.0f))
    throw std::runtime_error("expected top-p in (0, 1] but got " + std::to_string(options.topP));
}

double Sampler::random() {
  std::uint64_t x = state += 0x9e3779b97f4a7c15u; // splitmix64 (Steele, Lea, Flood, 2014)
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  x ^= x >> 31;
  return static_cast<double>(x >> 11) * 0x1p-53;
}

std::int32_t Sampler::sample(std::span<const float> logits) {
  std::int32_t best = argmax(logits);
  if (greedy())
    return best;
  if (!std::isfinite(logits[best]))
    throw std::runtime_error("expected a finite largest logit but got " + std::to_string(logits[best]));
  // Softmax without the division: exp of what is at most 0 cannot overflow, and the largest term is 1.
  candidates.clear();
  double sum = 0.0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    double weight = std::exp((double(logits[i]) - double(logits[best])) / options.temperature);
    candidates.emplace_back(weight, static_cast<std::int32_t>(i));
    sum += weight;
  }
  if (options.topP < 1.0f) {
    std::sort(candidates.begin(), candidates.end(), [](const auto &a, const auto &b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second; // ties by index, so that order is defined
    });
    double kept = 0.0, enough = sum * double(options.topP);
    std::size_t count = 0;
    while (count < candidates.size() && (count == 0 || kept < enough))
      kept += candidates[count++].first;
    candidates.resize(count);
    sum = kept;
  }
  double point = random() * sum;
  for (const auto &[weight, token] : candidates) {
    if (point < weight)
      return token;
    point -= weight;
  }
  // Rounding can leave a remainder; the last token that can be drawn takes it.
  auto last = std::find_if(candidates.rbegin(), candidates.rend(), [](const auto &c) { return c.first > 0.0; });
  return last->second;
}

} // namespace nstf::runtime
