// Runs waves and workgroups.
#pragma once

#include "runtime/emulator/instructions/Wave.h"

#include <atomic>

namespace nstf::emulator {

/// The number of instructions that a launch may still execute. Threads take them in portions.
class StepBudget {
public:
  explicit StepBudget(uint64_t limit) : left(limit) {}
  /// Takes up to `portion` instructions; 0: none are left.
  uint64_t take(uint64_t portion) {
    uint64_t before = left.load();
    while (before && !left.compare_exchange_weak(before, before - std::min(before, portion)))
      ;
    return std::min(before, portion);
  }
  void giveBack(uint64_t rest) { left += rest; }

private:
  std::atomic<uint64_t> left;
};

enum class Turn : uint8_t {
  Ended,   ///< all waves have ended
  Moved,   ///< a wave ended or reached a barrier, and all waves that can run have yielded
  Yielded, ///< every wave is at a barrier or yielded: the workgroup may be waiting for another one
};

/// Runs the waves of a workgroup. Each runs until it ends, reaches a barrier or yields; this repeats while barriers
/// open. On a fault (WaveFault), the faulting wave is left in `faulting`.
Turn runTurn(Workgroup &group, Wave *&faulting);

/// Runs turns until the workgroup ends.
inline void runWorkgroup(Workgroup &group, Wave *&faulting) {
  while (runTurn(group, faulting) != Turn::Ended)
    ;
}

} // namespace nstf::emulator
