// Detects waits that never end, while a launch is timed.
//
// A polling wave returns to its load as long as the value does not change. If every resident wave that is not at a
// barrier has returned several times with the same registers while memory did not change, the waits never end. Only
// those registers are compared that decide how long the wave polls and what others can observe of it; a count of polls
// may differ. A wave that waits for a time to pass is never reported.
//
// If the host may write memory meanwhile, only waves that wait for each other at barriers and at global wave sync are
// considered.
#pragma once

#include "runtime/emulator/run/StoreLog.h"
#include "runtime/emulator/timing/compute_unit/TimedWave.h"
#include "runtime/emulator/timing/record/ControlFlow.h"
#include "runtime/emulator/timing/record/RegisterSet.h"

#include <optional>
#include <unordered_map>

namespace nstf::emulator::timing {

class Standstill {
public:
  /// `groups`: the launch's resident workgroups, updated by the caller.
  Standstill(const Launch &launch, const std::vector<std::unique_ptr<TimedGroup>> &groups)
      : launch(launch), groups(groups) {}

  /// Called when a workgroup begins or ends.
  void progress();
  /// Called when a wave has executed a stop. Returns whether all waves wait for ever.
  bool executed(const TimedGroup &group, unsigned wave);
  /// The same, if the host may write memory.
  bool waitsForWaves(const TimedGroup &group, unsigned wave);

private:
  /// State of an observed wave.
  struct Seen {
    uint32_t load = ~0u; ///< instruction
    uint64_t state = 0;
    uint32_t times = 0;  ///< consecutive times it was found unchanged
    uint32_t others = 0; ///< consecutive loads elsewhere
  };
  struct Code {
    explicit Code(const Launch &launch);
    ProgramFacts facts;
    ControlFlow flow;
    std::unordered_map<uint32_t, std::optional<RegisterSet>> deciding; ///< by load
  };

  void watch(StoreLog *watching);
  void look(const TimedWave &wave, const Wave &registers);
  bool isFinal() const;
  const std::optional<RegisterSet> &decidingBehind(uint32_t load);

  const Launch &launch;
  const std::vector<std::unique_ptr<TimedGroup>> &groups;
  std::optional<Code> code;
  uint64_t stops = 0;                 ///< since the last progress
  uint64_t passes = 0, syncStops = 0; ///< passes of global wave sync; stops at it since
  StoreLog stores;                    ///< by the resident workgroups, while they are observed
  std::unordered_map<const TimedWave *, Seen> seen;
};

} // namespace nstf::emulator::timing
