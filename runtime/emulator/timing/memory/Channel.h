// A hardware resource that serves requests one after the other.
#pragma once

#include "runtime/emulator/timing/memory/BlockTimes.h"

#include <cstddef>
#include <vector>

namespace nstf::emulator::timing {

/// The queue in front of a channel is an amount of work, which drains as time passes. Requests are booked in
/// approximately the order of arrival. A request that arrives before one that is already booked waits for all work
/// booked so far.
///
/// Times are core clocks with fractions, here and in the whole memory system.
class Channel {
public:
  /// Books `service` clocks for a request that arrives at `arrival`. Returns how long the request waits for service.
  double book(double arrival, double service) { return book(last, backlog, arrival, service); }

  /// For one channel or for four.
  template <typename Time> static Time book(Time &last, Time &backlog, const Time &arrival, const Time &service) {
    const Time wait = later(Time(0.0), backlog - later(Time(0.0), arrival - last));
    last = later(last, arrival);
    backlog = wait + service;
    return wait;
  }

private:
  double last = 0, backlog = 0;
};

/// Channels over which blocks are interleaved; the channels of a block's granules are adjacent.
class Channels {
public:
  explicit Channels(size_t count) : fours((count + granules - 1) / granules) {}

  double book(uint32_t channel, double arrival, double service) {
    Four &four = fours[channel / granules];
    return Channel::book(four.last[channel % granules], four.backlog[channel % granules], arrival, service);
  }
  /// Books one request each to the channels `first`, `first` xor 1, `first` xor 2, `first` xor 3.
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
