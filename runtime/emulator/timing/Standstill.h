// Waiting that never ends, while a launch is timed.
//
// A wave that polls comes back to its load with the same registers for as long as nobody tells it anything. When that
// is so of every resident wave, or it stands at a barrier, and has been so for a long time, nobody ever will.
#pragma once

#include "runtime/emulator/timing/TimedWave.h"

#include <unordered_map>

namespace nstf::emulator::timing {

class Standstill {
public:
  /// A workgroup began or a wave ended.
  void progress();
  /// A wave has executed a stop. True: look into it (`isFinal`).
  bool executed(const TimedGroup &group, unsigned wave);
  /// Whether the waves of these workgroups wait for what never comes.
  bool isFinal(const std::vector<std::unique_ptr<TimedGroup>> &groups) const;

private:
  struct Seen {
    uint32_t instruction = ~0u; ///< at which stop the wave is looked at
    uint64_t state = 0;
    uint32_t times = 0;  ///< it was found unchanged, in a row
    uint32_t others = 0; ///< stops elsewhere, in a row
  };
  uint64_t stops = 0; ///< since the last progress
  std::unordered_map<const TimedWave *, Seen> seen;
};

} // namespace nstf::emulator::timing
