// A piece of hardware that serves requests one after the other.
#pragma once

#include <algorithm>

namespace nstf::emulator::timing {

/// What waits in front of it is work that drains as time goes on. Requests are booked in about the order in which they
/// arrive; one that arrives before another that was booked already waits for the work there is.
///
/// Times are core clocks with fractions, here and everywhere inside the memory system.
class Channel {
public:
  /// Books `service` clocks for a request that arrives at `arrival`. Returns how long it waits before it is served.
  double book(double arrival, double service) {
    if (arrival > last) {
      backlog = std::max(0.0, backlog - (arrival - last));
      last = arrival;
    }
    double wait = backlog;
    backlog += service;
    return wait;
  }

private:
  double last = 0, backlog = 0;
};

} // namespace nstf::emulator::timing
