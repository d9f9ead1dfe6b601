// The interface of a compute unit to everything outside itself.
//
// TimedLaunch implements it with the memory system, the recorder and the dispatcher; tests implement less. The calls of
// all compute units come in the order of their times: stops exactly, accesses within a few clocks, other calls as
// documented.
#pragma once

#include "runtime/emulator/timing/chip/Clocks.h"
#include "runtime/emulator/timing/record/WaveTrace.h"

#include <span>

namespace nstf::emulator::timing {

struct TimedGroup;
struct TimingFact;

struct AccessTimes {
  Clocks done;      ///< a load's data has arrived, a store is acknowledged
  Clocks issueFree; ///< the address unit accepts the next instruction
  Clocks placeWait; ///< part of the time until issueFree in which the L1 had no free place for a miss
};

class Ports {
public:
  virtual ~Ports() = default;
  virtual AccessTimes vectorAccess(unsigned computeUnit, Clocks now, const TimingFact &fact,
                                   const MemoryRequest &request, std::span<const LineAccess> lines) = 0;
  /// Prefetches on the host the data that such an access looks up.
  virtual void prefetch(unsigned, std::span<const LineAccess>) const {}
  /// Returns when the data has arrived.
  virtual Clocks scalarAccess(unsigned computeUnit, Clocks now, const TimingFact &fact,
                              std::span<const LineAccess> lines) = 0;
  /// Cache maintenance (TimingFact: invalidate, writeBack); returns when it is done.
  virtual Clocks maintain(unsigned computeUnit, Clocks now, const TimingFact &fact) = 0;
  /// Fetches a line of code that the instruction cache lacks; returns when it arrives.
  virtual Clocks instructionMiss(unsigned computeUnit, Clocks now, uint64_t address) = 0;

  /// Extends a wave's trace; may be called ahead of time.
  virtual void fill(TimedGroup &group, unsigned wave) = 0;
  /// Executes the instruction at which the wave's trace stops.
  virtual void executeStop(TimedGroup &group, unsigned wave, Clocks now) = 0;
  /// A wave skips rounds after branch `branch` (RoundSkipper.h). The rounds measured before took `measured` clocks;
  /// those measured before the previous skip took `before` clocks, or 0 if there was none.
  virtual void skipped(uint32_t /*branch*/, const SkippedRounds &, Clocks /*measured*/, Clocks /*before*/) {}
  /// All waves have ended; the group's place is free at `drained`, when its stores are acknowledged. May be called
  /// ahead of time. The caller of ComputeUnit::place owns the group.
  virtual void groupEnded(TimedGroup &group, Clocks drained) = 0;
};

} // namespace nstf::emulator::timing
