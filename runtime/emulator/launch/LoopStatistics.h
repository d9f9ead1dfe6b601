// What a loop of machine code holds, counted without running it: how much of its time the matrix core is busy, and how
// long before its wait each access was begun.
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

/// What a wait for one counter waits for.
struct LoopNeed {
  unsigned count; ///< accesses that may still be under way after it
  /// Matrix clocks of the wave between the youngest access that must be done and the wait, the loop taken as a circle.
  /// None where the loop has no access of that counter.
  std::optional<uint64_t> cover;
  std::string access; ///< that access, by name
  bool loads = false; ///< whether it brings something into registers
};

struct LoopWait {
  uint64_t address;
  std::optional<LoopNeed> vm, lgkm;
  bool beforeBarrier; ///< only waits, s_nop and products stand between it and an s_barrier
  bool isToZero() const { return (vm && vm->count == 0) || (lgkm && lgkm->count == 0); }
};

struct LoopStatistics {
  uint64_t begin, end; ///< addresses of the first instruction and of the branch back
  size_t instructions = 0;
  size_t matrixInstructions = 0;
  uint64_t matrixClocks = 0; ///< of one wave: 4 a pass
  uint64_t nopClocks = 0;    ///< of s_nop: 4 a wait state
  /// What isn't a matrix instruction, by kind: vector, transcendental, accumulator_move, scalar, scalar_memory,
  /// lds_read, lds_write, lds_other, load, store, wait, barrier, nop, branch, other.
  std::map<std::string, size_t> kinds;
  /// Of the memory instructions among them, by kind and width of a lane's access ("b128", "2xb64" of a pair).
  std::map<std::string, std::map<std::string, size_t>> widths;
  std::vector<LoopWait> waits;

  /// Matrix clocks / (matrix clocks + 4 for each other instruction): the share of the matrix core that one wave keeps
  /// busy where nothing else holds it up.
  double issueShare() const;
  size_t of(const std::string &kind) const;
  /// Of the waits for loads from memory, and for LDS but before barriers: the smallest cover. None where there are
  /// none.
  std::optional<uint64_t> minLoadCover() const, minLdsCover() const;
  /// Waits until nothing is under way, but for those before barriers.
  size_t waitsToZero() const;
};

LoopStatistics statisticsOf(std::span<const LoopInstruction> loop);

} // namespace nstf::emulator
