#include "support/Number.h"

#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>

namespace nstf::support {

std::optional<Number> Number::parse(std::string_view text) {
  Number number;
  if (text == "true" || text == "false") {
    number.isWhole = true;
    number.magnitude = number.value = text == "true";
    return number;
  }
  std::string_view digits = text;
  if (!digits.empty() && (digits.front() == '-' || digits.front() == '+')) {
    number.negative = digits.front() == '-';
    digits.remove_prefix(1);
  }
  double sign = number.negative ? -1.0 : 1.0;
  if (digits == "nan" || digits == ".nan" || digits == "NaN" || digits == ".NaN") {
    number.value = std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
    return number;
  }
  if (digits == "inf" || digits == ".inf" || digits == "Inf" || digits == ".Inf" || digits == "infinity") {
    number.value = sign * std::numeric_limits<double>::infinity();
    return number;
  }
  bool isHex = digits.starts_with("0x") || digits.starts_with("0X");
  std::string_view body = isHex ? digits.substr(2) : digits;
  // from_chars would also accept a second sign, and words such as "inf".
  if (body.empty() || (body.front() != '.' && !std::isxdigit(static_cast<unsigned char>(body.front()))))
    return std::nullopt;
  const char *end = body.data() + body.size();
  auto whole = std::from_chars(body.data(), end, number.magnitude, isHex ? 16 : 10);
  if (whole.ec == std::errc() && whole.ptr == end) {
    number.isWhole = true;
    number.value = sign * double(number.magnitude);
    return number;
  }
  number.magnitude = 0;
  auto real =
      std::from_chars(body.data(), end, number.value, isHex ? std::chars_format::hex : std::chars_format::general);
  if (real.ec != std::errc() || real.ptr != end)
    return std::nullopt;
  number.value *= sign;
  return number;
}

std::optional<Number> Number::getWhole() const {
  Number whole = *this;
  if (isWhole)
    return whole;
  double absolute = std::abs(value);
  if (!(absolute < 0x1p64) || absolute != std::floor(absolute))
    return std::nullopt;
  whole.isWhole = true;
  whole.magnitude = uint64_t(absolute);
  whole.negative = value < 0;
  return whole;
}

} // namespace nstf::support
