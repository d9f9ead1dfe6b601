// The time and the work of loop rounds that are not recorded (RoundSkipper.h).
//
// The model's clock does not advance for these rounds. All resident waves skip about the same number, so their time,
// averaged over the waves, is added for the whole chip.
#pragma once

#include "runtime/emulator/timing/prediction/Counters.h"
#include "runtime/emulator/timing/prediction/MemoryCounters.h"
#include "runtime/emulator/timing/prediction/Stalls.h"
#include "runtime/emulator/timing/record/WaveTrace.h"

#include <map>

namespace nstf::emulator::timing {

class TimingFacts;

class SkippedTime {
public:
  /// One of `waves` resident waves skips rounds after the branch that ends a loop. `measured`: clocks of the rounds
  /// measured before; `before`: of those measured before the previous skip, 0 if there was none.
  void add(uint32_t branch, const SkippedRounds &rounds, Clocks measured, Clocks before, uint64_t waves);

  Clocks clocks() const { return Clocks(total); }
  uint64_t instructions() const { return skippedInstructions; }
  /// The relative change of the rounds' clocks from one measurement to the next. Half of it may be an error.
  double drift() const;
  /// Scales the counters of the recorded rounds to all rounds.
  void complete(const TimingFacts &facts, Counters &counters, MemoryCounters &memory, StallTable &stalls) const;

private:
  struct Loop {
    uint32_t head;
    uint64_t rounds = 0;
  };
  std::map<uint32_t, Loop> loops; ///< by branch
  double total = 0;               ///< clocks
  double waveClocks = 0;          ///< the same, summed over the waves
  uint64_t skippedInstructions = 0;
  double later = 0, earlier = 0; ///< clocks of rounds that were measured twice
};

} // namespace nstf::emulator::timing
