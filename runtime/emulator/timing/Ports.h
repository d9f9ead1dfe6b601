// What a compute unit reaches outside itself.
//
// TimedLaunch puts the memory system, the recorder and the dispatcher behind it; tests put less. Calls of all compute
// units come in the order of their times: stops exactly, accesses but for a few clocks, others as they say.
#pragma once

#include "runtime/emulator/timing/Clocks.h"
#include "runtime/emulator/timing/WaveTrace.h"

#include <span>

namespace nstf::emulator::timing {

struct TimedGroup;
struct TimingFact;

struct AccessTimes {
  Clocks done;      ///< a load's data are there, a store is acknowledged
  Clocks issueFree; ///< the address unit takes the next instruction
  Clocks placeWait; ///< of the time until then, that for which no place among the L1's misses was free
};

class Ports {
public:
  virtual ~Ports() = default;
  virtual AccessTimes vectorAccess(unsigned computeUnit, Clocks now, const TimingFact &fact,
                                   const MemoryRequest &request, std::span<const LineAccess> lines) = 0;
  /// Has the host fetch what such an access will look up.
  virtual void prefetch(unsigned, std::span<const LineAccess>) const {}
  /// Returns when the data are there.
  virtual Clocks scalarAccess(unsigned computeUnit, Clocks now, const TimingFact &fact,
                              std::span<const LineAccess> lines) = 0;
  /// Cache maintenance (TimingFact: invalidate, writeBack); returns when it is done.
  virtual Clocks maintain(unsigned computeUnit, Clocks now, const TimingFact &fact) = 0;
  /// A line of code that the instruction cache lacks; returns when it is there.
  virtual Clocks instructionMiss(unsigned computeUnit, Clocks now, uint64_t address) = 0;

  /// More of a wave's trace; may be called ahead of time.
  virtual void fill(TimedGroup &group, unsigned wave) = 0;
  /// The instruction at which the wave's trace stops takes effect.
  virtual void executeStop(TimedGroup &group, unsigned wave, Clocks now) = 0;
  /// A wave skips rounds behind branch `branch` (RoundSkipper.h); those measured before took so many clocks, and those
  /// before the rounds skipped last `before` or, if none were, 0.
  virtual void skipped(uint32_t /*branch*/, const SkippedRounds &, Clocks /*measured*/, Clocks /*before*/) {}
  /// All waves have ended; the group's place is free at `drained`, when its stores are acknowledged. May be called
  /// ahead of time. The group belongs to the caller of ComputeUnit::place.
  virtual void groupEnded(TimedGroup &group, Clocks drained) = 0;
};

} // namespace nstf::emulator::timing
