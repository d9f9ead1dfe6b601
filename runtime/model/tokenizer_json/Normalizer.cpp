#include "runtime/model/tokenizer_json/Normalizer.h"
#include "runtime/model/tokenizer_json/ByteAlphabet.h"
#include "runtime/model/tokenizer_json/Growth.h"
#include "runtime/model/tokenizer_json/ReadFields.h"
#include "runtime/model/tokenizer_json/Unicode.h"

namespace nstf::runtime {

namespace {

/// The text without the characters for which `drops` is true.
template <typename Drops> std::string without(std::string_view text, Drops drops) {
  std::string result;
  for (std::size_t position = 0; position < text.size();) {
    std::size_t begin = position;
    if (!drops(unicode::take(text, position)))
      result += text.substr(begin, position - begin);
  }
  return result;
}

/// BERT's: drops control characters, replaces white space by spaces, separates ideographs, strips accents, lower-cases.
NormalizerStep readBert(const support::JsonCursor &json) {
  bool clean = readFlag(json, "clean_text", true), ideographs = readFlag(json, "handle_chinese_chars", true);
  bool lowercase = readFlag(json, "lowercase", true), stripAccents = readFlag(json, "strip_accents", lowercase);
  return [=](std::string text, std::size_t) {
    std::string result;
    for (std::size_t position = 0; position < text.size();) {
      std::size_t begin = position;
      char32_t character = unicode::take(text, position);
      bool line = character == '\t' || character == '\n' || character == '\r';
      if (clean && !line && (character == 0 || character == 0xfffd || unicode::isOther(character)))
        continue;
      bool apart = ideographs && unicode::isIdeograph(character);
      result += apart ? " " : "";
      if (clean && unicode::isSpace(character))
        result += ' ';
      else
        result.append(text, begin, position - begin);
      result += apart ? " " : "";
    }
    if (stripAccents)
      result = without(unicode::normalize(result, unicode::Form::NFD), unicode::isNonspacingMark);
    return lowercase ? unicode::lower(result) : result;
  };
}

NormalizerStep readStrip(const support::JsonCursor &json) {
  bool left = readFlag(json, "strip_left", true), right = readFlag(json, "strip_right", true);
  return [=](std::string text, std::size_t) {
    text.resize(right ? unicode::trailing(text, unicode::isSpace) : text.size());
    text.erase(0, left ? unicode::leading(text, unicode::isSpace) : 0);
    return text;
  };
}

/// That of Google's neural machine translation: drops control characters, replaces other white space and joiners by
/// spaces.
std::string normalizeNmt(const std::string &text) {
  std::string result;
  for (std::size_t position = 0; position < text.size();) {
    char32_t c = unicode::take(text, position);
    if ((c >= 0x01 && c <= 0x08) || c == 0x0b || (c >= 0x0e && c <= 0x1f) || c == 0x7f || c == 0x8f || c == 0x9f)
      continue;
    bool space = c == 0x09 || c == 0x0a || c == 0x0c || c == 0x0d || c == 0x1680 || (c >= 0x200b && c <= 0x200f) ||
                 c == 0x2028 || c == 0x2029 || c == 0x2581 || c == 0xfeff || c == 0xfffd;
    unicode::append(result, space ? U' ' : c);
  }
  return result;
}

/// Any step except sequences and prepends.
NormalizerStep readStep(const support::JsonCursor &json, std::size_t kind) {
  auto form = [](unicode::Form form) {
    return [form](const std::string &text, std::size_t) { return unicode::normalize(text, form); };
  };
  switch (kind) {
  case 1:
    return form(unicode::Form::NFC);
  case 2:
    return form(unicode::Form::NFD);
  case 3:
    return form(unicode::Form::NFKC);
  case 4:
    return form(unicode::Form::NFKD);
  case 5:
    return [](const std::string &text, std::size_t) { return unicode::lower(text); };
  case 6:
    return [](const std::string &text, std::size_t) { return without(text, unicode::isMark); };
  case 7:
    return readStrip(json);
  case 8:
    return [pattern = readPattern(json["pattern"]), content = json["content"].string()](
               const std::string &text, std::size_t max) { return pattern.replace(text, content, max); };
  case 10:
    return [](const std::string &text, std::size_t) { return bytesToAlphabet(text); };
  case 11:
    return [](const std::string &text, std::size_t) { return normalizeNmt(text); };
  case 12:
    return readPrecompiled(json);
  default:
    return readBert(json);
  }
}

} // namespace

Normalizer::Normalizer(const support::JsonCursor &json) : place(json.place()) { read(json, 0); }

void Normalizer::read(const support::JsonCursor &json, int depth) {
  if (depth > maxDepth)
    json.fail("expected sequences at most " + std::to_string(maxDepth) + " deep");
  constexpr std::size_t maxSteps = 1 << 14;
  if (steps.size() == maxSteps)
    json.fail("expected at most " + std::to_string(maxSteps) + " normalizers");
  const std::size_t kind =
      json["type"].getChoice({"Sequence", "NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Strip", "Replace",
                              "Prepend", "ByteLevel", "Nmt", "Precompiled", "BertNormalizer"});
  if (kind == 0) {
    for (const support::JsonCursor &part : json["normalizers"].elements())
      read(part, depth + 1);
  } else if (kind == 9) {
    addPrepend(json["prepend"].string());
  } else {
    steps.push_back(readStep(json, kind));
    prepended.reset();
  }
}

/// Combines consecutive prepends into one step: each would copy the text.
void Normalizer::addPrepend(const std::string &start) {
  if (!prepended) {
    prepended = std::make_shared<std::string>();
    steps.push_back([all = prepended](std::string text, std::size_t) {
      return text.empty() ? text : text.insert(0, std::string(all->rbegin(), all->rend()));
    });
  }
  prepended->append(start.rbegin(), start.rend());
}

std::string Normalizer::operator()(std::string text) const {
  const std::size_t max = maxGrowth(text.size());
  for (const NormalizerStep &step : steps) {
    text = step(std::move(text), max);
    checkGrowth(place, text.size(), max);
  }
  return text;
}

} // namespace nstf::runtime
