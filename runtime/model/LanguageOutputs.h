// What a language model's step says of the last row of each request: output "logits" (f32 [requests, vocabulary]) and,
// where the package has it, "next" (i32 [requests], the greedy token, chosen on the device).
#pragma once

#include "nstf/Session.h"

#include <optional>
#include <vector>

namespace nstf::runtime {

class LanguageOutputs {
public:
  /// Throws std::runtime_error when the package is no language model. The session outlives the object.
  explicit LanguageOutputs(const Session &session);

  /// Throws std::runtime_error: no ids, one outside the vocabulary, or more than the context has from `position` on.
  void checkPrompt(std::span<const int32_t> prompt, int64_t position) const;
  bool hasNext() const { return next.has_value(); }
  /// Of request number `request` of the last step.
  std::vector<float> readLogits(std::size_t request = 0) const;
  /// Throws std::runtime_error where that is no token. Precondition: hasNext().
  int32_t readNext(std::size_t request = 0) const;

private:
  const Session &session;
  int64_t context, vocabulary;
  std::size_t logits;              // buffer
  std::optional<std::size_t> next; // buffer
};

} // namespace nstf::runtime
