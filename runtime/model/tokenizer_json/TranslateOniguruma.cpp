// Translates Oniguruma's syntax to PCRE2's (Pattern.h), character by character.
#include "runtime/model/tokenizer_json/Pattern.h"

#include <map>
#include <stdexcept>

namespace nstf::runtime {

namespace {

/// Names of properties that have another name in PCRE2.
const std::map<std::string, std::string, std::less<>> propertyNames = {
    {"Letter", "L"},
    {"Uppercase_Letter", "Lu"},
    {"Lowercase_Letter", "Ll"},
    {"Titlecase_Letter", "Lt"},
    {"Modifier_Letter", "Lm"},
    {"Other_Letter", "Lo"},
    {"Mark", "M"},
    {"Nonspacing_Mark", "Mn"},
    {"Spacing_Mark", "Mc"},
    {"Enclosing_Mark", "Me"},
    {"Number", "N"},
    {"Decimal_Number", "Nd"},
    {"Letter_Number", "Nl"},
    {"Other_Number", "No"},
    {"Punctuation", "P"},
    {"Symbol", "S"},
    {"Math_Symbol", "Sm"},
    {"Currency_Symbol", "Sc"},
    {"Separator", "Z"},
    {"Space_Separator", "Zs"},
    {"Other", "C"},
    {"Control", "Cc"},
    {"Format", "Cf"},
    {"Space", "White_Space"},
    {"Alpha", "Alphabetic"},
    {"Upper", "Uppercase"},
    {"Lower", "Lowercase"},
    {"Digit", "Nd"},
};

class Translator {
public:
  explicit Translator(std::string_view text) : text(text) {}

  std::string run() {
    while (position < text.size())
      inClass ? classCharacter() : character();
    return std::move(out);
  }

private:
  static constexpr std::string_view hexDigits = "0-9A-Fa-f", wordParts = "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}";

  [[noreturn]] void refuse(const std::string &what) const {
    throw std::runtime_error(what + " at offset " + std::to_string(position) + " means something else here");
  }
  bool sees(std::string_view next) const { return text.substr(position).starts_with(next); }
  void copy(std::size_t count) {
    out += text.substr(position, count);
    position += count;
  }

  void escape() {
    if (position + 1 == text.size())
      return copy(1); // PCRE2 reports the error
    char letter = text[position + 1];
    auto put = [&](std::string_view replacement) {
      out += replacement;
      position += 2;
    };
    auto putSet = [&](std::string_view parts) { inClass ? put(parts) : put("[" + std::string(parts) + "]"); };
    auto putComplement = [&](std::string_view parts) {
      if (inClass)
        refuse(std::string("\\") + letter + " in a class");
      put("[^" + std::string(parts) + "]");
    };
    switch (letter) {
    case 's':
      return put("\\p{White_Space}");
    case 'S':
      return put("\\P{White_Space}");
    case 'w':
      return putSet(wordParts);
    case 'W':
      return putComplement(wordParts);
    case 'h':
      return putSet(hexDigits);
    case 'H':
      return putComplement(hexDigits);
    case 'u':
      if (position + 6 <= text.size()) {
        out += "\\x{" + std::string(text.substr(position + 2, 4)) + "}";
        position += 6;
        return;
      }
      return copy(2);
    case 'p':
    case 'P':
      return property();
    default:
      return copy(2);
    }
  }

  void property() {
    std::size_t end = text.find('}', position);
    if (position + 2 >= text.size() || text[position + 2] != '{' || end == std::string_view::npos)
      return copy(2);
    std::string_view name = text.substr(position + 3, end - position - 3);
    out += text.substr(position, 3);
    if (name.starts_with('^')) {
      out += '^';
      name.remove_prefix(1);
    }
    auto known = propertyNames.find(name);
    out += known == propertyNames.end() ? name : std::string_view(known->second);
    out += '}';
    position = end + 1;
  }

  void classCharacter() {
    if (text[position] == '\\')
      return escape();
    if (sees("&&"))
      refuse("&& in a class");
    if (sees("[:")) {
      std::size_t end = text.find(":]", position);
      return copy(end == std::string_view::npos ? 1 : end + 2 - position);
    }
    if (text[position] == '[')
      refuse("a class in a class");
    inClass = text[position] != ']';
    copy(1);
  }

  void character() {
    if (text[position] == '\\')
      return escape();
    if (text[position] == '[') {
      inClass = true;
      copy(sees("[^") ? 2 : 1);
      if (sees("]")) // as the first one it is a character
        copy(1);
      return;
    }
    if (text[position] == '{' && interval())
      return;
    if (sees("(?"))
      return group();
    copy(1);
  }

  /// "{2,3}"; a + after it repeats it in Oniguruma, but makes it possessive in PCRE2.
  bool interval() {
    std::size_t end = text.find_first_not_of("0123456789,", position + 1);
    if (end == std::string_view::npos || text[end] != '}')
      return false;
    if (end + 1 < text.size() && text[end + 1] == '+') {
      position = end;
      refuse("}+");
    }
    copy(end + 1 - position);
    return true;
  }

  /// Flags: Ruby's m lets . match line ends, which is PCRE2's s.
  void group() {
    std::size_t end = text.find_first_not_of("imx-", position + 2);
    copy(2);
    if (end == std::string_view::npos || (text[end] != ':' && text[end] != ')'))
      return; // a lookaround, a name, an atomic group
    for (; position < end; ++position)
      out += text[position] == 'm' ? 's' : text[position];
  }

  std::string_view text;
  std::size_t position = 0;
  bool inClass = false;
  std::string out;
};

} // namespace

std::string translateOniguruma(std::string_view expression) { return Translator(expression).run(); }

} // namespace nstf::runtime
