#include "runtime/model/tokenizer_json/PreTokenizer.h"
#include "runtime/model/tokenizer_json/ByteAlphabet.h"
#include "runtime/model/tokenizer_json/Growth.h"
#include "runtime/model/tokenizer_json/Normalizer.h"
#include "runtime/model/tokenizer_json/ReadFields.h"
#include "runtime/model/tokenizer_json/Unicode.h"

#include <algorithm>
#include <numeric>

namespace nstf::runtime {

std::vector<Span> cut(const std::vector<Span> &spans, Delimiters delimiters) {
  std::vector<Span> parts;
  bool previous = false;
  switch (delimiters) {
  case Delimiters::Isolated:
    return spans;
  case Delimiters::Removed:
    std::copy_if(spans.begin(), spans.end(), std::back_inserter(parts), [](const Span &span) { return !span.isMatch; });
    return parts;
  case Delimiters::MergedWithPrevious:
  case Delimiters::Contiguous:
    for (const Span &span : spans) {
      bool joins = delimiters == Delimiters::Contiguous ? span.isMatch == previous : span.isMatch && !previous;
      if (joins && !parts.empty())
        parts.back().end = span.end;
      else
        parts.push_back(span);
      previous = span.isMatch;
    }
    return parts;
  case Delimiters::MergedWithNext:
    for (auto span = spans.rbegin(); span != spans.rend(); ++span) {
      if (span->isMatch && !previous && !parts.empty())
        parts.back().begin = span->begin;
      else
        parts.push_back(*span);
      previous = span->isMatch;
    }
    std::reverse(parts.begin(), parts.end());
    return parts;
  }
  return parts;
}

namespace {

/// Changes each piece by `edit` and cuts it by `split`.
template <typename Edit, typename Split>
void cutPieces(std::vector<Piece> &pieces, Delimiters delimiters, Edit edit, Split split) {
  std::vector<Piece> result;
  for (Piece &piece : pieces) {
    edit(piece);
    for (const Span &span : cut(split(piece.text), delimiters))
      if (span.begin < span.end)
        result.push_back({piece.text.substr(span.begin, span.end - span.begin), piece.atStart && span.begin == 0});
  }
  pieces = std::move(result);
}
void keep(Piece &) {}

/// A pre-tokenizer that cuts at each character for which `isDelimiter` is true.
template <typename IsDelimiter> PreTokenizer atCharacters(Delimiters delimiters, IsDelimiter isDelimiter) {
  return [=](std::vector<Piece> &pieces) {
    cutPieces(pieces, delimiters, keep, [&](std::string_view text) {
      std::vector<Span> spans;
      for (std::size_t position = 0; position < text.size();) {
        std::size_t begin = position;
        bool isMatch = isDelimiter(unicode::take(text, position));
        if (!isMatch && !spans.empty() && !spans.back().isMatch)
          spans.back().end = position;
        else
          spans.push_back({begin, position, isMatch});
      }
      return spans;
    });
  };
}

Delimiters readBehavior(const support::JsonCursor &value) {
  return static_cast<Delimiters>(
      value.getChoice({"Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"}));
}

/// GPT-2's: words with the space before them, numbers, signs, contractions; then bytes in the visible alphabet.
PreTokenizer readByteLevel(const support::JsonCursor &json) {
  static const Pattern words =
      Pattern::compile(R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)");
  bool addSpace = readFlag(json, "add_prefix_space", true), split = readFlag(json, "use_regex", true);
  return [=](std::vector<Piece> &pieces) {
    auto edit = [&](Piece &piece) {
      if (addSpace && !piece.text.starts_with(' '))
        piece.text.insert(0, " ");
    };
    if (split)
      cutPieces(pieces, Delimiters::Isolated, edit, [](std::string_view text) { return words.split(text); });
    else
      std::for_each(pieces.begin(), pieces.end(), edit);
    for (Piece &piece : pieces)
      piece.text = bytesToAlphabet(piece.text);
  };
}

PreTokenizer readSplit(const support::JsonCursor &json) {
  Pattern pattern = readPattern(json["pattern"]);
  Delimiters delimiters = readBehavior(json["behavior"]);
  bool invert = readFlag(json, "invert", false);
  return [=](std::vector<Piece> &pieces) {
    cutPieces(pieces, delimiters, keep, [&](std::string_view text) {
      std::vector<Span> spans = pattern.split(text);
      for (Span &span : spans)
        span.isMatch ^= invert;
      return spans;
    });
  };
}

/// SentencePiece's: replaces spaces by a visible sign, puts one before the text, and cuts pieces that begin with it.
PreTokenizer readMetaspace(const support::JsonCursor &json) {
  std::string sign;
  unicode::append(sign, readCharacter(json["replacement"]));
  enum { Always, First, Never } scheme = Always;
  if (auto value = json.find("prepend_scheme"); value && !value->isNull())
    scheme = static_cast<decltype(scheme)>(value->getChoice({"always", "first", "never"}));
  // Older files have a flag instead.
  if (!readFlag(json, "add_prefix_space", true)) {
    if (auto value = json.find("prepend_scheme"); value && !value->isNull() && scheme != Never)
      value->failExpected("\"never\", as add_prefix_space is false,");
    scheme = Never;
  }
  bool split = readFlag(json, "split", true);
  return [=, space = Pattern::literal(" "), delimiter = Pattern::literal(sign)](std::vector<Piece> &pieces) {
    auto edit = [&](Piece &piece) {
      piece.text = space.replace(piece.text, sign);
      bool prepend = scheme == Always || (scheme == First && piece.atStart);
      if (prepend && !piece.text.starts_with(sign))
        piece.text.insert(0, sign);
    };
    if (split)
      cutPieces(pieces, Delimiters::MergedWithNext, edit, [&](std::string_view text) { return delimiter.split(text); });
    else
      std::for_each(pieces.begin(), pieces.end(), edit);
  };
}

/// Runs of word characters, and runs of characters that are neither word characters nor white space.
void splitWhitespace(std::vector<Piece> &pieces) {
  cutPieces(pieces, Delimiters::Removed, keep, [](std::string_view text) {
    enum Kind { Word, Space, Sign } before = Space;
    std::vector<Span> spans;
    for (std::size_t position = 0; position < text.size();) {
      std::size_t begin = position;
      char32_t character = unicode::take(text, position);
      Kind kind = unicode::isWord(character) ? Word : unicode::isSpace(character) ? Space : Sign;
      if (!spans.empty() && kind == before)
        spans.back().end = position;
      else
        spans.push_back({begin, position, kind == Space});
      before = kind;
    }
    return spans;
  });
}

PreTokenizer readSequence(const support::JsonCursor &json, int depth) {
  std::vector<PreTokenizer> parts;
  for (const support::JsonCursor &part : json["pretokenizers"].elements())
    parts.push_back(readPreTokenizer(part, depth + 1));
  return [parts = std::move(parts), place = json.place()](std::vector<Piece> &pieces) {
    auto bytes = [&pieces] {
      return std::accumulate(pieces.begin(), pieces.end(), std::size_t(0),
                             [](std::size_t sum, const Piece &piece) { return sum + piece.text.size(); });
    };
    const std::size_t max = maxGrowth(bytes());
    for (const PreTokenizer &part : parts) {
      part(pieces);
      checkGrowth(place, bytes(), max);
    }
  };
}

} // namespace

PreTokenizer readPreTokenizer(const support::JsonCursor &json, int depth) {
  if (depth > maxDepth)
    json.fail("expected sequences at most " + std::to_string(maxDepth) + " deep");
  switch (json["type"].getChoice({"Sequence", "ByteLevel", "Split", "Metaspace", "BertPreTokenizer", "Digits",
                                  "Punctuation", "Whitespace", "WhitespaceSplit", "CharDelimiterSplit"})) {
  case 0:
    return readSequence(json, depth);
  case 1:
    return readByteLevel(json);
  case 2:
    return readSplit(json);
  case 3:
    return readMetaspace(json);
  case 4:
    return [spaces = atCharacters(Delimiters::Removed, unicode::isSpace),
            signs = atCharacters(Delimiters::Isolated, unicode::isPunctuation)](std::vector<Piece> &pieces) {
      spaces(pieces);
      signs(pieces);
    };
  case 5:
    return atCharacters(readFlag(json, "individual_digits", false) ? Delimiters::Isolated : Delimiters::Contiguous,
                        unicode::isNumber);
  case 6: {
    auto behavior = json.find("behavior");
    return atCharacters(behavior ? readBehavior(*behavior) : Delimiters::Isolated, unicode::isPunctuation);
  }
  case 7:
    return splitWhitespace;
  case 8:
    return atCharacters(Delimiters::Removed, unicode::isSpace);
  default:
    return atCharacters(Delimiters::Removed,
                        [delimiter = readCharacter(json["delimiter"])](char32_t c) { return c == delimiter; });
  }
}

} // namespace nstf::runtime
