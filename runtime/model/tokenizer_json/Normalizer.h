// The "normalizer" of tokenizer.json.
//
// Transforms the text before it is cut: normal forms, case, accents, replacements. Types: Sequence, NFC, NFD, NFKC,
// NFKD, Lowercase, StripAccents, Strip, Replace, Prepend, ByteLevel, Nmt, Precompiled, BertNormalizer.
#pragma once

#include "support/JsonCursor.h"

#include <functional>
#include <memory>

namespace nstf::runtime {

/// Transforms a text. A step that can multiply the text may stop once the result exceeds `max` bytes.
using NormalizerStep = std::function<std::string(std::string text, std::size_t max)>;

class Normalizer {
public:
  /// Changes nothing.
  Normalizer() = default;
  /// Throws std::runtime_error at the place of an error.
  explicit Normalizer(const support::JsonCursor &json);

  /// Throws std::runtime_error when the text exceeds the limit of Growth.h.
  std::string operator()(std::string text) const;

private:
  /// `depth`: the number of enclosing sequences.
  void read(const support::JsonCursor &json, int depth);
  void addPrepend(const std::string &start);

  std::string place; // for messages
  std::vector<NormalizerStep> steps;
  /// The reversed prefix of the last step, if that is a Prepend: consecutive ones share a step.
  std::shared_ptr<std::string> prepended;
};

/// The step for SentencePiece's table of replacements ("precompiled_charsmap", base64).
NormalizerStep readPrecompiled(const support::JsonCursor &json);

/// Sequences nested deeper than this are refused.
inline constexpr int maxDepth = 8;

} // namespace nstf::runtime
