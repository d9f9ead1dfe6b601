#include "passes/analysis/WorkgroupOrder.h"

#include <algorithm>
#include <set>

namespace nstf::systolic {

double getSharedPart(const WorkgroupOrder &order, const std::vector<SharedTile> &tiles, int64_t xcds, int64_t atOnce) {
  constexpr int64_t rounds = 4; // a sample; the rest of the grid repeats it
  const int64_t items = order.rows * order.columns;
  int64_t read = 0, different = 0;
  for (int64_t xcd = 0; xcd < std::min(xcds, items); ++xcd)
    for (int64_t round = 0; round < rounds; ++round) {
      std::set<int64_t> ofRows, ofColumns;
      int64_t count = 0;
      for (int64_t i = round * atOnce; i < (round + 1) * atOnce && i * xcds + xcd < items; ++i, ++count) {
        const auto [row, column] = order.place(i * xcds + xcd);
        ofRows.insert(row);
        ofColumns.insert(column);
      }
      for (const SharedTile &tile : tiles) {
        const int64_t rowsRead = tile.byRow ? int64_t(ofRows.size()) : std::min<int64_t>(count, 1);
        const int64_t distinct = tile.byRow && tile.byColumn ? count
                                 : tile.byColumn             ? int64_t(ofColumns.size())
                                                             : rowsRead;
        read += count * tile.bytes;
        different += distinct * tile.bytes;
      }
    }
  return read == 0 ? 0 : 1 - double(different) / double(read);
}

WorkgroupOrder chooseOrder(int64_t rows, int64_t columns, const std::vector<SharedTile> &tiles, int64_t xcds,
                           int64_t atOnce) {
  constexpr int64_t maxRows = 32;
  constexpr double worthwhile = 0.01;
  WorkgroupOrder best{rows, columns};
  double bestPart = getSharedPart(best, tiles, xcds, atOnce) + worthwhile;
  for (int64_t window = 1; window <= std::min(rows, maxRows); ++window)
    for (int64_t runs : {int64_t(1), xcds}) {
      const WorkgroupOrder order{rows, columns, runs, window};
      // A narrower last window costs a second division, so the order must share more to be worth it.
      const double part = getSharedPart(order, tiles, xcds, atOnce) - (rows % window != 0 ? worthwhile : 0);
      if (part > bestPart) {
        best = order;
        bestPart = part;
      }
    }
  return best;
}

} // namespace nstf::systolic
