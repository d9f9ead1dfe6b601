#include "runtime/model/tokenizer_json/Unicode.h"
#include "support/Utf8.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <utf8proc.h>

namespace nstf::runtime::unicode {

namespace {

utf8proc_category_t categoryOf(char32_t character) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(character));
}

bool isBetween(char32_t character, char32_t first, char32_t last) { return first <= character && character <= last; }

bool isAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char byte) { return static_cast<unsigned char>(byte) < 0x80; });
}

} // namespace

std::string makeValid(std::string_view bytes) {
  std::string pending(bytes);
  std::string text = support::takeWholeCharacters(pending);
  return pending.empty() ? text : text + support::replacementCharacter;
}

char32_t take(std::string_view text, std::size_t &position) {
  auto byte = [&] { return static_cast<unsigned char>(text[position++]); };
  char32_t lead = byte();
  if (lead < 0x80)
    return lead;
  int more = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
  char32_t character = lead & (0x3f >> more);
  for (int i = 0; i < more; ++i)
    character = character << 6 | (byte() & 0x3f);
  return character;
}

char32_t last(std::string_view text) {
  std::size_t position = text.size() - 1;
  while ((text[position] & 0xc0) == 0x80)
    --position;
  return take(text, position);
}

void append(std::string &text, char32_t character) {
  utf8proc_uint8_t bytes[4];
  utf8proc_ssize_t size = utf8proc_encode_char(static_cast<utf8proc_int32_t>(character), bytes);
  text.append(reinterpret_cast<const char *>(bytes), static_cast<std::size_t>(size));
}

std::size_t count(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xc0) != 0x80; });
}

std::size_t leading(std::string_view text, Class isOf) {
  std::size_t end = 0;
  for (std::size_t position = 0; position < text.size() && isOf(take(text, position));)
    end = position;
  return end;
}

std::size_t trailing(std::string_view text, Class isOf) {
  while (!text.empty() && isOf(last(text))) {
    while ((text.back() & 0xc0) == 0x80)
      text.remove_suffix(1);
    text.remove_suffix(1);
  }
  return text.size();
}

std::string replaceAll(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  std::size_t done = 0;
  for (std::size_t at; (at = text.find(from, done)) != std::string_view::npos; done = at + from.size())
    result.append(text, done, at - done).append(to);
  return result.append(text, done);
}

bool isSpace(char32_t character) {
  if (isBetween(character, 0x09, 0x0d) || character == 0x85)
    return true;
  utf8proc_category_t category = categoryOf(character);
  return category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP;
}

bool isPythonSpace(char32_t character) { return isBetween(character, 0x1c, 0x1f) || isSpace(character); }

bool isPunctuation(char32_t character) {
  if (character < 0x80)
    return isBetween(character, '!', '/') || isBetween(character, ':', '@') || isBetween(character, '[', '`') ||
           isBetween(character, '{', '~');
  utf8proc_category_t category = categoryOf(character);
  return category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
}

bool isNonspacingMark(char32_t character) { return categoryOf(character) == UTF8PROC_CATEGORY_MN; }

bool isMark(char32_t character) {
  utf8proc_category_t category = categoryOf(character);
  return category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME;
}

bool isNumber(char32_t character) {
  utf8proc_category_t category = categoryOf(character);
  return category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO;
}

bool isOther(char32_t character) {
  utf8proc_category_t category = categoryOf(character);
  return category == UTF8PROC_CATEGORY_CC || category == UTF8PROC_CATEGORY_CF || category == UTF8PROC_CATEGORY_CO;
}

bool isWord(char32_t character) {
  utf8proc_category_t category = categoryOf(character);
  if (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NL)
    return true; // L, M, Nd, Nl
  // Connectors, joiners, and the circled and squared letters, which are Alphabetic symbols.
  return category == UTF8PROC_CATEGORY_PC || character == 0x200c || character == 0x200d ||
         isBetween(character, 0x24b6, 0x24e9) || isBetween(character, 0x1f130, 0x1f149) ||
         isBetween(character, 0x1f150, 0x1f169) || isBetween(character, 0x1f170, 0x1f189);
}

bool isIdeograph(char32_t character) {
  return isBetween(character, 0x4e00, 0x9fff) || isBetween(character, 0x3400, 0x4dbf) ||
         isBetween(character, 0x20000, 0x2a6df) || isBetween(character, 0x2a700, 0x2b73f) ||
         isBetween(character, 0x2b740, 0x2b81f) || isBetween(character, 0x2b920, 0x2ceaf) ||
         isBetween(character, 0xf900, 0xfaff) || isBetween(character, 0x2f800, 0x2fa1f);
}

std::string normalize(std::string_view text, Form form) {
  if (isAscii(text))
    return std::string(text);
  bool compose = form == Form::NFC || form == Form::NFKC, compatible = form == Form::NFKC || form == Form::NFKD;
  int options = UTF8PROC_STABLE | (compose ? UTF8PROC_COMPOSE : UTF8PROC_DECOMPOSE);
  if (compatible)
    options |= UTF8PROC_COMPAT;
  utf8proc_uint8_t *mapped = nullptr;
  utf8proc_ssize_t size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t *>(text.data()), static_cast<utf8proc_ssize_t>(text.size()),
                   &mapped, static_cast<utf8proc_option_t>(options));
  std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(mapped, &std::free);
  if (size < 0)
    throw std::runtime_error(std::string("cannot normalise the text: ") + utf8proc_errmsg(size));
  return std::string(reinterpret_cast<const char *>(mapped), static_cast<std::size_t>(size));
}

std::string lower(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t position = 0; position < text.size();) {
    char32_t character = take(text, position);
    if (character < 0x80) {
      result += isBetween(character, 'A', 'Z') ? static_cast<char>(character + 0x20) : static_cast<char>(character);
    } else if (character == 0x130) { // İ: the only character with a lower case of two characters
      result += "i\xcc\x87";
    } else {
      append(result, static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(character))));
    }
  }
  return result;
}

} // namespace nstf::runtime::unicode
