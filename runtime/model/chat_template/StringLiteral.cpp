#include "runtime/model/chat_template/StringLiteral.h"
#include "runtime/model/tokenizer_json/Unicode.h"
#include "support/Escape.h"

#include <charconv>

namespace nstf::runtime::jinja {

namespace {

/// The value of up to `length` digits at `at`, and of at least `least`; nothing if there are fewer.
std::optional<char32_t> readDigits(std::string_view text, size_t &at, size_t length, size_t least, int base) {
  uint32_t value = 0;
  const char *begin = text.data() + at, *end = begin + std::min(length, text.size() - at);
  const auto [behind, error] = std::from_chars(begin, end, value, base);
  if (error != std::errc() || behind < begin + least)
    return std::nullopt;
  at += static_cast<size_t>(behind - begin);
  return value;
}

/// The character of a one-letter escape; 0 if it is none.
char simpleEscape(char letter) {
  constexpr std::string_view letters = "abfnrtv\\'\"", characters = "\a\b\f\n\r\t\v\\'\"";
  const size_t index = letters.find(letter);
  return index == std::string_view::npos ? '\0' : characters[index];
}

} // namespace

std::optional<std::string_view> decodeString(std::string_view inner, TextStore &store, std::string &problem) {
  if (inner.find('\\') == std::string_view::npos)
    return inner;
  std::string text;
  for (size_t i = 0; i < inner.size();) {
    if (inner[i] != '\\' || i + 1 == inner.size()) {
      text += inner[i++];
      continue;
    }
    const size_t begin = i++;
    const char letter = inner[i];
    std::optional<char32_t> code;
    if (letter == 'x' || letter == 'u' || letter == 'U') {
      const size_t length = letter == 'x' ? 2 : letter == 'u' ? 4 : 8;
      code = readDigits(inner, ++i, length, length, 16);
    } else if (letter >= '0' && letter <= '7') {
      code = readDigits(inner, i, 3, 1, 8);
    } else if (const char character = simpleEscape(letter)) {
      text += character;
      ++i;
      continue;
    } else if (letter == '\n') { // line continuation
      ++i;
      continue;
    } else if (letter == 'N') {
      ++i; // a character by name, which is not supported
    } else if (static_cast<unsigned char>(letter) >= 0x80) {
      // Python replaces such characters by escapes before it decodes, and the preceding backslash then applies to the
      // new backslash.
      const char32_t character = unicode::take(inner, i);
      char escaped[16];
      std::snprintf(escaped, sizeof escaped,
                    character < 0x100     ? "\\x%02x"
                    : character < 0x10000 ? "\\u%04x"
                                          : "\\U%08x",
                    static_cast<unsigned>(character));
      text += escaped;
      continue;
    } else {
      text += '\\'; // no escape: both characters are kept
      continue;
    }
    if (!code || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000)) {
      problem = "expected an escape of a character but got " + support::escape(inner.substr(begin, 10));
      return std::nullopt;
    }
    unicode::append(text, *code);
  }
  store.push_back(std::move(text));
  return store.back();
}

} // namespace nstf::runtime::jinja
