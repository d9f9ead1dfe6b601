// From numbers to codes.
#pragma once

#include "compiler/quantize/Formats.h"

namespace nstf::quantize {

/// What the codes of a group count in, and from where.
struct Grid {
  double scale; ///< an f16; of floats twice one, which is what checkpoints have (StoredCodes)
  unsigned zero;

  /// The nearest code of a number.
  uint8_t round(const Format &format, double number) const;
  double decode(const Format &format, uint8_t code) const { return scale * decodeCode(format, code, zero); }
};

enum class Clipping {
  None,        ///< the whole range of a group has codes
  SquaredError ///< of 21 ranges from the whole one to 0.6 of it that of the smallest squared error
};

/// The grids of a row, a group each, or of rows, one behind the other, that share theirs. With zeros a scale reaches
/// from the smallest number to the largest, and to 0, which is exact; without them the number of largest magnitude
/// becomes code 0, which has no counterpart, or of floats 224: checkpoints have codes of e4m3fn, where the bits of 240
/// are no number. Scales are rounded to f16 before codes are chosen. Throws std::runtime_error where a number is not
/// finite or a scale not within f16; it says which.
std::vector<Grid> chooseGrids(const Format &format, std::span<const double> rows, Clipping clipping);

/// A row of these grids, whose codes are all 0 yet.
CodedRow makeRow(const Format &format, std::span<const Grid> grids);

/// A row, each number to the nearest code of its group's grid.
CodedRow roundToNearest(const Format &format, std::span<const double> row, std::span<const Grid> grids);
/// The same with grids of its own.
CodedRow roundToNearest(const Format &format, std::span<const double> row, Clipping clipping = Clipping::None);

} // namespace nstf::quantize
