// What can be said of a row of logits: whether a token can be chosen from it, the likeliest, and probabilities.
//
// -inf is a masked token, which has probability 0. NaN, +inf and a row without a finite logit are errors everywhere: a
// token chosen from them would mean nothing. All sums are in float64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace nstf::runtime {

/// Of a row that no token can be chosen from.
struct LogitsError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws LogitsError, which names the token, where a logit is NaN or +inf, and where none is finite.
void checkLogits(std::span<const float> logits);

/// Index of the largest logit, the first of equals. Throws what checkLogits throws.
int32_t argmax(std::span<const float> logits);

/// log(sum(exp(logits))): a logit minus this is the logarithm of its token's probability. The row has passed
/// checkLogits.
double logSumExp(std::span<const float> logits);

struct TokenLogprob {
  int32_t id;
  double logprob; ///< natural logarithm of the probability; -inf of a masked token
};

/// The `count` likeliest tokens, the first of equals first; all where there are no more. The row has passed
/// checkLogits.
std::vector<TokenLogprob> likeliest(std::span<const float> logits, std::size_t count);

} // namespace nstf::runtime
