// Which waves of a SIMD issue in its turn: one of each kind, the one of higher priority first, then the oldest.
#pragma once

#include "runtime/emulator/timing/TimedWave.h"

#include <array>
#include <bit>

namespace nstf::emulator::timing {

class IssueArbiter {
public:
  void offer(TimedWave &wave) {
    TimedWave *&best = chosen[size_t(wave.slot)];
    const uint32_t slot = 1u << size_t(wave.slot);
    if (!(taken & slot) || wave.rank < best->rank)
      best = &wave;
    taken |= slot;
  }
  /// Takes a winner back.
  template <typename Predicate> void refuse(Slot slot, Predicate holds) {
    if (taken >> size_t(slot) & 1 && holds(*chosen[size_t(slot)]))
      taken &= ~(1u << size_t(slot));
  }
  bool isIdle() const { return !taken; }
  /// Calls function(wave) for the winners, slot by slot.
  template <typename Function> void forEach(Function function) const {
    for (uint32_t left = taken; left; left &= left - 1)
      function(*chosen[size_t(std::countr_zero(left))]);
  }
  template <typename Predicate> bool any(Predicate holds) const {
    bool found = false;
    forEach([&](const TimedWave &wave) { found |= holds(wave); });
    return found;
  }

private:
  std::array<TimedWave *, slots> chosen; ///< where `taken` says so
  uint32_t taken = 0;                    ///< slots, a bit each
};

} // namespace nstf::emulator::timing
