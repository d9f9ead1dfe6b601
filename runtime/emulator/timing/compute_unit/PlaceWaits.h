// Times at which an address unit stood still because the L1 had no free place for a miss.
#pragma once

#include "runtime/emulator/timing/chip/Clocks.h"

#include <algorithm>
#include <array>

namespace nstf::emulator::timing {

/// Keeps the latest of these times. Seldom do more accesses precede a waiting wave than a compute unit has waves.
class PlaceWaits {
public:
  /// Precondition: times are added in order and do not overlap.
  void add(Clocks begin, Clocks end) {
    latest = latest + 1 == times.size() ? 0 : latest + 1;
    times[latest] = {begin, end};
  }
  /// Clocks of these times within [begin, end).
  Clocks within(Clocks begin, Clocks end) const {
    Clocks sum = 0;
    for (size_t i = 0; i < times.size(); ++i) {
      const Time &time = times[(latest + times.size() - i) % times.size()];
      if (time.end <= begin)
        break;
      sum += std::max(std::min(time.end, end), std::max(time.begin, begin)) - std::max(time.begin, begin);
    }
    return sum;
  }

private:
  struct Time {
    Clocks begin = 0, end = 0;
  };
  std::array<Time, 32> times;
  size_t latest = 0;
};

} // namespace nstf::emulator::timing
