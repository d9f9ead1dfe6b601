// Which waves of a SIMD issue in its turn: one of each kind, the one of higher priority first, then the oldest.
#pragma once

#include "runtime/emulator/timing/TimedWave.h"

#include <algorithm>
#include <array>

namespace nstf::emulator::timing {

class IssueArbiter {
public:
  void offer(TimedWave &wave) {
    TimedWave *&best = chosen[size_t(wave.slot)];
    if (!best || wave.rank < best->rank)
      best = &wave;
  }
  const std::array<TimedWave *, slots> &winners() const { return chosen; }
  /// Takes a winner back.
  template <typename Predicate> void refuse(Slot slot, Predicate holds) {
    TimedWave *&winner = chosen[size_t(slot)];
    if (winner && holds(*winner))
      winner = nullptr;
  }
  bool isIdle() const {
    return !any([](const TimedWave &) { return true; });
  }
  template <typename Predicate> bool any(Predicate holds) const {
    return std::ranges::any_of(chosen, [&](const TimedWave *wave) { return wave && holds(*wave); });
  }

private:
  std::array<TimedWave *, slots> chosen = {};
};

} // namespace nstf::emulator::timing
