// Statistics of a loop of machine code, without running it: the share of its time in which the matrix core is busy, and
// how long before its wait each access is issued.
#pragma once

#include "runtime/emulator/decode/InstructionFacts.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace nstf::emulator {

/// An instruction of a loop, in the order of addresses.
struct LoopInstruction {
  uint64_t address; ///< in the code object
  InstructionFacts facts;
};

/// A wait for one counter.
struct LoopNeed {
  unsigned count; ///< accesses that may still be outstanding after the wait
  /// Matrix clocks of the wave between the youngest access that must be complete and the wait; the loop is treated as
  /// circular. None if the loop has no access of this counter.
  std::optional<uint64_t> cover;
  std::string access; ///< name of that access
  bool loads = false; ///< whether it loads registers
};

struct LoopWait {
  uint64_t address;
  std::optional<LoopNeed> vm, lgkm;
  bool beforeBarrier; ///< followed by an s_barrier with only waits, s_nop and matrix instructions in between
  bool isToZero() const { return (vm && vm->count == 0) || (lgkm && lgkm->count == 0); }
};

struct LoopStatistics {
  uint64_t begin, end; ///< addresses of the first instruction and of the branch back
  size_t instructions = 0;
  size_t matrixInstructions = 0;
  uint64_t matrixClocks = 0; ///< of one wave: 4 a pass
  uint64_t nopClocks = 0;    ///< of s_nop: 4 a wait state
  /// Instructions other than matrix instructions, by kind: vector, transcendental, accumulator_move, scalar,
  /// scalar_memory, lds_read, lds_write, lds_other, load, store, wait, barrier, nop, branch, other.
  std::map<std::string, size_t> kinds;
  /// The memory instructions among them, by kind and by width of a lane's access ("b128", "2xb64" of a pair).
  std::map<std::string, std::map<std::string, size_t>> widths;
  std::vector<LoopWait> waits;

  /// Matrix clocks / (matrix clocks + 4 for each other instruction): the share of the matrix core that one wave
  /// occupies if nothing else delays it.
  double issueShare() const;
  size_t of(const std::string &kind) const;
  /// The smallest cover of the waits for loads from memory, and of the waits for LDS except those before barriers. None
  /// if there is no such wait.
  std::optional<uint64_t> minLoadCover() const, minLdsCover() const;
  /// Waits for a counter to reach zero, except those before barriers.
  size_t waitsToZero() const;
};

LoopStatistics getStatistics(std::span<const LoopInstruction> loop);

} // namespace nstf::emulator
