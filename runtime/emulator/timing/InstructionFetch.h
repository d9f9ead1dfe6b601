// The instruction cache that neighbouring compute units share.
//
// A line that is there costs nothing: the fetch is ahead of the wave. A cold line costs an access to the L2, line by
// line; waves that want a line under way wait for the same access. Code never changes, so lines outlive launches.
#pragma once

#include "runtime/emulator/timing/Clocks.h"

#include <vector>

namespace nstf::emulator::timing {

struct ChipTiming;

class InstructionCache {
public:
  explicit InstructionCache(const ChipTiming &chip);
  /// What is there has come before the launch.
  void beginLaunch() { launchBegin = uses; }
  uint64_t lineOf(uint64_t address) const { return address >> lineShift; }
  uint64_t addressOf(uint64_t line) const { return line << lineShift; }
  /// When a line's instructions can issue; never: it has to be asked for.
  Clocks find(uint64_t line);
  /// Puts a line there that arrives at `ready`, in place of the one not used for longest.
  void insert(uint64_t line, Clocks ready);

private:
  struct Way {
    Clocks ready = 0;
    uint64_t used = 0, inserted = 0; ///< by number of the use
  };
  uint64_t firstOf(uint64_t line) const { return line % sets * associativity; }

  uint32_t lineShift;
  uint64_t sets, associativity;
  uint64_t uses = 0, launchBegin = 0;
  std::vector<uint64_t> lines; ///< by set and way: to find one takes a single of the host's cache lines
  std::vector<Way> ways;       ///< ditto
};

} // namespace nstf::emulator::timing
