// Many numbers of one float format as numbers of another, by the widest vectors this machine has.
//
// Rounding is once, to nearest even; what is beyond the largest number becomes infinity, subnormals stay, and a NaN
// keeps its sign and the upper bits of its payload: to the bit what nstf/FloatTypes.h does with one number.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace nstf::support {

enum class FloatFormat { f64, f32, f16, bf16 };

/// "f64", "f32", "f16" or "bf16".
std::optional<FloatFormat> floatFormatFromName(std::string_view name);

/// `count` numbers from `from` to `to`, which don't overlap and need no alignment.
void convertNumbers(const std::byte *from, FloatFormat fromFormat, std::byte *to, FloatFormat toFormat, size_t count);

} // namespace nstf::support
