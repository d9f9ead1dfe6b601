// Outputs of a language model's step for the last row of each request: "logits" (f32 [requests, vocabulary]) and, where
// the package has it, "next" (i32 [requests], the greedy token, chosen on the device).
#pragma once

#include "nstf/Session.h"

#include <optional>
#include <vector>

namespace nstf::runtime {

class LanguageOutputs {
public:
  /// Throws std::runtime_error when the package is not a language model. The session outlives the object.
  explicit LanguageOutputs(const Session &session);

  /// Throws std::runtime_error on an empty prompt, an id outside the vocabulary, or more ids than fit the context from
  /// `position` on.
  void checkPrompt(std::span<const int32_t> prompt, int64_t position) const;
  bool hasNext() const { return next.has_value(); }
  /// The logits of request number `request` of the last step.
  std::vector<float> readLogits(std::size_t request = 0) const;
  /// Throws std::runtime_error when the output is outside the vocabulary. Precondition: hasNext().
  int32_t readNext(std::size_t request = 0) const;

private:
  const Session &session;
  int64_t context, vocabulary;
  std::size_t logits;              // index of the buffer
  std::optional<std::size_t> next; // index of the buffer
};

} // namespace nstf::runtime
