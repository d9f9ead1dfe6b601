// A launch that is too large to simulate: its first rounds are simulated and how the chip drains, the workgroups
// between are replayed.
//
// Once enough rounds are simulated no workgroup is placed any more, and those that are resident are simulated to their
// end: so how a launch ends is seen and not guessed. Replayed workgroups go through the same dispatcher onto the same
// places, with durations drawn from those simulated (Sampler.h): so rounds, tail and imbalance stay. The resident ones
// are replayed by themselves as well, and the launch is corrected by what their replay is off by. Instructions of
// replayed workgroups are executed untimed, for the results and to know what they have to do; or, if nobody wants
// results, a few of them are (GroupWork.h).
#pragma once

#include "runtime/emulator/timing/DrainSpeed.h"
#include "runtime/emulator/timing/LaunchPrediction.h"
#include "runtime/emulator/timing/Sampler.h"
#include "runtime/emulator/timing/TimingOptions.h"

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

  /// Whether the launch is larger than the budget, and what its workgroups do, told by executing some of them by the
  /// outline. For launches of which no results are wanted, before any workgroup begins.
  enum class Size : uint8_t {
    Within, ///< the budget, or it can't be sampled
    Beyond,
    BeyondAlike, ///< and all workgroups, one on a compute unit, and their waves go round the same long loops as often
  };
  Size probe(const Outline &outline);

  /// A workgroup has ended, and its place is free; it took that long. `memory`: what the launch did there so far.
  void groupEnded(const TimedGroup &group, Clocks lasted, const MemorySystem &memory);
  /// Enough is simulated, and all of it would be more than the budget. Never for kernels whose workgroups may wait for
  /// each other.
  bool suffices() const { return enough; }
  /// From now on no workgroup is placed; `resident` are in the middle (those without a recording aren't there), and all
  /// together have executed so many instructions, during `skipped` clocks of them while now stood still. Once.
  void beginDrain(std::span<const std::unique_ptr<TimedGroup>> resident, Clocks now, Clocks skipped, uint64_t executed);
  bool isDraining() const { return drainSpeed.has_value(); }
  /// While it drains, at each event. From here on clocks that are skipped count.
  void drains(Clocks now, uint64_t executed);
  /// Executes and replays what is left; the last of those that were resident ended at `drained`. Returns when the last
  /// workgroup of all ends. Throws Fault.
  Clocks replay(Dispatcher &dispatcher, Clocks drained);
  /// How many times as many lines as the simulated workgroups left changed in the L2s all workgroups do.
  double changedTimes(const MemorySystem &memory) const;
  /// Says what was simulated, and makes what was counted of that what all workgroups do. `skipped`: by how many clocks
  /// what was skipped may be off.
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
  bool enough = false, cachesFill = false; ///< they were not full yet when it was enough
  uint64_t simulated = 0, simulatedInstructions = 0;
  uint64_t changedByFirstRound = 0;   ///< lines of the L2s, when as many workgroups as the chip holds had ended
  std::vector<uint64_t> instructions; ///< by workgroup, 0: not known; where there may be a sample

  struct Resident {
    uint64_t index;
    uint32_t computeUnit;
    int64_t begun; ///< before the launch did, if much was skipped since
  };
  std::vector<Resident> residents; ///< when the chip began to drain
  std::optional<DrainSpeed> drainSpeed;
  uint64_t left = 0;                ///< of them
  uint64_t residentClocks = 0;      ///< of workgroups that have ended, summed
  Clocks drainBegins = 0, seen = 0; ///< and up to when it was watched
  uint64_t executedThen = 0;        ///< instructions, up to then
  double pace = 0;                  ///< clocks a resident workgroup takes for an instruction, on a full chip
  double beyond = 0;                ///< part of the replayed workgroups' time for which it stands
  Clocks replayed = 0;              ///< clocks that replayed workgroups add
  Clocks misfit = 0;                ///< by which the resident ones' replay is wrong
};

} // namespace nstf::emulator::timing
