// The "pre_tokenizer" of tokenizer.json.
//
// Cuts the text into pieces; no token spans two pieces. Types: Sequence, ByteLevel, Split, Metaspace, BertPreTokenizer,
// Digits, Punctuation, Whitespace, WhitespaceSplit, CharDelimiterSplit.
#pragma once

#include "runtime/model/tokenizer_json/Pattern.h"
#include "support/JsonCursor.h"

#include <functional>

namespace nstf::runtime {

struct Piece {
  std::string text;
  bool atStart = false; // the piece begins at the start of the whole text
};

/// Replaces each piece by the pieces into which it is cut; none of them is empty.
using PreTokenizer = std::function<void(std::vector<Piece> &)>;

/// Reads a pre-tokenizer; throws std::runtime_error at the place of an error. `depth`: the number of enclosing
/// sequences.
PreTokenizer readPreTokenizer(const support::JsonCursor &json, int depth = 0);

/// What happens to the matches at which a text is cut.
enum class Delimiters { Removed, Isolated, MergedWithPrevious, MergedWithNext, Contiguous };
/// The remaining parts, in order.
std::vector<Span> cut(const std::vector<Span> &spans, Delimiters delimiters);

} // namespace nstf::runtime
