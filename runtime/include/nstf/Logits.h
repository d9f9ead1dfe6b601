// Operations on a row of logits: whether a token can be chosen from it, the likeliest tokens, and probabilities.
//
// -inf is a masked token, which has probability 0. NaN, +inf and a row without a finite logit are errors in all
// functions: a token chosen from them would be meaningless. All sums are in float64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace nstf::runtime {

/// No token can be chosen from a row.
struct LogitsError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws LogitsError when a logit is NaN or +inf (the message names the token), and when no logit is finite.
void checkLogits(std::span<const float> logits);

/// Index of the largest logit; of equal ones the first. Throws where checkLogits does.
int32_t argmax(std::span<const float> logits);

/// log(sum(exp(logits))): a logit minus this is the logarithm of its token's probability. Precondition: the row has
/// passed checkLogits.
double logSumExp(std::span<const float> logits);

struct TokenLogprob {
  int32_t id;
  double logprob; ///< natural logarithm of the probability; -inf for a masked token
};

/// The `count` likeliest tokens, equal ones by index; all of them if there are fewer. Precondition: the row has passed
/// checkLogits.
std::vector<TokenLogprob> likeliest(std::span<const float> logits, std::size_t count);

} // namespace nstf::runtime
