// vmcnt and lgkmcnt of a wave, as the times at which they decrease.
//
// The memory system returns absolute times, so a counter is a list of them; no state changes clock by clock.
#pragma once

#include "runtime/emulator/timing/chip/Clocks.h"

#include <algorithm>
#include <array>

namespace nstf::emulator::timing {

/// vmcnt: 6 bits; instructions complete in the order of their issue.
class VectorCounter {
public:
  static constexpr unsigned max = 63;
  void add(Clocks done) {
    last = std::max(last, done);
    completions[issued++ % completions.size()] = last;
  }
  /// When at most `count` (up to `max`) are outstanding.
  Clocks downTo(unsigned count) const {
    return issued > count ? completions[(issued - count - 1) % completions.size()] : 0;
  }

  /// Prefetches on the host the place that add() writes.
  void prefetch() const { __builtin_prefetch(&completions[issued % completions.size()], 1); }

private:
  uint64_t issued = 0;
  Clocks last = 0;
  std::array<Clocks, max + 1> completions;
};

/// lgkmcnt: 4 bits. LDS instructions complete in order, scalar loads in any order.
class ScalarCounter {
public:
  static constexpr unsigned max = 15;
  /// Precondition: at `now`, at most `max` - 1 are outstanding.
  void add(Clocks now, Clocks done) {
    unsigned over = 0; // number of completed ones
    while (over < size && completions[over] <= now)
      ++over;
    if (over) {
      std::copy(completions.begin() + over, completions.begin() + size, completions.begin());
      size -= over;
    }
    unsigned at = size++;
    for (; at && completions[at - 1] > done; --at)
      completions[at] = completions[at - 1];
    completions[at] = done;
  }
  void addInOrder(Clocks now, Clocks done) {
    lastInOrder = std::max(lastInOrder, done);
    add(now, lastInOrder);
  }
  Clocks downTo(unsigned count) const { return size > count ? completions[size - count - 1] : 0; }

private:
  unsigned size = 0;
  Clocks lastInOrder = 0;
  std::array<Clocks, max + 1> completions; ///< ascending
};

} // namespace nstf::emulator::timing
