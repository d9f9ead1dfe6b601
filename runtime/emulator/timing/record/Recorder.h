// Executes waves ahead of model time and records their instructions and accesses.
//
// Between two points at which waves of different workgroups can observe each other, the instructions that a wave
// executes do not depend on time (waits are explicit on gfx9). A wave therefore runs ahead by some thousand
// instructions, with its registers in the host's caches. It stops at instructions through which workgroups can observe
// each other (stops, TimingFacts.h); the model has these executed one by one, at their time. Waves of one workgroup
// synchronise at barriers without the model.
#pragma once

#include "runtime/emulator/run/LaunchDriver.h"
#include "runtime/emulator/run/Statistics.h"
#include "runtime/emulator/timing/chip/Clocks.h"
#include "runtime/emulator/timing/record/Coalescer.h"
#include "runtime/emulator/timing/record/RoundSkipper.h"
#include "runtime/emulator/timing/record/WaveTrace.h"

#include <memory>
#include <span>
#include <vector>

namespace nstf::emulator::timing {

class Outline;
class TimingFacts;

struct RecorderOptions {
  bool runAhead = true;    ///< false: every instruction is a stop
  uint32_t stretch = 4096; ///< maximum number of instructions that a wave runs ahead; more than 0
  AddressUnit addressUnit;
  uint32_t ldsBanks = 32;
  double clockMhz = 1000; ///< the assumed core clock, for s_memrealtime
};

/// A workgroup that is being recorded.
class RecordedGroup {
public:
  uint64_t index = 0;           ///< in the grid, x fastest
  uint64_t instructions = 0;    ///< executed by its waves, including skipped rounds
  std::vector<WaveTrace> waves; ///< by number in the workgroup
  /// Whether the workgroup is executed to its end; the timing model may not have come that far yet.
  bool isExecuted() const { return !resident; }
  /// The state of the execution. Precondition: !isExecuted().
  const ResidentGroup &execution() const { return *resident; }
  /// Observes the rest of the execution by `monitor`.
  void watch(Monitor *monitor) {
    if (resident)
      resident->group.monitor = monitor;
  }

private:
  friend class Recorder;
  std::vector<RoundSkipper> skippers;      ///< by wave
  std::unique_ptr<ResidentGroup> resident; ///< null once all waves have ended
  uint64_t scratch = 0;                    ///< kept until the group is retired, since its addresses affect timing
};

class Recorder {
public:
  /// From now on the launch's waves read time from the recorder.
  Recorder(LaunchDriver &driver, TimingFacts &facts, const RecorderOptions &options);
  ~Recorder();
  Recorder(const Recorder &) = delete;
  Recorder &operator=(const Recorder &) = delete;

  /// Workgroups that begin from now on execute only the kernel's outline, which must outlive them. With `skips`, only
  /// some rounds of long loops are recorded.
  void follow(const Outline &outline, bool skips);

  /// Begins workgroup `index` with its waves at `places`, one for each. Its traces are empty and end with More.
  std::unique_ptr<RecordedGroup> begin(uint64_t index, std::span<const ChipPlace> places = {});
  /// Continues a trace that ends with More or Barrier; other waves of the workgroup may run as well. Afterwards the
  /// trace has entries or another end. Throws Fault.
  void fill(RecordedGroup &group, unsigned wave);
  /// Executes, at time `now`, the instruction at which an empty trace ends with Stop, and appends it. Throws Fault.
  void executeStop(RecordedGroup &group, unsigned wave, Clocks now);
  void retire(std::unique_ptr<RecordedGroup> group);
  /// Adds the counts of the executed waves, if the launch is counted (LaunchOptions::statistics); outlines are not
  /// counted.
  void addTo(ExecutionStatistics &sum) const;

private:
  void run(RecordedGroup &group, unsigned wave, size_t room, bool atStop);
  static bool openBarrier(RecordedGroup &group);

  struct Implementation;
  std::unique_ptr<Implementation> impl;
};

} // namespace nstf::emulator::timing
