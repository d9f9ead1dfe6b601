// Waiting that never ends, while a launch is timed.
//
// A wave that waits comes back to its load for as long as nobody tells it anything. When every resident wave, unless it
// stands at a barrier, has come back several times with the same registers while nobody changed memory, nobody ever
// will. Of registers only those count that decide how long the wave waits and what others may hear of it: it may count
// how often it looked. Who waits until some time has passed is never taken for one that waits for ever.
//
// Where the host may write memory meanwhile only waves are looked at that wait for each other, at barriers and at
// global wave sync.
#pragma once

#include "runtime/emulator/run/StoreLog.h"
#include "runtime/emulator/timing/ControlFlow.h"
#include "runtime/emulator/timing/RegisterSet.h"
#include "runtime/emulator/timing/TimedWave.h"

#include <optional>
#include <unordered_map>

namespace nstf::emulator::timing {

class Standstill {
public:
  /// `groups`: the launch's resident ones, at any time.
  Standstill(const Launch &launch, const std::vector<std::unique_ptr<TimedGroup>> &groups)
      : launch(launch), groups(groups) {}

  /// A workgroup began or ended.
  void progress();
  /// A wave has executed a stop. Whether all wait for what never comes.
  bool executed(const TimedGroup &group, unsigned wave);
  /// The same, where somebody else may write memory.
  bool waitsForWaves(const TimedGroup &group, unsigned wave);

private:
  /// A wave, where it is looked at.
  struct Seen {
    uint32_t load = ~0u; ///< instruction
    uint64_t state = 0;
    uint32_t times = 0;  ///< it was found unchanged, in a row
    uint32_t others = 0; ///< loads elsewhere, in a row
  };
  struct Code {
    explicit Code(const Launch &launch);
    ProgramFacts facts;
    ControlFlow flow;
    std::unordered_map<uint32_t, std::optional<RegisterSet>> deciding; ///< behind a load
  };

  void watch(StoreLog *watching);
  void look(const TimedWave &wave, const Wave &registers);
  bool isFinal() const;
  const std::optional<RegisterSet> &decidingBehind(uint32_t load);

  const Launch &launch;
  const std::vector<std::unique_ptr<TimedGroup>> &groups;
  std::optional<Code> code;
  uint64_t stops = 0;                 ///< since the last progress
  uint64_t passes = 0, syncStops = 0; ///< at global wave sync; stops there since
  StoreLog stores;                    ///< of the resident workgroups, while they are watched
  std::unordered_map<const TimedWave *, Seen> seen;
};

} // namespace nstf::emulator::timing
