// The "normalizer" of tokenizer.json.
//
// What happens to the text before it is cut: normal forms, case, accents, replacements. Types: Sequence, NFC, NFD,
// NFKC, NFKD, Lowercase, StripAccents, Strip, Replace, Prepend, ByteLevel, Nmt, Precompiled, BertNormalizer.
#pragma once

#include "support/JsonCursor.h"

#include <functional>
#include <memory>

namespace nstf::runtime {

/// Changes a text. What multiplies it without limit may stop once there are more than `max` bytes.
using NormalizerStep = std::function<std::string(std::string text, std::size_t max)>;

class Normalizer {
public:
  /// Changes nothing.
  Normalizer() = default;
  /// Throws std::runtime_error at the place that is wrong.
  explicit Normalizer(const support::JsonCursor &json);

  /// Throws std::runtime_error when the text grows beyond all reason (Growth.h).
  std::string operator()(std::string text) const;

private:
  /// `depth`: of sequences around it.
  void read(const support::JsonCursor &json, int depth);
  void addPrepend(const std::string &start);

  std::string place; // for messages
  std::vector<NormalizerStep> steps;
  std::shared_ptr<std::string> prepended; // backwards, by the last step, where that is all it does
};

/// The step with SentencePiece's table of replacements ("precompiled_charsmap", base64).
NormalizerStep readPrecompiled(const support::JsonCursor &json);

/// Sequences in sequences deeper than this are refused.
inline constexpr int maxDepth = 8;

} // namespace nstf::runtime
