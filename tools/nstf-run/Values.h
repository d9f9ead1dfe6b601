// Values on a command line, read to the last character: what is no number, or lies outside its range, is an error that
// names the option.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

/// An integer in decimal from `min` to `max`. Throws CLI::ValidationError.
int64_t parseInteger(const std::string &option, const std::string &text, int64_t min,
                     int64_t max = std::numeric_limits<int64_t>::max());
/// One from 0 to 2^64 - 1.
uint64_t parseSeed(const std::string &option, const std::string &text);
/// "1,403,407": integers of 0 and more, at least one.
std::vector<int32_t> parseList(const std::string &option, const std::string &text, int32_t min = 0);
/// A decimal number, or "inf" with a sign.
double parseNumber(const std::string &option, const std::string &text);
