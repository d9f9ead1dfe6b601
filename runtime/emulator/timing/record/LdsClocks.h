// The costs of an instruction's LDS accesses: phases and bank conflicts.
//
// The lanes of an instruction mostly have the same distances as at its previous execution, and conflicts do not change
// if all lanes move by the same number of dwords. Such patterns are remembered.
#pragma once

#include "runtime/emulator/instructions/Wave.h"
#include "runtime/emulator/timing/record/TimingFacts.h"
#include "runtime/emulator/timing/record/WaveTrace.h"

#include <array>
#include <memory>
#include <span>
#include <vector>

namespace nstf::emulator::timing {

class LdsClocks {
public:
  explicit LdsClocks(uint32_t banks) : banks(banks) {}

  /// The cost of an LDS instruction that is about to run.
  LdsDetail of(const Wave &wave, const MicroOp *op, const TimingFact &fact);
  /// The cost of a flat instruction. Its LDS offsets are not in a register, so the caller passes them, one for each
  /// lane.
  LdsDetail of(const uint32_t *offsets, uint64_t lanes, const TimingFact &fact) const;

private:
  uint32_t atomicConflicts(std::span<const uint64_t> phases, const uint32_t *offsets, uint64_t lanes,
                           uint32_t bytes) const;

  struct Pattern {
    uint64_t lanes = 0;
    uint32_t phase = ~0u; ///< byte position of the first lane's offset in its dword
    std::array<uint32_t, Wave::width> distances;
    LdsDetail detail;
  };
  const uint32_t banks;
  std::vector<std::unique_ptr<Pattern>> byInstruction;
};

} // namespace nstf::emulator::timing
