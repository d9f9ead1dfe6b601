// How well a language model predicts a text: exp of the mean negative logarithm of the probability of each token, given
// the tokens before it.
//
// A text longer than the model's context is cut into windows, as in transformers' documentation ("Perplexity of
// fixed-length models"). A window begins `stride` tokens after the previous one and is at most `window` long. It
// predicts those of its tokens that no earlier window predicted; its other tokens are context. The first token of the
// text has nothing before it and is not predicted; neither is the first token of a window that shares no token with the
// previous one. All predicted tokens have equal weight. (The loop in that documentation gives a window that has context
// the weight of one token less than it predicts.)
#pragma once

#include "nstf/Session.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace nstf::runtime {

struct PerplexityOptions {
  int64_t window = 0; ///< maximum number of tokens that the model sees, 2 or more; 0: its context
  int64_t stride = 0; ///< 1 … window; 0: half the window
  int64_t from = 1;   ///< tokens before this index are context only
  /// Called before a token is predicted, with the logits that predict it and the token.
  std::function<void(std::span<const float> logits, int32_t token)> onLogits;
  /// Called after each predicted token with the number predicted so far and in all.
  std::function<void(size_t done, size_t all)> onToken;
};

struct Perplexity {
  size_t tokens = 0;    ///< of the texts
  size_t predicted = 0; ///< of these; the others were context only
  size_t windows = 0, steps = 0;
  double negativeLogLikelihood = 0; ///< the sum over predicted tokens, natural logarithm
  double seconds = 0;

  double mean() const { return negativeLogLikelihood / double(predicted); }
  double value() const { return std::exp(mean()); }
  /// Adds the numbers of another text.
  Perplexity &operator+=(const Perplexity &other);
};

/// Tokens `begin` … `end`-1 of a text; those from `firstTarget` on are predicted.
struct PerplexityWindow {
  int64_t begin, end, firstTarget;
  bool operator==(const PerplexityWindow &) const = default;
};

/// The windows of a text of `tokens` tokens that predict tokens from index `from` on. Throws std::runtime_error when
/// the window or the stride is outside its range, and when no such token can be predicted.
std::vector<PerplexityWindow> planWindows(int64_t tokens, int64_t window, int64_t stride, int64_t from = 1);

/// Measures a text of 2 tokens or more on a language model (nstf/Generate.h); resets the session for each window.
/// Packages return only the logits of a step's last row. Predicted tokens therefore run one a step, and context in
/// steps as long as the package allows. Throws std::runtime_error where planWindows does, on a token outside the
/// vocabulary, and, with the token's index, on logits that are NaN or infinite (nstf/Logits.h). A token that the model
/// masks makes the perplexity infinite.
Perplexity measurePerplexity(Session &session, std::span<const int32_t> ids, const PerplexityOptions &options = {});

} // namespace nstf::runtime
