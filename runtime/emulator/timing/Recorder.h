// Executes waves ahead of model time and records what they did.
//
// Between two points where waves of different workgroups can see each other, what a wave executes doesn't depend on
// time (waits are explicit on gfx9), so it runs ahead some thousand instructions with its registers in the host's
// caches. It stops at the instructions through which another workgroup may be heard or told (StopPoints.h): the model
// has these executed one by one, at their time. Waves of one workgroup meet at barriers by themselves.
#pragma once

#include "runtime/emulator/run/LaunchDriver.h"
#include "runtime/emulator/run/Statistics.h"
#include "runtime/emulator/timing/Clocks.h"
#include "runtime/emulator/timing/Coalescer.h"
#include "runtime/emulator/timing/RoundSkipper.h"
#include "runtime/emulator/timing/WaveTrace.h"

#include <memory>
#include <span>
#include <vector>

namespace nstf::emulator::timing {

class Outline;
class TimingFacts;

struct RecorderOptions {
  bool runAhead = true;    ///< false: every instruction is a stop
  uint32_t stretch = 4096; ///< instructions a wave runs ahead, more than 0
  AddressUnit addressUnit;
  uint32_t ldsBanks = 32;
  double clockMhz = 1000; ///< what s_memrealtime counts by
};

/// A workgroup that is being recorded.
class RecordedGroup {
public:
  uint64_t index = 0;           ///< in the grid, x fastest
  uint64_t instructions = 0;    ///< that its waves have executed, skipped rounds too
  std::vector<WaveTrace> waves; ///< by number in the workgroup
  /// To the end; the model may be behind.
  bool isExecuted() const { return !resident; }
  /// How far it is executed, if not to the end.
  const ResidentGroup &execution() const { return *resident; }
  /// What is executed of it from now on.
  void watch(Monitor *monitor) {
    if (resident)
      resident->group.monitor = monitor;
  }

private:
  friend class Recorder;
  std::vector<RoundSkipper> skippers;      ///< by wave
  std::unique_ptr<ResidentGroup> resident; ///< null once all waves have ended
  uint64_t scratch = 0;                    ///< stays its own until it is retired: addresses decide times
};

class Recorder {
public:
  /// The launch's waves read time from the recorder from now on.
  Recorder(LaunchDriver &driver, TimingFacts &facts, const RecorderOptions &options);
  ~Recorder();
  Recorder(const Recorder &) = delete;
  Recorder &operator=(const Recorder &) = delete;

  /// Workgroups that begin from now on execute the kernel's outline, which must outlive them, and with `skips` not all
  /// rounds of long loops are recorded.
  void follow(const Outline &outline, bool skips);

  /// Workgroup `index` with its waves at `places`, one each. Its traces are empty and ask for more.
  std::unique_ptr<RecordedGroup> begin(uint64_t index, std::span<const ChipPlace> places = {});
  /// Goes on with a trace that ends with More or Barrier; other waves of the workgroup may come along. Afterwards it
  /// has entries, or ends with something else. Throws Fault.
  void fill(RecordedGroup &group, unsigned wave);
  /// Executes the instruction at which an empty trace ends with Stop, at time `now`, and appends it. Throws Fault.
  void executeStop(RecordedGroup &group, unsigned wave, Clocks now);
  void retire(std::unique_ptr<RecordedGroup> group);
  /// Adds what its waves have done, if the launch is to be counted (LaunchOptions::statistics); an outline isn't.
  void addTo(ExecutionStatistics &sum) const;

private:
  void run(RecordedGroup &group, unsigned wave, size_t room, bool atStop);
  static bool openBarrier(RecordedGroup &group);

  struct Implementation;
  std::unique_ptr<Implementation> impl;
};

} // namespace nstf::emulator::timing
