// What the rounds of loops take that nobody recorded (RoundSkipper.h), and what they do.
//
// The model's clock doesn't advance for them: all resident waves skip about as many, so what they take, on average over
// the waves, passes for all of the chip.
#pragma once

#include "runtime/emulator/timing/Counters.h"
#include "runtime/emulator/timing/MemoryCounters.h"
#include "runtime/emulator/timing/Stalls.h"
#include "runtime/emulator/timing/WaveTrace.h"

#include <map>

namespace nstf::emulator::timing {

class TimingFacts;

class SkippedTime {
public:
  /// One of `waves` resident waves skips rounds behind the branch that ends a loop. `measured`: clocks of the rounds
  /// before; `before`: of those before the rounds skipped last, 0: there were none.
  void add(uint32_t branch, const SkippedRounds &rounds, Clocks measured, Clocks before, uint64_t waves);

  Clocks clocks() const { return Clocks(total); }
  uint64_t instructions() const { return skippedInstructions; }
  /// By how much rounds change from one measurement to the next, of the clocks: half of that may be wrong.
  double drift() const;
  /// Makes what was counted of the recorded rounds what all of them do.
  void complete(const TimingFacts &facts, Counters &counters, MemoryCounters &memory, StallTable &stalls) const;

private:
  struct Loop {
    uint32_t head;
    uint64_t rounds = 0;
  };
  std::map<uint32_t, Loop> loops; ///< by the branch
  double total = 0;               ///< clocks
  double waveClocks = 0;          ///< the same of all waves
  uint64_t skippedInstructions = 0;
  double later = 0, earlier = 0; ///< clocks of rounds that were measured twice
};

} // namespace nstf::emulator::timing
