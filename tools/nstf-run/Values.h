// Parses values on the command line completely. A text that is not a number, or a number outside its range, is an error
// that names the option.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

/// An integer in decimal from `min` to `max`. Throws CLI::ValidationError.
int64_t parseInteger(const std::string &option, const std::string &text, int64_t min,
                     int64_t max = std::numeric_limits<int64_t>::max());
/// A number from 0 to 2^64 - 1.
uint64_t parseSeed(const std::string &option, const std::string &text);
/// "1,403,407": at least one integer, each at least `min`.
std::vector<int32_t> parseList(const std::string &option, const std::string &text, int32_t min = 0);
/// A decimal number, or "inf" with an optional sign.
double parseNumber(const std::string &option, const std::string &text);
