#include "runtime/model/chat_template/Casing.h"
#include "runtime/model/tokenizer_json/Unicode.h"

#include <utf8proc.h>

namespace nstf::runtime::jinja {

namespace {

struct Span {
  char32_t first, last;
};

/// Other_Lowercase and Other_Uppercase: cased characters outside the categories of cased letters.
constexpr Span otherLower[] = {
    {0xaa, 0xaa},     {0xba, 0xba},     {0x2b0, 0x2b8},     {0x2c0, 0x2c1},     {0x2e0, 0x2e4},     {0x345, 0x345},
    {0x37a, 0x37a},   {0x1d2c, 0x1d6a}, {0x1d78, 0x1d78},   {0x1d9b, 0x1dbf},   {0x2071, 0x2071},   {0x207f, 0x207f},
    {0x2090, 0x209c}, {0x2170, 0x217f}, {0x24d0, 0x24e9},   {0x2c7c, 0x2c7d},   {0xa69c, 0xa69d},   {0xa770, 0xa770},
    {0xa7f8, 0xa7f9}, {0xab5c, 0xab5f}, {0x10780, 0x10780}, {0x10783, 0x10785}, {0x10787, 0x107b0}, {0x107b2, 0x107ba}};
constexpr Span otherUpper[] = {
    {0x2160, 0x216f}, {0x24b6, 0x24cf}, {0x1f130, 0x1f149}, {0x1f150, 0x1f169}, {0x1f170, 0x1f189}};
/// Digits that are not decimal: ², ①.
constexpr Span otherDigits[] = {{0xb2, 0xb3},       {0xb9, 0xb9},       {0x1369, 0x1371},   {0x19da, 0x19da},
                                {0x2070, 0x2070},   {0x2074, 0x2079},   {0x2080, 0x2089},   {0x2460, 0x2468},
                                {0x2474, 0x247c},   {0x2488, 0x2490},   {0x24ea, 0x24ea},   {0x24f5, 0x24fd},
                                {0x24ff, 0x24ff},   {0x2776, 0x277e},   {0x2780, 0x2788},   {0x278a, 0x2792},
                                {0x10a40, 0x10a43}, {0x10e60, 0x10e68}, {0x11052, 0x1105a}, {0x1f100, 0x1f10a}};

template <size_t N> bool isIn(const Span (&spans)[N], char32_t character) {
  for (const Span &span : spans)
    if (span.first <= character && character <= span.last)
      return true;
  return false;
}

utf8proc_int32_t point(char32_t character) { return static_cast<utf8proc_int32_t>(character); }
utf8proc_category_t categoryOf(char32_t character) { return utf8proc_category(point(character)); }

bool isLowerLetter(char32_t c) { return categoryOf(c) == UTF8PROC_CATEGORY_LL || isIn(otherLower, c); }
bool isUpperLetter(char32_t c) { return categoryOf(c) == UTF8PROC_CATEGORY_LU || isIn(otherUpper, c); }
bool isTitleLetter(char32_t c) { return categoryOf(c) == UTF8PROC_CATEGORY_LT; }
bool isCased(char32_t c) { return isLowerLetter(c) || isUpperLetter(c) || isTitleLetter(c); }

/// Case_Ignorable: characters inside a word that are not letters.
bool isIgnorable(char32_t c) {
  switch (categoryOf(c)) {
  case UTF8PROC_CATEGORY_MN:
  case UTF8PROC_CATEGORY_ME:
  case UTF8PROC_CATEGORY_CF:
  case UTF8PROC_CATEGORY_LM:
  case UTF8PROC_CATEGORY_SK:
    return true;
  default:
    for (char32_t other : {0x27, 0x2e, 0x3a, 0xb7, 0x387, 0x55f, 0x5f4, 0x2018, 0x2019, 0x2024, 0x2027, 0xfe13, 0xfe52,
                           0xfe55, 0xff07, 0xff0e, 0xff1a})
      if (c == other)
        return true;
    return false;
  }
}

/// The upper case of a small or title case letter, if it is several characters: ß, ﬁ, ᾳ. They are those of its case
/// folding.
int foldSeveral(char32_t character, utf8proc_int32_t (&folded)[8]) {
  if (character < 0x80 || categoryOf(character) == UTF8PROC_CATEGORY_LU)
    return 0;
  int last = 0;
  const utf8proc_ssize_t count = utf8proc_decompose_char(point(character), folded, 8, UTF8PROC_CASEFOLD, &last);
  return count > 1 && count <= 8 ? static_cast<int>(count) : 0;
}

void appendUpper(std::string &result, char32_t character) {
  utf8proc_int32_t folded[8];
  const int count = foldSeveral(character, folded);
  if (!count)
    unicode::append(result, static_cast<char32_t>(utf8proc_toupper(point(character))));
  for (int i = 0; i < count; ++i)
    unicode::append(result, static_cast<char32_t>(utf8proc_toupper(folded[i])));
}

void appendTitle(std::string &result, char32_t character) {
  // utf8proc would map ß to the capital ẞ.
  const auto simple = character == 0xdf ? character : static_cast<char32_t>(utf8proc_totitle(point(character)));
  utf8proc_int32_t folded[8];
  const int count = simple == character && !isTitleLetter(character) ? foldSeveral(character, folded) : 0;
  if (!count)
    return unicode::append(result, simple);
  unicode::append(result, static_cast<char32_t>(utf8proc_toupper(folded[0])));
  for (int i = 1; i < count; ++i) {
    const bool iota = i == count - 1 && folded[i] == 0x3b9; // a subscript iota
    const utf8proc_int32_t rest = character == 0x149 ? utf8proc_toupper(folded[i]) : iota ? 0x345 : folded[i];
    unicode::append(result, static_cast<char32_t>(rest));
  }
}

/// Whether the Σ at `position`, which ends at `behind`, ends its word.
bool endsWord(std::string_view text, size_t position, size_t behind) {
  bool before = false, after = false;
  while (position > 0) {
    size_t begin = position - 1;
    while ((text[begin] & 0xc0) == 0x80)
      --begin;
    position = begin;
    const char32_t character = unicode::take(text, begin);
    if (isIgnorable(character))
      continue;
    before = isCased(character);
    break;
  }
  while (before && behind < text.size()) {
    const char32_t character = unicode::take(text, behind);
    if (isIgnorable(character))
      continue;
    after = isCased(character);
    break;
  }
  return before && !after;
}

void appendLower(std::string &result, std::string_view text, size_t begin, size_t end, char32_t character) {
  if (character == 0x3a3)
    return unicode::append(result, endsWord(text, begin, end) ? 0x3c2 : 0x3c3);
  if (character == 0x130) { // İ: the only character with a lower case of two characters
    result += "i\xcc\x87";
    return;
  }
  unicode::append(result, static_cast<char32_t>(utf8proc_tolower(point(character))));
}

/// Maps each character by `append(result, begin, end, character)`.
template <typename Append> std::string mapText(std::string_view text, Append append) {
  std::string result;
  result.reserve(text.size());
  for (size_t position = 0; position < text.size();) {
    const size_t begin = position;
    const char32_t character = unicode::take(text, position);
    append(result, begin, position, character);
  }
  return result;
}

} // namespace

std::string toUpper(std::string_view text) {
  return mapText(text, [](std::string &result, size_t, size_t, char32_t c) { appendUpper(result, c); });
}

std::string toLower(std::string_view text) {
  return mapText(text, [&](std::string &result, size_t begin, size_t end, char32_t c) {
    appendLower(result, text, begin, end, c);
  });
}

std::string toTitle(std::string_view text) {
  bool inWord = false;
  return mapText(text, [&](std::string &result, size_t begin, size_t end, char32_t c) {
    inWord ? appendLower(result, text, begin, end, c) : appendTitle(result, c);
    inWord = isCased(c);
  });
}

std::string capitalize(std::string_view text) {
  return mapText(text, [&](std::string &result, size_t begin, size_t end, char32_t c) {
    begin ? appendLower(result, text, begin, end, c) : appendTitle(result, c);
  });
}

std::string swapCase(std::string_view text) {
  return mapText(text, [&](std::string &result, size_t begin, size_t end, char32_t c) {
    if (isUpperLetter(c))
      appendLower(result, text, begin, end, c);
    else if (isLowerLetter(c))
      appendUpper(result, c);
    else
      unicode::append(result, c);
  });
}

std::string foldCase(std::string_view text) {
  return mapText(text, [](std::string &result, size_t, size_t, char32_t c) {
    utf8proc_int32_t folded[8];
    int last = 0;
    const utf8proc_ssize_t count = utf8proc_decompose_char(point(c), folded, 8, UTF8PROC_CASEFOLD, &last);
    for (utf8proc_ssize_t i = 0; i < count && i < 8; ++i)
      unicode::append(result, static_cast<char32_t>(folded[i]));
  });
}

template <typename Wanted, typename Other> static bool hasCase(std::string_view text, Wanted wanted, Other other) {
  bool any = false;
  for (size_t position = 0; position < text.size();) {
    const char32_t character = unicode::take(text, position);
    if (other(character) || isTitleLetter(character))
      return false;
    any |= wanted(character);
  }
  return any;
}

bool isLower(std::string_view text) { return hasCase(text, isLowerLetter, isUpperLetter); }
bool isUpper(std::string_view text) { return hasCase(text, isUpperLetter, isLowerLetter); }

bool isTitle(std::string_view text) {
  bool any = false, inWord = false;
  for (size_t position = 0; position < text.size();) {
    const char32_t character = unicode::take(text, position);
    const bool begins = isUpperLetter(character) || isTitleLetter(character), goesOn = isLowerLetter(character);
    if (inWord ? begins : goesOn)
      return false;
    any |= begins || goesOn;
    inWord = begins || goesOn;
  }
  return any;
}

bool isLetter(char32_t character) {
  const utf8proc_category_t category = categoryOf(character);
  return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
}

bool isDecimal(char32_t character) { return categoryOf(character) == UTF8PROC_CATEGORY_ND; }
int digitValue(char32_t character) {
  char32_t zero = character; // the zero of its script; adjacent scripts have whole tens
  while (isDecimal(zero - 1))
    --zero;
  return static_cast<int>((character - zero) % 10);
}

bool isDigit(char32_t character) { return isDecimal(character) || isIn(otherDigits, character); }

bool isPrintable(char32_t character) {
  if (character == ' ')
    return true;
  switch (categoryOf(character)) {
  case UTF8PROC_CATEGORY_CN:
  case UTF8PROC_CATEGORY_CC:
  case UTF8PROC_CATEGORY_CF:
  case UTF8PROC_CATEGORY_CS:
  case UTF8PROC_CATEGORY_CO:
  case UTF8PROC_CATEGORY_ZS:
  case UTF8PROC_CATEGORY_ZL:
  case UTF8PROC_CATEGORY_ZP:
    return false;
  default:
    return true;
  }
}

} // namespace nstf::runtime::jinja
