#include "runtime/emulator/services/Format.h"
#include "support/Escape.h"

#include <bit>
#include <cstdio>
#include <cstring>

namespace nstf::emulator::services {
namespace {

constexpr int64_t maxWidth = 1 << 20;       // also of precisions
constexpr size_t maxText = size_t(1) << 24; // bytes of a printf

/// Takes the arguments from the words, one after the other.
class Arguments {
public:
  explicit Arguments(std::span<const uint64_t> words) : words(words) {}

  bool empty() const { return words.empty(); }
  uint64_t word() {
    const uint64_t first = words.front();
    words = words.subspan(1);
    return first;
  }
  std::string_view string() {
    const char *begin = reinterpret_cast<const char *>(words.data());
    const void *end = std::memchr(begin, 0, words.size_bytes());
    if (!end)
      throw PrintfError("a string has no end");
    const size_t bytes = size_t(static_cast<const char *>(end) - begin);
    words = words.subspan(bytes / 8 + 1);
    return {begin, bytes};
  }
  std::span<const uint64_t> rest() const { return words; }

private:
  std::span<const uint64_t> words;
};

enum class Length { Char, Short, Int, Long };

/// One conversion of a format: "%-*.3lld".
class Conversion {
public:
  /// Reads the conversion that begins behind the '%' at `at - 1`; `at` is then behind it.
  Conversion(std::string_view format, size_t &at, Arguments &arguments)
      : format(format), begin(at - 1), next(at), arguments(arguments) {
    readFlags();
    width = readNumber();
    if (width < 0) { // only "*" gives a negative one
      specifier += '-';
      width = -width;
    }
    if (width > 0)
      specifier += std::to_string(width);
    readPrecision();
    readLength();
    if (at == format.size())
      refuse("has no conversion");
    letter = format[next++];
  }

  void appendTo(std::string &text) {
    switch (letter) {
    case '%':
      text += '%';
      return;
    case 'd':
    case 'i':
      return print(text, "ll", asSigned(argument()));
    case 'o':
    case 'u':
    case 'x':
    case 'X':
      return print(text, "ll", asUnsigned(argument()));
    case 'c':
      refuseWide();
      return print(text, "", int(argument()));
    case 's':
      refuseWide();
      argumentIsThere();
      return print(text, "", arguments.string().data());
    case 'p':
      return print(text, "", reinterpret_cast<void *>(argument()));
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
      return print(text, "", std::bit_cast<double>(argument()));
    case 'n':
      refuse("is refused: printf writes to no memory");
    default:
      refuse("is no conversion");
    }
  }

private:
  [[noreturn]] void refuse(const std::string &why) const {
    throw PrintfError(support::escape(format.substr(begin, next - begin), 40) + " " + why);
  }
  void refuseWide() const {
    if (length == Length::Long)
      refuse("is refused: there are no wide characters");
  }

  void readFlags() {
    while (next < format.size() && std::strchr("-+ #0'", format[next]) && format[next])
      specifier += format[next++];
  }
  /// A number or "*"; 0 if there is none.
  int64_t readNumber() {
    int64_t number = 0;
    if (next < format.size() && format[next] == '*') {
      ++next;
      number = int32_t(argument());
    } else {
      for (; next < format.size() && format[next] >= '0' && format[next] <= '9' && number <= maxWidth; ++next)
        number = number * 10 + (format[next] - '0');
    }
    if (number > maxWidth || number < -maxWidth)
      throw PrintfError("expected widths and precisions up to " + std::to_string(maxWidth) + " but got " +
                        std::to_string(number));
    return number;
  }
  void readPrecision() {
    if (next == format.size() || format[next] != '.')
      return;
    ++next;
    if (const int64_t precision = readNumber(); precision >= 0) // a negative one counts as none
      specifier += "." + std::to_string(precision);
  }
  void readLength() {
    auto take = [&](char wanted) {
      const bool is = next < format.size() && format[next] == wanted;
      next += is;
      return is;
    };
    if (take('h'))
      length = take('h') ? Length::Char : Length::Short;
    else if (take('l'))
      length = (take('l'), Length::Long);
    else if (take('j') || take('z') || take('t') || take('L'))
      length = Length::Long;
  }

  void argumentIsThere() const {
    if (arguments.empty())
      refuse("has no argument");
  }
  uint64_t argument() {
    argumentIsThere();
    return arguments.word();
  }
  long long asSigned(uint64_t word) const {
    switch (length) {
    case Length::Char:
      return int8_t(word);
    case Length::Short:
      return int16_t(word);
    case Length::Int:
      return int32_t(word);
    case Length::Long:
      return int64_t(word);
    }
    return 0;
  }
  unsigned long long asUnsigned(uint64_t word) const {
    switch (length) {
    case Length::Char:
      return uint8_t(word);
    case Length::Short:
      return uint16_t(word);
    case Length::Int:
      return uint32_t(word);
    case Length::Long:
      return word;
    }
    return 0;
  }

  template <typename T> void print(std::string &text, const char *modifier, T value) {
    const std::string whole = "%" + specifier + modifier + letter;
    const size_t before = text.size();
    const int bytes = std::snprintf(nullptr, 0, whole.c_str(), value);
    if (bytes < 0)
      refuse("fails");
    text.resize(before + size_t(bytes) + 1); // with a NUL
    std::snprintf(text.data() + before, size_t(bytes) + 1, whole.c_str(), value);
    text.pop_back();
  }

  std::string_view format;
  size_t begin;
  size_t &next;
  Arguments &arguments;
  std::string specifier; ///< flags, width and precision, as numbers
  int64_t width = 0;
  Length length = Length::Int;
  char letter = 0;
};

} // namespace

std::string formatPrintf(std::string_view format, std::span<const uint64_t> words) {
  Arguments arguments(words);
  std::string text;
  for (size_t at = 0; at < format.size();) {
    const size_t percent = std::min(format.find('%', at), format.size());
    text.append(format, at, percent - at);
    at = percent + 1;
    if (percent < format.size())
      Conversion(format, at, arguments).appendTo(text);
    if (text.size() > maxText)
      throw PrintfError("expected a text of at most " + std::to_string(maxText) + " bytes");
  }
  return text;
}

std::string formatPrintf(std::span<const uint64_t> words) {
  Arguments arguments(words);
  if (arguments.empty())
    throw PrintfError("there is no format");
  const std::string_view format = arguments.string();
  return formatPrintf(format, arguments.rest());
}

} // namespace nstf::emulator::services
