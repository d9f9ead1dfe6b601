// Formats numbers and texts in fields, and HTML escapes.
#include "runtime/model/chat_template/Format.h"
#include "runtime/model/chat_template/Numbers.h"
#include "runtime/model/chat_template/Text.h"
#include "runtime/model/tokenizer_json/Unicode.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace nstf::runtime::jinja {

namespace {

constexpr int64_t maxPrecision = 1000; // a double has no more digits

std::string signOf(bool negative, char sign) { return negative ? "-" : sign == '-' ? "" : std::string(1, sign); }

std::string formatWhole(Context &context, int64_t value, const FormatSpec &spec) {
  if (spec.precision >= 0)
    context.fail("expected no precision for an integer");
  if (spec.type == 'c') {
    if (value < 0 || value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
      context.fail("expected a character's code but got " + std::to_string(value));
    std::string character;
    unicode::append(character, static_cast<char32_t>(value));
    return character;
  }
  const char type = spec.type == 'X' ? 'x' : spec.type;
  const int base = type == 'b' ? 2 : type == 'o' ? 8 : type == 'x' ? 16 : 10;
  char buffer[80];
  const uint64_t magnitude = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  std::string digits(buffer, std::to_chars(buffer, buffer + sizeof buffer, magnitude, base).ptr);
  if (spec.type == 'X')
    std::transform(digits.begin(), digits.end(), digits.begin(),
                   [](char c) { return c >= 'a' ? static_cast<char>(c - 32) : c; });
  if (spec.grouping) {
    const int64_t group = base == 10 ? 3 : 4;
    for (auto at = static_cast<int64_t>(digits.size()) - group; at > 0; at -= group)
      digits.insert(static_cast<size_t>(at), 1, spec.grouping);
  }
  const std::string prefix = spec.alternate && base != 10 ? std::string("0") + spec.type : "";
  return signOf(value < 0, spec.sign) + prefix + digits;
}

/// C's %e, %f or %g, without a sign.
std::string print(double magnitude, char type, int64_t precision, bool alternate) {
  const char format[] = {
      '%', alternate ? '#' : '.', alternate ? '.' : '*', alternate ? '*' : type, alternate ? type : '\0', '\0'};
  std::string text(400 + static_cast<size_t>(precision), '\0');
  text.resize(
      static_cast<size_t>(std::snprintf(text.data(), text.size(), format, static_cast<int>(precision), magnitude)));
  return text;
}

/// Without a type: like repr, or with `precision` digits, at least one of them after the point.
std::string printPlain(double magnitude, int64_t precision) {
  if (precision < 0)
    return formatReal(magnitude);
  precision = std::max<int64_t>(precision, 1);
  const std::string scientific = print(magnitude, 'e', precision - 1, false);
  const int exponent = std::atoi(scientific.c_str() + scientific.find('e') + 1);
  if (exponent < -4 || exponent >= precision - 1) {
    // %g's form with an exponent: trailing zeros are removed.
    std::string digits = scientific.substr(0, scientific.find('e'));
    if (digits.find('.') != std::string::npos)
      digits.erase(digits.find_last_not_of(".0") == std::string::npos
                       ? 1
                       : std::max<size_t>(digits.find_last_not_of('0') + 1, 1));
    if (digits.ends_with('.'))
      digits.pop_back();
    return digits + scientific.substr(scientific.find('e'));
  }
  const std::string text = print(magnitude, 'g', precision, false);
  return text.find('.') == std::string::npos ? text + ".0" : text;
}

std::string formatFloat(Context &context, double value, const FormatSpec &spec) {
  if (spec.precision > maxPrecision)
    context.fail("expected a precision of at most " + std::to_string(maxPrecision) + " but got " +
                 std::to_string(spec.precision));
  const bool percent = spec.type == '%';
  const char type = percent ? 'f' : spec.type == 'n' ? 'g' : spec.type;
  const double magnitude = std::fabs(percent ? value * 100 : value);
  std::string text;
  if (!std::isfinite(value))
    text = std::isnan(value) ? "nan" : "inf";
  else if (type == '\0')
    text = printPlain(magnitude, spec.precision);
  else
    text = print(magnitude, type == 'F' ? 'f' : type, spec.precision < 0 ? 6 : spec.precision, spec.alternate);
  if (type == 'F' || type == 'E' || type == 'G')
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  if (spec.grouping && std::isfinite(value)) {
    const size_t whole = text.find_first_not_of("0123456789");
    for (auto at = static_cast<int64_t>(whole == std::string::npos ? text.size() : whole) - 3; at > 0; at -= 3)
      text.insert(static_cast<size_t>(at), 1, spec.grouping);
  }
  return signOf(std::signbit(value) && !std::isnan(value), spec.sign) + text + (percent ? "%" : "");
}

} // namespace

std::string formatNumber(Context &context, const Value &number, const FormatSpec &spec) {
  const bool whole = std::string_view("bcdoxX").find(spec.type) != std::string_view::npos;
  if (number.isInteger() && (whole || spec.type == '\0' || spec.type == 'n'))
    return formatWhole(context, number.getInteger(), spec);
  if (spec.type != '\0' && std::string_view("eEfFgGn%").find(spec.type) == std::string_view::npos)
    context.fail("expected a type of " + std::string(describe(number)) + " in its format but got '" +
                 std::string(1, spec.type) + "'");
  return formatFloat(context, number.asReal(), spec);
}

void appendAligned(TextBuilder &out, std::string_view text, const FormatSpec &spec, char defaultAlign) {
  const char align = spec.align ? spec.align : defaultAlign;
  const auto length = static_cast<int64_t>(countCharacters(text));
  const int64_t space = std::max<int64_t>(spec.width - length, 0);
  size_t front = 0; // length of sign and prefix
  if (align == '=') {
    front = !text.empty() && std::string_view("+- ").find(text[0]) != std::string_view::npos;
    if (spec.alternate && text.size() > front + 1 && text[front] == '0' &&
        std::string_view("xXob").find(text[front + 1]) != std::string_view::npos)
      front += 2;
  }
  const int64_t before = align == '<' ? 0 : align == '^' ? space / 2 : space;
  out += text.substr(0, front);
  out.repeat(spec.fill, before);
  out += text.substr(front);
  out.repeat(spec.fill, space - before);
}

void appendEscaped(TextBuilder &out, std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const size_t special = std::min(text.find_first_of("&<>'\"", at), text.size());
    out += text.substr(at, special - at);
    at = special + 1;
    if (special == text.size())
      return;
    const char c = text[special];
    out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '\'' ? "&#39;" : "&#34;";
  }
}

} // namespace nstf::runtime::jinja
