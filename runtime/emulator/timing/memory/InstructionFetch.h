// The instruction cache that neighbouring compute units share.
//
// A line in the cache costs nothing: the fetch is ahead of the wave. A cold line costs an access to the L2, line by
// line; waves that need a line in flight wait for the same access. Code never changes, so lines outlive launches.
#pragma once

#include "runtime/emulator/timing/chip/Clocks.h"

#include <vector>

namespace nstf::emulator::timing {

struct ChipTiming;

class InstructionCache {
public:
  explicit InstructionCache(const ChipTiming &chip);
  /// Lines present now arrived before the launch.
  void beginLaunch() { launchBegin = uses; }
  uint64_t getLine(uint64_t address) const { return address >> lineShift; }
  uint64_t getAddress(uint64_t line) const { return line << lineShift; }
  /// When a line's instructions can issue; never: the line must be requested.
  Clocks find(uint64_t line);
  /// Inserts a line that arrives at `ready`; evicts the least recently used one.
  void insert(uint64_t line, Clocks ready);

private:
  struct Way {
    Clocks ready = 0;
    uint64_t used = 0, inserted = 0; ///< numbers of uses
  };
  uint64_t getFirst(uint64_t line) const { return line % sets * associativity; }

  uint32_t lineShift;
  uint64_t sets, associativity;
  uint64_t uses = 0, launchBegin = 0;
  std::vector<uint64_t> lines; ///< by set and way; a lookup reads one cache line of the host
  std::vector<Way> ways;       ///< by set and way
};

} // namespace nstf::emulator::timing
