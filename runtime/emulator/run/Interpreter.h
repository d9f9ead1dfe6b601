// Runs waves and workgroups.
#pragma once

#include "runtime/emulator/instructions/Wave.h"

#include <atomic>

namespace nstf::emulator {

/// The instructions that a launch may still execute. Threads take them in portions.
class StepBudget {
public:
  explicit StepBudget(uint64_t limit) : left(limit) {}
  /// Takes up to `portion`; 0: none are left.
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
  Ended,   ///< all waves have
  Moved,   ///< a wave ended or came to a barrier, and all that can run have yielded
  Yielded, ///< every wave waits at a barrier or yielded: it may be waiting for another workgroup
};

/// Runs the waves of a workgroup, each until it ends, waits at a barrier or yields, again and again while barriers let
/// them go on. A fault (WaveFault) leaves the faulting wave in `faulting`.
Turn runTurn(Workgroup &group, Wave *&faulting);

/// Turn after turn to the end.
inline void runWorkgroup(Workgroup &group, Wave *&faulting) {
  while (runTurn(group, faulting) != Turn::Ended)
    ;
}

} // namespace nstf::emulator
