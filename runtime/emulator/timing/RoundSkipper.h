// Long loops, of which some rounds are recorded and the others skipped.
//
// Once a wave has been round a loop often enough, a few rounds in a row are recorded at a time and many skipped before
// the next few: the model sees the loop go on as if there had been none. What the skipped ones would have taken is told
// from the recorded ones before them. So a loop is sampled along all of its length, and what workgroups share in caches
// they still share, as all of them skip the same rounds.
#pragma once

#include "runtime/emulator/timing/WaveTrace.h"

namespace nstf::emulator {
struct MicroOp;
struct Wave;
} // namespace nstf::emulator

namespace nstf::emulator::timing {

/// Whether a branch that the wave is about to execute is taken.
bool isTaken(const Wave &wave, const MicroOp *op);
/// Whether it goes back where it is taken.
bool goesBack(const MicroOp *op);

/// Of one wave.
class RoundSkipper {
public:
  /// Leaves alone loops that end at instruction `end` or behind it. In front of it must be no stop: a wave can't wait
  /// for the model in rounds that the model doesn't see.
  explicit RoundSkipper(uint32_t end) : end(end) {}

  /// Rounds recorded at the beginning of a loop, at a time after that, and skipped in between.
  static constexpr uint32_t first = 24, measured = 8, skipped = 40;

  bool isSkipping() const { return skips; }
  /// At a branch that is about to be recorded: whether this one takes care of that, maybe once rounds are skipped.
  bool atBranch(const Wave &wave, const MicroOp *op, WaveTrace &trace);
  /// While it skips, at each instruction: false: it is no longer one of the loop, and to be recorded.
  bool skip(const Wave &wave, const MicroOp *op, WaveTrace &trace);

private:
  void append(WaveTrace &trace, bool taken);
  static constexpr uint32_t none = ~0u;
  uint32_t end;
  bool skips = false, hasSkipped = false;
  uint32_t branch = none; ///< at the end of the loop
  uint32_t rounds = 0;    ///< recorded since it began, or since rounds were last skipped
  SkippedRounds now = {}; ///< while it skips
};

} // namespace nstf::emulator::timing
