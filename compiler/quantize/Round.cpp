#include "compiler/quantize/Round.h"

#include "nstf/FloatTypes.h"
#include "support/Float8.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

using namespace nstf;
using namespace nstf::quantize;

/// The max number that float codes use; its code is 0x7e.
static constexpr double largestFloat = 224;

uint8_t Grid::round(const Format &format, double number) const {
  if (format.isFloat)
    return scale == 0 ? 0 : support::roundToE4M3FNUZ(std::clamp(number / scale, -largestFloat, largestFloat));
  double code = scale == 0 ? zero : std::nearbyint(number / scale) + zero;
  return uint8_t(std::clamp(code, 0.0, double(format.largestCode())));
}

/// The grid of a group in which `part` of the range has codes.
static Grid makeGrid(const Format &format, double smallest, double largest, double part) {
  if (format.isFloat)
    return {2 * widenF16(roundToF16(part * std::max(-smallest, largest) / (2 * largestFloat))), 0};
  if (!format.zeros) {
    double extreme = -smallest >= largest ? smallest : largest;
    return {widenF16(roundToF16(part * extreme / -double(format.middle()))), format.middle()};
  }
  double low = part * std::min(smallest, 0.0), high = part * std::max(largest, 0.0);
  double scale = widenF16(roundToF16((high - low) / format.largestCode()));
  double zero = scale == 0 ? 0 : std::clamp(std::nearbyint(-low / scale), 0.0, double(format.largestCode()));
  return {scale, unsigned(zero)};
}

static double getSquaredError(const Format &format, const Grid &grid, std::span<const double> group) {
  double sum = 0;
  for (double number : group) {
    double error = grid.decode(format, grid.round(format, number)) - number;
    sum += error * error;
  }
  return sum;
}

static Grid chooseGrid(const Format &format, std::span<const double> group, Clipping clipping) {
  auto [smallest, largest] = std::ranges::minmax(group);
  Grid best = makeGrid(format, smallest, largest, 1);
  if (clipping == Clipping::None || !std::isfinite(best.scale))
    return best;
  double error = getSquaredError(format, best, group);
  for (int step = 1; step <= 20 && error > 0; ++step) {
    Grid grid = makeGrid(format, smallest, largest, 1 - 0.02 * step);
    if (double other = getSquaredError(format, grid, group); other < error) {
      best = grid;
      error = other;
    }
  }
  return best;
}

std::vector<Grid> nstf::quantize::chooseGrids(const Format &format, std::span<const double> rows, Clipping clipping) {
  for (size_t i = 0; i < rows.size(); ++i)
    if (!std::isfinite(rows[i]))
      throw std::runtime_error("expected finite numbers but got " + std::to_string(rows[i]) + " in column " +
                               std::to_string(i % format.columns));
  std::vector<Grid> grids;
  for (int64_t first = 0; first < format.columns; first += format.groupSize()) {
    size_t size = std::min(format.groupSize(), format.columns - first);
    std::span<const double> group = rows.subspan(first, size);
    std::vector<double> gathered; // from several rows
    if (rows.size() > size_t(format.columns)) {
      for (size_t row = 0; row < rows.size(); row += format.columns)
        std::ranges::copy(rows.subspan(row + first, size), std::back_inserter(gathered));
      group = gathered;
    }
    grids.push_back(chooseGrid(format, group, clipping));
    if (!std::isfinite(widenF16(roundToF16(grids.back().scale))))
      throw std::runtime_error("expected a scale within f16 (65504) but got a larger one in the group of column " +
                               std::to_string(first));
  }
  return grids;
}

CodedRow nstf::quantize::makeRow(const Format &format, std::span<const Grid> grids) {
  CodedRow row;
  row.codes.resize(format.columns);
  for (const Grid &grid : grids) {
    row.scales.push_back(float(grid.scale));
    row.zeros.push_back(uint8_t(grid.zero));
  }
  return row;
}

CodedRow nstf::quantize::roundToNearest(const Format &format, std::span<const double> row, Clipping clipping) {
  return roundToNearest(format, row, chooseGrids(format, row, clipping));
}

CodedRow nstf::quantize::roundToNearest(const Format &format, std::span<const double> row,
                                        std::span<const Grid> grids) {
  CodedRow coded = makeRow(format, grids);
  for (int64_t i = 0; i < format.columns; ++i)
    coded.codes[i] = grids[i / format.groupSize()].round(format, row[i]);
  return coded;
}
