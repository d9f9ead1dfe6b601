// Methods that search or test a text.
#include "runtime/model/chat_template/Casing.h"
#include "runtime/model/chat_template/Methods.h"
#include "runtime/model/chat_template/Text.h"
#include "runtime/model/tokenizer_json/Unicode.h"

#include <algorithm>

namespace nstf::runtime::jinja {

namespace {

/// The part of a text between `start` and `stop`, in characters.
struct Part {
  std::string_view text;
  int64_t start = 0; ///< in characters
  bool valid = true; ///< false if start is beyond the end: not even an empty text is found
};

Part getPart(Context &context, const Value &self, const Bound &bound) {
  Part part{self.getText()};
  if (!bound.hasValue(1) && !bound.hasValue(2))
    return part;
  context.stepBytes(part.text.size());
  const auto length = static_cast<int64_t>(countCharacters(part.text));
  auto clip = [&](int64_t at) { return at < 0 ? std::max<int64_t>(at + length, 0) : at; };
  part.start = clip(bound.hasValue(1) ? bound.integer(1) : 0);
  const int64_t stop = std::min(clip(bound.hasValue(2) ? bound.integer(2) : length), length);
  part.valid = part.start <= stop;
  if (!part.valid)
    return part;
  const size_t begin = getOffset(part.text, static_cast<size_t>(part.start)),
               end = getOffset(part.text, static_cast<size_t>(stop));
  part.text = part.text.substr(begin, end - begin);
  return part;
}

enum class Missing { MinusOne, Error };

template <bool fromRight, Missing missing>
Value position(Context &context, const Value &self, const Arguments &arguments) {
  const Bound bound(context, fromRight ? "rfind" : "find", arguments, {"sub", "start", "end"}, 1, false);
  const Part part = getPart(context, self, bound);
  const size_t found = !part.valid ? std::string_view::npos
                       : fromRight ? findLastText(context, part.text, bound.text(0))
                                   : findText(context, part.text, bound.text(0));
  if (found != std::string_view::npos)
    return Value::integer(part.start + static_cast<int64_t>(countCharacters(part.text.substr(0, found))));
  if (missing == Missing::Error)
    context.fail("the text isn't found");
  return Value::integer(-1);
}

Value count(Context &context, const Value &self, const Arguments &arguments) {
  const Bound bound(context, "count", arguments, {"sub", "start", "end"}, 1, false);
  const Part part = getPart(context, self, bound);
  const std::string_view wanted = bound.text(0);
  if (!part.valid)
    return Value::integer(0);
  if (wanted.empty())
    return Value::integer(static_cast<int64_t>(countCharacters(part.text)) + 1);
  int64_t result = 0;
  for (size_t at = 0; (at = findText(context, part.text, wanted, at)) != std::string_view::npos; at += wanted.size())
    ++result;
  return Value::integer(result);
}

/// Whether the text starts or ends with a text, or with any text of a tuple.
template <bool atStart> Value matches(Context &context, const Value &self, const Arguments &arguments) {
  const Bound bound(context, atStart ? "startswith" : "endswith", arguments, {"text", "start", "end"}, 1, false);
  const Part part = getPart(context, self, bound);
  auto fits = [&](const Value &text) {
    if (!text.isText())
      context.fail("expected a text or a tuple of texts but got " + std::string(describe(text)));
    return part.valid && (atStart ? part.text.starts_with(text.getText()) : part.text.ends_with(text.getText()));
  };
  if (!bound.get(0).is(Kind::Tuple))
    return Value::boolean(fits(bound.get(0)));
  const std::span<const Value> options = bound.get(0).getItems();
  return Value::boolean(std::any_of(options.begin(), options.end(), fits));
}

/// Whether the text is not empty and all characters are of this kind.
template <bool (*Is)(char32_t)> Value allAre(Context &context, const Value &self, const Arguments &arguments) {
  Bound(context, "this method", arguments, {});
  const std::string_view text = self.getText();
  for (size_t at = 0; at < text.size();)
    if (!Is(unicode::take(text, at)))
      return Value::boolean(false);
  return Value::boolean(!text.empty());
}

bool isLetterOrDigit(char32_t character) { return isLetter(character) || unicode::isNumber(character); }

template <bool (*Is)(std::string_view)> Value textIs(Context &context, const Value &self, const Arguments &arguments) {
  Bound(context, "this method", arguments, {});
  return Value::boolean(Is(self.getText()));
}

bool isAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char byte) { return static_cast<unsigned char>(byte) < 0x80; });
}

const Method methods[] = {
    {"find", position<false, Missing::MinusOne>, true},
    {"rfind", position<true, Missing::MinusOne>, true},
    {"index", position<false, Missing::Error>, true},
    {"rindex", position<true, Missing::Error>, true},
    {"count", count, true},
    {"startswith", matches<true>, true},
    {"endswith", matches<false>, true},
    {"isalnum", allAre<isLetterOrDigit>, true},
    {"isalpha", allAre<isLetter>, true},
    {"isdecimal", allAre<isDecimal>, true},
    {"isdigit", allAre<isDigit>, true},
    {"isspace", allAre<isSpace>, true},
    {"isascii", textIs<isAscii>, true},
    {"islower", textIs<isLower>, true},
    {"isupper", textIs<isUpper>, true},
    {"istitle", textIs<isTitle>, true},
};

} // namespace

const std::span<const Method> searchMethods = methods;

} // namespace nstf::runtime::jinja
