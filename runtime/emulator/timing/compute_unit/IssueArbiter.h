// Chooses the waves of a SIMD that issue in its turn: at most one for each slot, by priority and then by age (oldest
// first).
#pragma once

#include "runtime/emulator/timing/compute_unit/Simd.h"

#include <array>
#include <bit>

namespace nstf::emulator::timing {

class IssueArbiter {
public:
  void begin() { taken = 0; }
  void offer(const Simd::Seat &seat) {
    const Simd::Seat *&best = chosen[size_t(seat.slot)];
    const uint32_t slot = 1u << size_t(seat.slot);
    if (!(taken & slot) || seat.rank < best->rank)
      best = &seat;
    taken |= slot;
  }
  /// Removes the winner of a slot if the predicate holds for it.
  template <typename Predicate> void refuse(Slot slot, Predicate holds) {
    if (taken >> size_t(slot) & 1 && holds(*chosen[size_t(slot)]->wave))
      taken &= ~(1u << size_t(slot));
  }
  bool isIdle() const { return !taken; }
  /// Stores the winners by slot in `waves` and returns their number.
  size_t winners(std::array<TimedWave *, slots> &waves) const {
    size_t count = 0;
    for (uint32_t left = taken; left; left &= left - 1)
      waves[count++] = chosen[size_t(std::countr_zero(left))]->wave;
    return count;
  }
  template <typename Predicate> bool any(Predicate holds) const {
    bool found = false;
    for (uint32_t left = taken; left; left &= left - 1)
      found |= holds(*chosen[size_t(std::countr_zero(left))]);
    return found;
  }

private:
  std::array<const Simd::Seat *, slots> chosen; ///< valid for slots in `taken`
  uint32_t taken = 0;                           ///< slots, one bit each
};

} // namespace nstf::emulator::timing
