// When the data of a cache line arrives.
#pragma once

#include <algorithm>
#include <cstdint>

namespace nstf::emulator::timing {

/// A whole clock, stored modulo 2^32.
class ReadyTime {
public:
  /// The later of `now` and the time.
  double after(double now) const {
    const uint32_t ahead = clock - uint32_t(int64_t(now));
    return ahead < longestFlight ? std::max(now, double(int64_t(now) + ahead)) : now;
  }
  void set(double time) { clock = uint32_t(int64_t(time) + 1); }

private:
  static constexpr uint32_t longestFlight = 1 << 24;
  uint32_t clock;
};

} // namespace nstf::emulator::timing
