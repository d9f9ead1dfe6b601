// What an instruction's accesses to LDS cost: phases and bank conflicts.
//
// An instruction's lanes mostly stand to each other as they did the time before, and conflicts don't change when all of
// them move by the same number of dwords: such patterns are remembered.
#pragma once

#include "runtime/emulator/instructions/Wave.h"
#include "runtime/emulator/timing/TimingFacts.h"
#include "runtime/emulator/timing/WaveTrace.h"

#include <array>
#include <memory>
#include <span>
#include <vector>

namespace nstf::emulator::timing {

class LdsClocks {
public:
  explicit LdsClocks(uint32_t banks) : banks(banks) {}

  /// Of an LDS instruction that is about to run.
  LdsDetail of(const Wave &wave, const MicroOp *op, const TimingFact &fact);
  /// Of lanes' accesses at `offsets` that don't stand in a register: flat instructions.
  LdsDetail of(const uint32_t *offsets, uint64_t lanes, const TimingFact &fact) const;

private:
  uint32_t atomicConflicts(std::span<const uint64_t> phases, const uint32_t *offsets, uint64_t lanes,
                           uint32_t bytes) const;

  struct Pattern {
    uint64_t lanes = 0;
    uint32_t phase = ~0u; ///< of the first lane's offset in its dword
    std::array<uint32_t, Wave::width> distances;
    LdsDetail detail;
  };
  const uint32_t banks;
  std::vector<std::unique_ptr<Pattern>> byInstruction;
};

} // namespace nstf::emulator::timing
