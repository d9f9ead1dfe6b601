// From logits to the next token. The steps, in this order; those left at their defaults change nothing:
//
//   1. logit bias           is added to the logits of the tokens named; -inf masks one
//   2. repetition penalty   for every token of the prompt and of the text so far: a logit above 0 is divided by it, one
//                           below is multiplied (Keskar et al., 2019)
//   3. frequency penalty    is subtracted as often as the token stands in the text so far, the prompt not counted
//      presence penalty     is subtracted once, if it stands there at all (OpenAI's definition of both)
//   4. temperature          0: the largest logit, the first of equals, is the token. Otherwise p = softmax(logits / T)
//   5. top-k                only the K most likely tokens are kept, of equals the first
//   6. top-p                of these the fewest whose probabilities sum to P or more (Holtzman et al., 2019)
//   7. min-p                of these those whose probability is at least P times the largest (Nguyen et al., 2024)
//   8. the draw             one of the tokens kept, by its share of their probabilities
//
// Steps 1, 2 and 4 to 7 are those of Hugging Face's transformers, in its order; 3 stands where vLLM has it. Random
// numbers are splitmix64 of the seed: the same seed gives the same text on every host.
#pragma once

#include "nstf/Logits.h"
#include "nstf/Manifest.h"

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace nstf::runtime {

struct SamplerOptions {
  float temperature = 0.0f; ///< 0: greedy
  float topP = 1.0f;        ///< (0, 1]; 1: every token can be drawn
  uint64_t seed = 0;
  int64_t topK = 0;  ///< 0: every token can be drawn
  double minP = 0.0; ///< [0, 1]; 0: every token can be drawn
  double repetitionPenalty = 1.0;
  double frequencyPenalty = 0.0, presencePenalty = 0.0;
  std::map<int32_t, double> logitBias; ///< by token
};

/// As the model's makers sample, the way transformers' generate takes their file: greedy unless it says do_sample;
/// where it does, temperature 1 and top-k 50 unless it says otherwise. The repetition penalty holds either way.
SamplerOptions makeSamplerOptions(const manifest::Sampling &sampling);

/// A token that can be drawn.
struct TokenProbability {
  int32_t id;
  double probability;
};

class Sampler {
public:
  /// Throws std::runtime_error on an option outside its range.
  explicit Sampler(const SamplerOptions &options);
  bool greedy() const { return options.temperature == 0.0f; }
  /// The token is the largest logit as the model gives it, so that whoever finds that one need not ask.
  bool takesLargest() const { return greedy() && !changesLogits; }

  /// Starts a text with this prompt; without a call there is none. Random numbers go on.
  void begin(std::span<const int32_t> prompt);
  /// The next token, which belongs to the text from now on. Throws std::runtime_error where checkLogits does, where a
  /// token with a bias is none, and where the biases mask every token.
  int32_t sample(std::span<const float> logits);
  /// What `sample` would draw from, the probabilities adding up to 1: after step 7, or one token where it is greedy.
  std::vector<TokenProbability> distribution(std::span<const float> logits);

private:
  struct Seen {
    bool inPrompt = false;
    uint64_t count = 0; // in the text after the prompt
  };
  /// Steps 1 to 3, in `scores`.
  void adjust(std::span<const float> logits);
  /// Steps 4 to 7, from `scores` to `candidates`; returns the sum of their weights.
  double choose();
  /// Uniform in [0, 1), 53 bits.
  double random();

  SamplerOptions options;
  bool changesLogits;
  uint64_t state;
  std::map<int32_t, Seen> seen;
  std::vector<double> scores;                         // logits after step 3
  std::vector<std::pair<double, int32_t>> candidates; // probability × sum, token
};

} // namespace nstf::runtime
