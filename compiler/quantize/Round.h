// Rounds numbers to codes.
#pragma once

#include "compiler/quantize/Formats.h"

namespace nstf::quantize {

/// The scale and the zero of a group's codes.
struct Grid {
  double scale; ///< an f16 value; for floats twice one, as in checkpoints (StoredCodes)
  unsigned zero;

  /// The code nearest to a number.
  uint8_t round(const Format &format, double number) const;
  double decode(const Format &format, uint8_t code) const { return scale * decodeCode(format, code, zero); }
};

enum class Clipping {
  None,        ///< codes cover the whole range of a group
  SquaredError ///< of 21 ranges, from 1 to 0.6 of the whole, the one of smallest squared error
};

/// The grids of a row, one for each group, or of several rows, one after another, that share their grids. With zeros,
/// the codes reach from the smallest number to the largest and include 0 exactly. Without zeros, the number of largest
/// magnitude gets code 0, which has no counterpart. For floats it gets 224: checkpoints have codes of e4m3fn, in which
/// the bits of 240 are NaN. Scales are rounded to f16 before codes are chosen. Throws std::runtime_error for a number
/// that is not finite or a scale beyond f16, and names it.
std::vector<Grid> chooseGrids(const Format &format, std::span<const double> rows, Clipping clipping);

/// A row with these grids, whose codes are all 0.
CodedRow makeRow(const Format &format, std::span<const Grid> grids);

/// Rounds each number of a row to the nearest code of its group's grid.
CodedRow roundToNearest(const Format &format, std::span<const double> row, std::span<const Grid> grids);
/// The same with grids chosen for this row.
CodedRow roundToNearest(const Format &format, std::span<const double> row, Clipping clipping = Clipping::None);

} // namespace nstf::quantize
