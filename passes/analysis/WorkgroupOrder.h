// The order of work items over workgroups, chosen so that the work items on an XCD share much of the data in its L2.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace nstf::systolic {

inline int64_t min(int64_t a, int64_t bound) { return a < bound ? a : bound; }
inline int64_t selectBelow(int64_t a, int64_t bound, int64_t below, int64_t other) { return a < bound ? below : other; }

/// Workgroup i runs on XCD i mod `xcds`. With more than one XCD each gets a contiguous run of positions. Positions pass
/// through the grid a window of `window` rows at a time, down each of the window's columns; a window of one row gives
/// row-by-row order.
struct WorkgroupOrder {
  int64_t rows, columns;
  int64_t xcds = 1, window = 1;

  /// The row and the column of a workgroup: a bijection for all sizes. `Number` has + - * / % with int64_t, and `min`
  /// and `selectBelow` (a < bound ? b : c) beside it; all divisors are constants.
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

  /// The same for a launch of `launched` rows, whatever `rows` is: a bijection for its workgroups. Workgroups after
  /// them get row `launched`, which is not a row of the launch. The divisors include the height of the last window.
  /// `Number` also has + - * / % with another Number.
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

/// A tile that the loops of a work item read: `bytes` that are the same for all work items of a row (a column), and
/// depend on no other coordinate.
struct SharedTile {
  int64_t bytes;
  bool byRow, byColumn;
};

/// The share, 0 to 1, of the bytes read by work items that repeat bytes of another work item on the same XCD at the
/// same time; `atOnce` of them run there at once. It is taken over all `xcds` and the first few rounds.
double getSharedPart(const WorkgroupOrder &order, const std::vector<SharedTile> &tiles, int64_t xcds, int64_t atOnce);

/// The order with the largest shared part; among equals the one that takes the least arithmetic. Row by row if no other
/// order gains a hundredth.
WorkgroupOrder chooseOrder(int64_t rows, int64_t columns, const std::vector<SharedTile> &tiles, int64_t xcds,
                           int64_t atOnce);

} // namespace nstf::systolic
