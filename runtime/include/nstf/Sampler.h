//===- Sampler.h - From logits to the next token ------------------------------------===//
//
// Greedy: the largest logit, the first of equals. Otherwise p = softmax(logits / temperature); with topP < 1 only the
// most likely tokens are kept, the fewest whose probabilities sum to topP or more (nucleus sampling, Holtzman et al.,
// 2019); then one is drawn. Random numbers are splitmix64 of the seed: the same seed gives the same text on every host.
//
//===----------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace nstf::runtime {

struct SamplerOptions {
  float temperature = 0.0f; ///< 0: greedy
  float topP = 1.0f;        ///< (0, 1]; 1: every token can be drawn
  std::uint64_t seed = 0;
};

/// Index of the largest value, the first of equals. Throws std::runtime_error on NaN and on an empty span.
std::int32_t argmax(std::span<const float> logits);

class Sampler {
public:
  /// Throws std::runtime_error on a temperature below 0 or not finite, and on a topP outside (0, 1].
  explicit Sampler(const SamplerOptions &options);
  bool greedy() const { return options.temperature == 0.0f; }
  /// The next token. Throws std::runtime_error when a logit is NaN, or none is finite.
  std::int32_t sample(std::span<const float> logits);

private:
  /// Uniform in [0, 1), 53 bits.
  double random();

  SamplerOptions options;
  std::uint64_t state;
  std::vector<std::pair<double, std::int32_t>> candidates; // probability × sum, token
};

} // namespace nstf::runtime
