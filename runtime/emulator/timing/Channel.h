// A piece of hardware that serves requests one after the other.
#pragma once

#include "runtime/emulator/timing/BlockTimes.h"

#include <cstddef>
#include <vector>

namespace nstf::emulator::timing {

/// What waits in front of it is work that drains as time goes on. Requests are booked in about the order in which they
/// arrive; one that arrives before another that was booked already waits for the work there is.
///
/// Times are core clocks with fractions, here and everywhere inside the memory system.
class Channel {
public:
  /// Books `service` clocks for a request that arrives at `arrival`. Returns how long it waits before it is served.
  double book(double arrival, double service) { return book(last, backlog, arrival, service); }

  /// Of one channel or of four.
  template <typename Time> static Time book(Time &last, Time &backlog, const Time &arrival, const Time &service) {
    const Time wait = later(Time(0.0), backlog - later(Time(0.0), arrival - last));
    last = later(last, arrival);
    backlog = wait + service;
    return wait;
  }

private:
  double last = 0, backlog = 0;
};

/// Channels that blocks are dealt out over: those of a block's granules stand together.
class Channels {
public:
  explicit Channels(size_t count) : fours((count + granules - 1) / granules) {}

  double book(uint32_t channel, double arrival, double service) {
    Four &four = fours[channel / granules];
    return Channel::book(four.last[channel % granules], four.backlog[channel % granules], arrival, service);
  }
  /// Of requests to the channels `first`, `first` xor 1, `first` xor 2, `first` xor 3.
  Quad book(uint32_t first, const Quad &arrival, const Quad &service) {
    Four &four = fours[first / granules];
    const uint32_t a = first % granules, b = a ^ 1, c = a ^ 2, d = a ^ 3;
    Quad last(four.last[a], four.last[b], four.last[c], four.last[d]);
    Quad backlog(four.backlog[a], four.backlog[b], four.backlog[c], four.backlog[d]);
    const Quad wait = Channel::book(last, backlog, arrival, service);
    for (uint32_t granule = 0; granule < granules; ++granule) {
      four.last[a ^ granule] = last[granule];
      four.backlog[a ^ granule] = backlog[granule];
    }
    return wait;
  }

private:
  struct alignas(64) Four {
    double last[granules] = {}, backlog[granules] = {};
  };
  std::vector<Four> fours;
};

} // namespace nstf::emulator::timing
