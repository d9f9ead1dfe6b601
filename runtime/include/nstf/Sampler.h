// From logits to the next token, in these steps; a step with default options changes nothing:
//
//   1. logit bias           is added to the logits of the named tokens; -inf masks a token
//   2. repetition penalty   for every token of the prompt and of the text so far: a logit above 0 is divided by it, one
//                           below is multiplied (Keskar et al., 2019)
//   3. frequency penalty    is subtracted once for each occurrence of the token in the text so far, without the prompt
//      presence penalty     is subtracted once if the token occurs there at all (OpenAI's definition of both)
//   4. temperature          0: the token is the largest logit, the first of equals. Otherwise p = softmax(logits / T)
//   5. top-k                keeps only the K most likely tokens, of equals the first
//   6. top-p                keeps of these the fewest whose probabilities sum to P or more (Holtzman et al., 2019)
//   7. min-p                keeps of these those whose probability is at least P times the largest (Nguyen et al.,
//   2024)
//   8. the draw             selects one of the tokens kept, in proportion to their probabilities
//
// Steps 1, 2 and 4 to 7 are those of Hugging Face's transformers, in its order; step 3 is at the same place as in vLLM.
// Random numbers are splitmix64 of the seed: the same seed gives the same text on every host.
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

/// The options that the model's authors recommend, read as transformers' generate reads their file: greedy unless
/// do_sample is set; with it, the default temperature is 1 and the default top-k is 50. The repetition penalty applies
/// either way.
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
  /// Whether the token is the largest of the model's logits. A caller that has found it need not call `sample`.
  bool takesLargest() const { return greedy() && !changesLogits; }

  /// Starts a text with this prompt; without a call the prompt is empty. The sequence of random numbers continues.
  void begin(std::span<const int32_t> prompt);
  /// Chooses the next token and appends it to the text. Throws std::runtime_error where checkLogits does, when a token
  /// with a bias is outside the vocabulary, and when the biases mask every token.
  int32_t sample(std::span<const float> logits);
  /// The distribution from which `sample` would draw, with a sum of 1: the one after step 7, or one token when greedy.
  std::vector<TokenProbability> distribution(std::span<const float> logits);

private:
  struct Seen {
    bool inPrompt = false;
    uint64_t count = 0; // occurrences in the text after the prompt
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
