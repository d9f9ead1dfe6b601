// How well a language model foretells a text: exp of the mean negative logarithm of the probability it gives each token
// after those before it.
//
// A text longer than the model's context is cut into windows, as transformers' documentation has it ("Perplexity of
// fixed-length models"): a window begins `stride` tokens behind the one before and is at most `window` long; of its
// tokens those that no window before it predicted are predicted, the others are context. The first token of all has
// nothing before it and isn't predicted, nor is the first of a window that shares no token with the one before. Each
// predicted token counts the same. (The loop in that documentation weighs a window that has context by one less than it
// predicts.)
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
  int64_t window = 0; ///< tokens that the model sees at a time, 2 or more; 0: its context
  int64_t stride = 0; ///< 1 … window; 0: half the window
  int64_t from = 1;   ///< tokens before it are context only
  /// Called before a token is predicted, with what it is predicted from and the token.
  std::function<void(std::span<const float> logits, int32_t token)> onLogits;
  /// Called after each predicted token with how many there are by now, and will be.
  std::function<void(size_t done, size_t all)> onToken;
};

struct Perplexity {
  size_t tokens = 0;    ///< of the texts
  size_t predicted = 0; ///< of these; the others only had a part in predicting
  size_t windows = 0, steps = 0;
  double negativeLogLikelihood = 0; ///< the sum over predicted tokens, natural logarithm
  double seconds = 0;

  double mean() const { return negativeLogLikelihood / double(predicted); }
  double value() const { return std::exp(mean()); }
  /// Of both texts together.
  Perplexity &operator+=(const Perplexity &other);
};

/// Tokens `begin` … `end`-1 of a text, of which those from `firstTarget` on are predicted.
struct PerplexityWindow {
  int64_t begin, end, firstTarget;
  bool operator==(const PerplexityWindow &) const = default;
};

/// The windows of a text of `tokens` tokens that predict some from `from` on. Throws std::runtime_error on a window or
/// stride outside its range, and where there is no such token.
std::vector<PerplexityWindow> planWindows(int64_t tokens, int64_t window, int64_t stride, int64_t from = 1);

/// Measures a text of 2 tokens or more on a language model (nstf/Generate.h); the session is reset for each window. As
/// packages give the logits of a step's last row only, what is predicted runs one token a step, context in steps as
/// long as the package allows. Throws std::runtime_error on what planWindows refuses, on a token outside the
/// vocabulary, and with the token's place on logits that are no numbers (nstf/Logits.h). A token that the model masks
/// makes the perplexity infinite.
Perplexity measurePerplexity(Session &session, std::span<const int32_t> ids, const PerplexityOptions &options = {});

} // namespace nstf::runtime
