// The next event of a fixed number of actors, each of which knows its next time.
//
// A calendar queue: one bit for each actor at each of the next few thousand clocks. Changing a time takes a few steps,
// and the events after the next one can be found too. Among actors with the same time, the one with the lowest number
// acts first.
#pragma once

#include "runtime/emulator/timing/chip/Clocks.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace nstf::emulator::timing {

class EventQueue {
public:
  explicit EventQueue(size_t actors)
      : words((actors + 63) / 64), times(actors, never), days(window * words), busy(window / 64) {}

  /// The time of the next actor; never: no actor has a time.
  Clocks time() {
    find();
    return today < window ? begin + today : never;
  }
  /// The next actor. Precondition: time() is not never.
  uint32_t actor() {
    find();
    const uint64_t *word = &days[today * words];
    uint32_t first = 0;
    for (; !*word; ++word)
      first += 64;
    return first + uint32_t(std::countr_zero(*word));
  }
  void set(uint32_t actor, Clocks time) {
    const Clocks before = std::exchange(times[actor], time);
    if (before - begin < window)
      takeOut(uint32_t(before - begin), actor);
    if (time - begin < window)
      enter(uint32_t(time - begin), actor);
    else
      isBehind |= time < begin;
  }

  /// The earliest time after `time` at which an actor acts, within the calendar; else never. Precondition: `time` is
  /// not before the next actor's.
  Clocks timeAfter(Clocks time) const {
    const uint32_t day = firstBusy(uint32_t(std::min<Clocks>(time + 1 - begin, window)));
    return day < window ? begin + day : never;
  }
  /// Calls function(actor) for the actors at `time`, a result of timeAfter.
  template <typename Function> void forEachAt(Clocks time, Function function) const {
    const uint64_t *word = &days[size_t(time - begin) * words];
    for (uint32_t first = 0; first < times.size(); first += 64, ++word)
      for (uint64_t left = *word; left; left &= left - 1)
        function(first + uint32_t(std::countr_zero(left)));
  }

private:
  static constexpr uint32_t window = 4096; ///< clocks that the calendar covers, a day each

  void enter(uint32_t day, uint32_t actor) {
    days[day * words + actor / 64] |= uint64_t(1) << actor % 64;
    busy[day / 64] |= uint64_t(1) << day % 64;
    today = std::min(today, day);
  }
  void takeOut(uint32_t day, uint32_t actor) {
    uint64_t *const words = &days[day * this->words];
    words[actor / 64] &= ~(uint64_t(1) << actor % 64);
    uint64_t left = 0;
    for (size_t i = 0; i < this->words; ++i)
      left |= words[i];
    if (!left)
      busy[day / 64] &= ~(uint64_t(1) << day % 64);
  }
  uint32_t firstBusy(uint32_t day) const {
    if (day >= window)
      return window;
    size_t word = day / 64;
    uint64_t left = busy[word] & (~uint64_t(0) << day % 64);
    while (!left) {
      if (++word == busy.size())
        return window;
      left = busy[word];
    }
    return uint32_t(word * 64 + std::countr_zero(left));
  }
  void find() {
    if (!isBehind && (today = firstBusy(today)) < window)
      return;
    beginAnew();
  }
  /// Rebuilds the calendar from the earliest time.
  void beginAnew() {
    if (isBehind) {
      std::ranges::fill(days, 0);
      std::ranges::fill(busy, 0);
      isBehind = false;
    }
    today = window;
    const Clocks first = std::ranges::min(times);
    begin = first == never ? 0 : first;
    for (uint32_t actor = 0; actor < times.size(); ++actor)
      if (times[actor] - begin < window)
        enter(uint32_t(times[actor] - begin), actor);
  }

  const size_t words;         ///< words of a day
  std::vector<Clocks> times;  ///< by actor
  std::vector<uint64_t> days; ///< one bit for each actor
  std::vector<uint64_t> busy; ///< days with any actor, one bit each
  Clocks begin = 0;           ///< time of the first day
  uint32_t today = window;    ///< no actor acts on an earlier day
  bool isBehind = false;      ///< an actor acts before the first day
};

} // namespace nstf::emulator::timing
