// Numbers as Python reads and writes them.
#pragma once

#include "runtime/model/chat_template/Context.h"

#include <optional>

namespace nstf::runtime::jinja {

/// float(text): "1.5", " 1e3 ", "1_000.0", "inf", "nan".
std::optional<double> parseReal(std::string_view text);
/// int(text, base): " -12 ", "1_000"; base 0 goes by the prefix. Throws where it is beyond 64 bits.
std::optional<int64_t> parseInteger(Context &context, std::string_view text, int base = 10);
/// repr(): the shortest text that is read as this number, "1.0", "1e+16", "inf".
std::string formatReal(double value);
/// int(value): towards zero; throws where it is beyond 64 bits.
int64_t truncate(Context &context, double value);
/// round(value, digits): to nearest, by the decimal digits it really has.
double roundReal(double value, int64_t digits);
int64_t roundInteger(Context &context, int64_t value, int64_t digits);

} // namespace nstf::runtime::jinja
