#include "tools/nstf-run/Values.h"
#include "support/Escape.h"

#include <CLI/Error.hpp>
#include <charconv>

namespace {

[[noreturn]] void fail(const std::string &option, const std::string &expected, const std::string &text) {
  throw CLI::ValidationError(option, "expected " + expected + " but got \"" + nstf::support::escape(text) + "\"");
}

template <typename T> bool parse(std::string_view text, T &value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

std::string rangeText(int64_t min, int64_t max) {
  return max == std::numeric_limits<int64_t>::max()
             ? "an integer of " + std::to_string(min) + " or more, below 2^63,"
             : "an integer from " + std::to_string(min) + " to " + std::to_string(max);
}

} // namespace

int64_t parseInteger(const std::string &option, const std::string &text, int64_t min, int64_t max) {
  int64_t value = 0;
  if (!parse(text, value) || value < min || value > max)
    fail(option, rangeText(min, max), text);
  return value;
}

uint64_t parseSeed(const std::string &option, const std::string &text) {
  uint64_t value = 0;
  if (!parse(text, value))
    fail(option, "an integer from 0 to 2^64 - 1", text);
  return value;
}

std::vector<int32_t> parseList(const std::string &option, const std::string &text, int32_t min) {
  std::vector<int32_t> values;
  for (std::size_t begin = 0, end; begin <= text.size(); begin = end + 1) {
    end = std::min(text.find(',', begin), text.size());
    int32_t value = 0;
    if (!parse(std::string_view(text).substr(begin, end - begin), value) || value < min)
      fail(option, "integers from " + std::to_string(min) + " to 2147483647 with commas between them", text);
    values.push_back(value);
  }
  return values;
}

double parseNumber(const std::string &option, const std::string &text) {
  double value = 0;
  bool isNumber = parse(text.starts_with('+') ? std::string_view(text).substr(1) : text, value);
  if (!isNumber || value != value)
    fail(option, "a number", text);
  return value;
}
