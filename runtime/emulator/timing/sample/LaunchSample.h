// Samples a launch that is too large to simulate: simulates its first rounds and the drain at its end, and replays the
// workgroups in between.
//
// Once enough rounds are simulated, no more workgroups are placed and the resident ones are simulated to their end; the
// end of the launch is thus simulated too. Replayed workgroups go through the same dispatcher to the same places, with
// durations drawn from the simulated ones (Sampler.h), which preserves rounds, tail and imbalance. The resident
// workgroups are also replayed on their own; the error of that replay corrects the launch's time. The instructions of
// replayed workgroups are executed untimed, to produce the results and to count their work. If no results are wanted,
// only a few of them are executed (GroupWork.h).
#pragma once

#include "runtime/emulator/timing/prediction/LaunchPrediction.h"
#include "runtime/emulator/timing/prediction/TimingOptions.h"
#include "runtime/emulator/timing/sample/DrainSpeed.h"
#include "runtime/emulator/timing/sample/Sampler.h"

#include <memory>
#include <optional>
#include <span>

namespace nstf::emulator {
class LaunchDriver;
}

namespace nstf::emulator::timing {

class Dispatcher;
class MemorySystem;
class Outline;
class TimingFacts;
struct ChipTiming;
struct TimedGroup;

class LaunchSample {
public:
  LaunchSample(LaunchDriver &driver, const ChipTiming &chip, const TimingFacts &facts, const TimingOptions &options);

  /// Executes some workgroups by the outline to find out whether the launch exceeds the budget, and how its workgroups
  /// compare. For launches whose results are not wanted; call before any workgroup begins.
  enum class Size : uint8_t {
    Within, ///< within the budget, or the launch cannot be sampled
    Beyond,
    BeyondAlike, ///< beyond it; one workgroup a compute unit, and all their waves make the same number of rounds of the
                 ///< same long loops
  };
  Size probe(const Outline &outline);

  /// Records that a workgroup has ended after `lasted` clocks, and that its place is free. `memory`: the launch's
  /// counters so far.
  void groupEnded(const TimedGroup &group, Clocks lasted, const MemorySystem &memory);
  /// Whether enough is simulated and the whole launch would exceed the budget. Never true for kernels whose workgroups
  /// may wait for each other.
  bool suffices() const { return enough; }
  /// Begins the drain: from now on no workgroup is placed. `resident` are the running workgroups (those without a
  /// recording are ignored). All workgroups together have executed `executed` instructions, including those of skipped
  /// rounds, which took `skipped` clocks while `now` stood still. Called once.
  void beginDrain(std::span<const std::unique_ptr<TimedGroup>> resident, Clocks now, Clocks skipped, uint64_t executed);
  bool isDraining() const { return drainSpeed.has_value(); }
  /// Records the progress of the drain; called at each event. `now` includes clocks skipped since the drain began.
  void drains(Clocks now, uint64_t executed);
  /// Executes and replays the remaining workgroups; the last resident one ended at `drained`. Returns when the last
  /// workgroup of the launch ends. Throws Fault.
  Clocks replay(Dispatcher &dispatcher, Clocks drained);
  /// How many times as many changed lines all workgroups leave in the L2s as the simulated ones did.
  double changedTimes(const MemorySystem &memory) const;
  /// Describes the sample in `prediction` and scales its counters to all workgroups. `skipped`: the possible error, in
  /// clocks, of skipped rounds.
  void describe(LaunchPrediction &prediction, double skipped) const;

private:
  void execute(std::span<const uint64_t> which);
  void executeRest(const Dispatcher &dispatcher);
  bool waits() const;
  bool isSteady(const MemoryCounters &memory) const;
  Clocks draw(uint64_t group) const { return sampler.draw(group, instructions[group], pace); }

  LaunchDriver &driver;
  const ChipTiming &chip;
  const TimingFacts &facts;
  const TimingOptions options;
  const uint64_t groups;
  Sampler sampler;
  bool enough = false, cachesFill = false; ///< cachesFill: the caches were not full when the sample was enough
  uint64_t simulated = 0, simulatedInstructions = 0;
  uint64_t changedByFirstRound = 0;   ///< changed L2 lines when as many workgroups as the chip holds had ended
  std::vector<uint64_t> instructions; ///< by workgroup, 0: unknown; only if the launch may be sampled

  struct Resident {
    uint64_t index;
    uint32_t computeUnit;
    int64_t begun; ///< negative: before the launch began, if many clocks were skipped since
  };
  std::vector<Resident> residents; ///< workgroups on the chip when it began to drain
  std::optional<DrainSpeed> drainSpeed;
  uint64_t left = 0;                ///< residents that have not ended
  uint64_t residentClocks = 0;      ///< summed over workgroups that have ended
  Clocks drainBegins = 0, seen = 0; ///< seen: up to when the drain was recorded
  uint64_t executedThen = 0;        ///< instructions executed up to `seen`
  double pace = 0;                  ///< clocks of a resident workgroup for an instruction, on a full chip
  double beyond = 0;   ///< share of the replayed workgroups' time for kinds that no simulated one represents
  Clocks replayed = 0; ///< clocks that the replayed workgroups add
  Clocks misfit = 0;   ///< error of the resident workgroups' replay
};

} // namespace nstf::emulator::timing
