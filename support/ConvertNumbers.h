// Converts arrays of numbers between float formats, with the widest vectors that this machine has.
//
// A number is rounded once, to nearest even. Numbers beyond the largest finite one become infinity, subnormals are
// kept, and a NaN keeps its sign and the upper bits of its payload. The results equal those of nstf/FloatTypes.h bit
// for bit.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace nstf::support {

enum class FloatFormat { f64, f32, f16, bf16 };

/// "f64", "f32", "f16" or "bf16".
std::optional<FloatFormat> floatFormatFromName(std::string_view name);

/// Converts `count` numbers. `from` and `to` must not overlap and need no alignment.
void convertNumbers(const std::byte *from, FloatFormat fromFormat, std::byte *to, FloatFormat toFormat, size_t count);

} // namespace nstf::support
