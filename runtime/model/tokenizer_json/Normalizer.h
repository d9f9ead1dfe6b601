//===- Normalizer.h - The "normalizer" of tokenizer.json -----------------------------===//
//
// What happens to the text before it is cut: normal forms, case, accents, replacements. Types: Sequence, NFC, NFD,
// NFKC, NFKD, Lowercase, StripAccents, Strip, Replace, Prepend, ByteLevel, Nmt, Precompiled, BertNormalizer.
//
//===----------------------------------------------------------------------------------===//
#pragma once

#include "runtime/model/JsonCursor.h"

#include <functional>

namespace nstf::runtime {

/// A text on its way to the model.
using Normalizer = std::function<std::string(std::string)>;

/// Reads one; throws std::runtime_error at the place that is wrong. `depth`: of sequences around it.
Normalizer readNormalizer(const JsonCursor &json, int depth = 0);
/// The normalizer with SentencePiece's table of replacements ("precompiled_charsmap", base64).
Normalizer readPrecompiled(const JsonCursor &json);

/// Sequences in sequences deeper than this are refused.
inline constexpr int maxDepth = 8;

} // namespace nstf::runtime
