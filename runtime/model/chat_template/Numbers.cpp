#include "runtime/model/chat_template/Numbers.h"
#include "runtime/model/chat_template/Casing.h"
#include "runtime/model/chat_template/Text.h"
#include "runtime/model/tokenizer_json/Unicode.h"

#include <charconv>
#include <cmath>
#include <system_error>

namespace nstf::runtime::jinja {

namespace {

/// The text with ASCII digits and without underscores. Single underscores are allowed between digits; elsewhere they
/// give std::nullopt.
std::optional<std::string> plainDigits(std::string_view text) {
  std::string digits;
  bool betweenDigits = false;
  for (size_t position = 0; position < text.size();) {
    const char32_t character = unicode::take(text, position);
    if (character == '_' && (!betweenDigits || position == text.size() || text[position] == '_'))
      return std::nullopt;
    const bool decimal = isDecimal(character);
    betweenDigits = decimal || isLetter(character);
    if (decimal)
      digits += static_cast<char>('0' + digitValue(character));
    else if (character != '_')
      unicode::append(digits, character);
  }
  return digits;
}

std::string lowerAscii(std::string_view text) {
  std::string result(text);
  for (char &c : result)
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  return result;
}

} // namespace

std::optional<double> parseReal(std::string_view text) {
  text = stripSpaces(text);
  bool negative = false;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  const std::string word = lowerAscii(text);
  double value = 0;
  if (word == "inf" || word == "infinity")
    value = INFINITY;
  else if (word == "nan")
    value = NAN;
  else {
    const std::optional<std::string> digits = plainDigits(text);
    if (!digits || digits->empty() ||
        (digits->front() != '.' && !isDecimal(static_cast<unsigned char>(digits->front()))))
      return std::nullopt;
    const auto [end, error] = std::from_chars(digits->data(), digits->data() + digits->size(), value);
    if (end != digits->data() + digits->size() || error == std::errc::invalid_argument)
      return std::nullopt;
    // from_chars leaves the value unset: it is infinity, or zero for tiny numbers.
    if (error == std::errc::result_out_of_range)
      value = std::strtod(digits->c_str(), nullptr);
  }
  return negative ? -value : value;
}

std::optional<int64_t> parseInteger(Context &context, std::string_view text, int base) {
  text = stripSpaces(text);
  bool negative = false;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  if (text.size() > 2 && text[0] == '0') {
    const char letter = static_cast<char>(text[1] | 0x20);
    const int prefixed = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
    if (prefixed && (base == 0 || base == prefixed)) {
      base = prefixed;
      text.remove_prefix(text[2] == '_' ? 3 : 2);
    }
  }
  const std::optional<std::string> digits = plainDigits(text);
  if (!digits || digits->empty() || (*digits)[0] == '-')
    return std::nullopt;
  if (base == 0) {
    base = 10;
    if ((*digits)[0] == '0' && digits->find_first_not_of('0') != std::string::npos)
      return std::nullopt;
  }
  const std::string number = (negative ? "-" : "") + *digits;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value, base);
  if (end != number.data() + number.size() || error == std::errc::invalid_argument)
    return std::nullopt;
  if (error == std::errc::result_out_of_range)
    context.fail("expected an integer of 64 bits but got a text of more");
  return value;
}

std::string formatReal(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  const double magnitude = std::fabs(value);
  const bool plain = magnitude == 0 || (magnitude >= 1e-4 && magnitude < 1e16);
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value,
                                 plain ? std::chars_format::fixed : std::chars_format::scientific)
                       .ptr;
  std::string text(buffer, end);
  return plain && text.find('.') == std::string::npos ? text + ".0" : text;
}

int64_t truncate(Context &context, double value) {
  if (!(value >= -0x1p63 && value < 0x1p63))
    context.fail("expected an integer of 64 bits but got " + formatReal(value));
  return static_cast<int64_t>(value);
}

double roundReal(double value, int64_t digits) {
  if (!std::isfinite(value) || value == 0 || digits > 323)
    return value;
  if (digits < -308)
    return std::copysign(0.0, value);
  char buffer[700];
  if (digits >= 0) {
    std::snprintf(buffer, sizeof buffer, "%.*f", static_cast<int>(digits), value);
    return std::strtod(buffer, nullptr);
  }
  // The number of digits that remain before the exponent.
  const int64_t stay = static_cast<int64_t>(std::floor(std::log10(std::fabs(value)))) + digits;
  if (stay < 0) {
    const double half = 5 * std::pow(10.0, static_cast<double>(-digits - 1));
    return std::fabs(value) > half ? std::copysign(std::pow(10.0, static_cast<double>(-digits)), value)
                                   : std::copysign(0.0, value);
  }
  std::snprintf(buffer, sizeof buffer, "%.*e", static_cast<int>(stay), value);
  return std::strtod(buffer, nullptr);
}

int64_t roundInteger(Context &context, int64_t value, int64_t digits) {
  if (digits >= 0)
    return value;
  if (digits < -18)
    return 0;
  int64_t unit = 1;
  for (int64_t i = digits; i < 0; ++i)
    unit *= 10;
  const int64_t rest = ((value % unit) + unit) % unit, down = value / unit - (value % unit < 0);
  const bool up = rest > unit - rest || (rest == unit - rest && down % 2 != 0);
  int64_t rounded = 0;
  if (__builtin_mul_overflow(down + up, unit, &rounded))
    context.fail("expected an integer of 64 bits but got more");
  return rounded;
}

} // namespace nstf::runtime::jinja
