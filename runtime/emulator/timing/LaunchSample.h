// A launch that is too large to simulate: its first rounds are, the rest of its workgroups is replayed.
//
// Replayed workgroups go through the same dispatcher onto the same places, with durations drawn from those simulated
// (Sampler.h): so rounds, tail and imbalance stay. Their instructions are executed untimed, for the results and to know
// what they have to do; or, if nobody wants results, a few of them are (GroupWork.h).
#pragma once

#include "runtime/emulator/timing/LaunchPrediction.h"
#include "runtime/emulator/timing/Sampler.h"
#include "runtime/emulator/timing/TimingOptions.h"

#include <memory>
#include <span>

namespace nstf::emulator {
class LaunchDriver;
}

namespace nstf::emulator::timing {

class Dispatcher;
class Recorder;
class TimingFacts;
struct ChipTiming;
struct TimedGroup;

class LaunchSample {
public:
  LaunchSample(LaunchDriver &driver, const ChipTiming &chip, const TimingFacts &facts, const TimingOptions &options);

  /// A workgroup has ended, and its place is free. `memory`: what the launch did there so far.
  void groupEnded(const TimedGroup &group, const MemoryCounters &memory);
  /// Enough is simulated, and all of it would be more than the budget. Never for kernels whose workgroups may wait for
  /// each other.
  bool suffices() const { return enough; }
  /// Executes and replays what is left; `resident` are in the middle (those without a recording aren't there). Once.
  /// Returns when the last workgroup ends. Throws Fault.
  /// `contention`: how busy the busiest part has been that all workgroups share, 0 to 1.
  Clocks replay(Recorder &recorder, Dispatcher &dispatcher, std::span<const std::unique_ptr<TimedGroup>> resident,
                Clocks now, double contention);
  /// Says what was simulated, and makes what was counted of that what all workgroups do.
  void describe(LaunchPrediction &prediction) const;

private:
  void execute(std::span<const uint64_t> which);
  void executeRest(const Dispatcher &dispatcher);
  bool waits() const;
  bool isSteady(const MemoryCounters &memory) const;
  Clocks drain(std::vector<Clocks> ends, Clocks begin, double contention) const;

  LaunchDriver &driver;
  const ChipTiming &chip;
  const TimingFacts &facts;
  const TimingOptions options;
  const uint64_t groups;
  Sampler sampler;
  bool enough = false, cachesFill = false; ///< they were not full yet when it was enough
  uint64_t simulated = 0, simulatedInstructions = 0;
  std::vector<uint64_t> instructions; ///< by workgroup, 0: not known; where there may be a sample
  Clocks replayBegins = 0, end = 0;
  double drained = 0; ///< clocks by which the last round is shorter than the others
};

} // namespace nstf::emulator::timing
