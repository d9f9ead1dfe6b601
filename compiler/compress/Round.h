// From numbers to codes.
#pragma once

#include "compiler/compress/Formats.h"

namespace nstf::compress {

/// A row, each group of it by itself and each number to the nearest code. With zeros the scale reaches from the
/// smallest number to the largest, and to 0, which is exact; without them the number of largest magnitude becomes code
/// 0, which has no counterpart. Scales are rounded to f16 before codes are chosen. Throws std::runtime_error where a
/// number is not finite or a scale not within f16; it says which.
CodedRow roundToNearest(const IntFormat &format, std::span<const double> row);

} // namespace nstf::compress
