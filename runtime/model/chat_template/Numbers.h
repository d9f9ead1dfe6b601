// Numbers as Python parses and formats them.
#pragma once

#include "runtime/model/chat_template/Context.h"

#include <optional>

namespace nstf::runtime::jinja {

/// float(text): "1.5", " 1e3 ", "1_000.0", "inf", "nan".
std::optional<double> parseReal(std::string_view text);
/// int(text, base): " -12 ", "1_000"; base 0 takes the base from the prefix. Throws when the number exceeds 64 bits.
std::optional<int64_t> parseInteger(Context &context, std::string_view text, int base = 10);
/// repr(): the shortest text that parses to this number, "1.0", "1e+16", "inf".
std::string formatReal(double value);
/// int(value): towards zero; throws when the number exceeds 64 bits.
int64_t truncate(Context &context, double value);
/// round(value, digits): to nearest, by the exact decimal digits of the value.
double roundReal(double value, int64_t digits);
int64_t roundInteger(Context &context, int64_t value, int64_t digits);

} // namespace nstf::runtime::jinja
