// Who acts next, of a fixed number of actors that each know their next time.
//
// A calendar: a bit for each actor at each of the next few thousand clocks, so changing a time takes a few steps and
// who comes after the next one is known. At the same time the actor of the lowest number acts first.
#pragma once

#include "runtime/emulator/timing/Clocks.h"

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

  /// Of the next actor; never: nobody acts any more.
  Clocks time() {
    find();
    return today < window ? begin + today : never;
  }
  /// While there is one.
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

  /// When somebody acts after `time`, the next one's or later, as far as the calendar goes; else never.
  Clocks timeAfter(Clocks time) const {
    const uint32_t day = firstBusy(uint32_t(std::min<Clocks>(time + 1 - begin, window)));
    return day < window ? begin + day : never;
  }
  /// Calls function(actor) for those who act at a time that timeAfter gave.
  template <typename Function> void forEachAt(Clocks time, Function function) const {
    const uint64_t *word = &days[size_t(time - begin) * words];
    for (uint32_t first = 0; first < times.size(); first += 64, ++word)
      for (uint64_t left = *word; left; left &= left - 1)
        function(first + uint32_t(std::countr_zero(left)));
  }

private:
  static constexpr uint32_t window = 4096; ///< clocks that the calendar has days for

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
  /// With the earliest time there is.
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

  const size_t words;         ///< of a day
  std::vector<Clocks> times;  ///< by actor
  std::vector<uint64_t> days; ///< actors, a bit each
  std::vector<uint64_t> busy; ///< days on which anybody acts, a bit each
  Clocks begin = 0;           ///< of the first day
  uint32_t today = window;    ///< nobody acts before
  bool isBehind = false;      ///< somebody acts before the first day
};

} // namespace nstf::emulator::timing
