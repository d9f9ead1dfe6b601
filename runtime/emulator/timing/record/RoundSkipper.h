// Records only some rounds of long loops and skips the others.
//
// Once a wave has executed enough rounds of a loop, a few consecutive rounds are recorded, then many are skipped, and
// so on. The model sees the loop as if the skipped rounds did not exist. Their time is estimated from the recorded ones
// before them. The loop is thus sampled along its whole length. Workgroups still share data in caches, as all of them
// skip the same rounds.
#pragma once

#include "runtime/emulator/timing/record/WaveTrace.h"

namespace nstf::emulator {
struct MicroOp;
struct Wave;
} // namespace nstf::emulator

namespace nstf::emulator::timing {

/// Whether a branch that the wave is about to execute is taken.
bool isTaken(const Wave &wave, const MicroOp *op);
/// Whether a branch goes backwards when taken.
bool goesBack(const MicroOp *op);

/// The state of one wave.
class RoundSkipper {
public:
  /// Ignores loops that end at instruction `end` or after it. There must be no stop before `end`: a wave cannot wait
  /// for the model in rounds that the model does not see.
  explicit RoundSkipper(uint32_t end) : end(end) {}

  /// Numbers of rounds: recorded at the beginning of a loop, recorded at a time later, and skipped in between.
  static constexpr uint32_t first = 24, measured = 8, skipped = 40;

  bool isSkipping() const { return skips; }
  /// Called at a branch that is about to be recorded: whether the skipper records it instead, possibly after skipped
  /// rounds.
  bool atBranch(const Wave &wave, const MicroOp *op, WaveTrace &trace);
  /// Called at each instruction while skipping. Returns false if the instruction is outside the loop and must be
  /// recorded.
  bool skip(const Wave &wave, const MicroOp *op, WaveTrace &trace);

private:
  void append(WaveTrace &trace, bool taken);
  static constexpr uint32_t none = ~0u;
  uint32_t end;
  bool skips = false, hasSkipped = false;
  uint32_t branch = none; ///< at the end of the loop
  uint32_t rounds = 0;    ///< recorded since the loop began, or since the last skip
  SkippedRounds now = {}; ///< the current skip
};

} // namespace nstf::emulator::timing
