// The "pre_tokenizer" of tokenizer.json.
//
// Cuts the text into pieces no token crosses. Types: Sequence, ByteLevel, Split, Metaspace, BertPreTokenizer, Digits,
// Punctuation, Whitespace, WhitespaceSplit, CharDelimiterSplit.
#pragma once

#include "runtime/model/tokenizer_json/Pattern.h"
#include "support/JsonCursor.h"

#include <functional>

namespace nstf::runtime {

struct Piece {
  std::string text;
  bool atStart = false; // begins where the whole text does
};

/// Replaces each piece by the pieces it is cut into, none of them empty.
using PreTokenizer = std::function<void(std::vector<Piece> &)>;

/// Reads one; throws std::runtime_error at the place that is wrong. `depth`: of sequences around it.
PreTokenizer readPreTokenizer(const support::JsonCursor &json, int depth = 0);

/// What becomes of the matches a text is cut at.
enum class Delimiters { Removed, Isolated, MergedWithPrevious, MergedWithNext, Contiguous };
/// The parts that are left, in order.
std::vector<Span> cut(const std::vector<Span> &spans, Delimiters delimiters);

} // namespace nstf::runtime
