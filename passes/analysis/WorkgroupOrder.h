// Which work item a workgroup takes, so that those whose memory one L2 caches share much of it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace nstf::systolic {

inline int64_t min(int64_t a, int64_t bound) { return a < bound ? a : bound; }
inline int64_t selectBelow(int64_t a, int64_t bound, int64_t below, int64_t other) { return a < bound ? below : other; }

/// Workgroup i runs on XCD i mod `xcds` where these are more than one: each XCD then takes a run of places of its own.
/// Places go through the grid a window of `window` rows at a time, down each of its columns; with a window of one, row
/// by row.
struct WorkgroupOrder {
  int64_t rows, columns;
  int64_t xcds = 1, window = 1;

  /// The row and the column of a workgroup: one to one, whatever the numbers. `Number` has + - * / % with int64_t, and
  /// `min` and `selectBelow` (a < bound ? b : c) beside it; all that is divided by is a constant.
  template <typename Number> std::pair<Number, Number> place(Number workgroup) const {
    Number position = workgroup;
    if (xcds > 1) {
      Number xcd = workgroup % xcds;
      int64_t items = rows * columns, more = items % xcds;
      Number begin = xcd * (items / xcds), own = workgroup / xcds;
      position = begin + own;
      if (more != 0) // the first XCDs have one more
        position = position + min(xcd, more);
    }
    if (window == 1)
      return {position / columns, position % columns};
    Number number = position / (window * columns), rest = position % (window * columns);
    Number row = rest % window, column = rest / window;
    if (int64_t last = rows % window; last != 0) { // rows of the last window
      row = selectBelow(number, rows / window, row, rest % last);
      column = selectBelow(number, rows / window, column, rest / last);
    }
    return {number * window + row, column};
  }

  /// The same of a launch of `launched` rows, whatever `rows` are. One to one for its workgroups; those that come
  /// behind them have row `launched`, which is none. The last window's height is divided by, whether it is a whole one
  /// or not. `Number` has + - * / % with its like, too.
  template <typename Number> std::pair<Number, Number> place(Number workgroup, Number launched) const {
    Number items = launched * columns, inside = min(workgroup, items - 1), position = inside;
    if (xcds > 1) {
      Number xcd = inside % xcds;
      position = xcd * (items / xcds) + inside / xcds + min(xcd, items % xcds);
    }
    Number row = position / columns, column = position % columns;
    if (window > 1) {
      Number number = position / (window * columns), rest = position % (window * columns), first = number * window;
      Number height = min(launched - first, window);
      row = first + rest % height;
      column = rest / height;
    }
    return {selectBelow(workgroup, items, row, launched), column};
  }
};

/// What a work item reads again and again: `bytes` that are the same for all items of a row (a column), where they
/// depend on no other coordinate.
struct SharedTile {
  int64_t bytes;
  bool byRow, byColumn;
};

/// The part of the bytes read by the work items that are on an XCD at once, `atOnce` of them, that another one of these
/// reads too: 0 to 1. On every one of `xcds`, for as many rounds as the first few.
double getSharedPart(const WorkgroupOrder &order, const std::vector<SharedTile> &tiles, int64_t xcds, int64_t atOnce);

/// The order with the largest shared part; of several the one that takes least arithmetic. Row by row, where no other
/// gains as much as a hundredth.
WorkgroupOrder chooseOrder(int64_t rows, int64_t columns, const std::vector<SharedTile> &tiles, int64_t xcds,
                           int64_t atOnce);

} // namespace nstf::systolic
