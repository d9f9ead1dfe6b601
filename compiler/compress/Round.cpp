#include "compiler/compress/Round.h"

#include "nstf/FloatTypes.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

using namespace nstf;
using namespace nstf::compress;

namespace {

/// What the codes of a group count in, and from where.
struct Grid {
  double scale; ///< an f16
  unsigned zero;
};

} // namespace

static Grid chooseGrid(const IntFormat &format, std::span<const double> group) {
  auto [smallest, largest] = std::ranges::minmax(group);
  if (!format.zeros) {
    double extreme = -smallest >= largest ? smallest : largest;
    return {widenF16(roundToF16(extreme / -double(format.middle()))), format.middle()};
  }
  double low = std::min(smallest, 0.0), high = std::max(largest, 0.0);
  double scale = widenF16(roundToF16((high - low) / format.largestCode()));
  double zero = scale == 0 ? 0 : std::clamp(std::nearbyint(-low / scale), 0.0, double(format.largestCode()));
  return {scale, unsigned(zero)};
}

CodedRow nstf::compress::roundToNearest(const IntFormat &format, std::span<const double> row) {
  for (size_t i = 0; i < row.size(); ++i)
    if (!std::isfinite(row[i]))
      throw std::runtime_error("expected finite numbers but got " + std::to_string(row[i]) + " in column " +
                               std::to_string(i));
  CodedRow coded;
  coded.codes.resize(row.size());
  for (int64_t first = 0; first < format.columns; first += format.groupSize()) {
    std::span<const double> group = row.subspan(first, std::min(format.groupSize(), format.columns - first));
    Grid grid = chooseGrid(format, group);
    if (!std::isfinite(grid.scale))
      throw std::runtime_error("expected a scale within f16 (65504) but got a larger one in the group of column " +
                               std::to_string(first));
    coded.scales.push_back(roundToF16(grid.scale));
    coded.zeros.push_back(uint8_t(grid.zero));
    for (size_t i = 0; i < group.size(); ++i) {
      double code = grid.scale == 0 ? grid.zero : std::nearbyint(group[i] / grid.scale) + grid.zero;
      coded.codes[first + i] = uint8_t(std::clamp(code, 0.0, double(format.largestCode())));
    }
  }
  return coded;
}
