#include "test/runtime/emulator/fuzz/TimedRun.h"
#include "runtime/emulator/checks/Checker.h"
#include "runtime/emulator/run/Dispatch.h"
#include "runtime/emulator/run/LaunchDriver.h"
#include "runtime/emulator/timing/TimedLaunch.h"
#include "runtime/emulator/timing/record/TimingFacts.h"
#include "runtime/emulator/timing/timeline/KnownLaunches.h"
#include "test/runtime/emulator/run/Contents.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace nstf::emulator::fuzz {
namespace {

using test::Contents;
using timing::LaunchPrediction;
using timing::TimingFact;

[[noreturn]] void fail(const char *what) {
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

class TimedRun {
public:
  TimedRun(const Target &target, Memory &memory, const LaunchArguments &arguments, const LaunchOptions &options,
           const TimedChoices &choices)
      : target(target), memory(memory), arguments(arguments), options(options), choices(choices) {}

  void run();

private:
  bool leavesOneResult();
  bool dependsOnOrder(const LaunchPrediction &prediction) const;
  LaunchPrediction predict(timing::MemorySystem &caches, const timing::TimingOptions &timing) const;
  void runAgain(timing::MemorySystem &caches, const timing::LaunchIdentity &identity,
                const LaunchPrediction &first) const;

  const Target &target;
  Memory &memory;
  const LaunchArguments &arguments;
  LaunchOptions options;
  const TimedChoices &choices;
};

/// Executes the launch under checks. Returns whether it ends and, as far as checks can tell, its result depends neither
/// on uninitialised memory nor on the order of waves.
bool TimedRun::leavesOneResult() {
  const auto checker = checks::makeChecker(checks::CheckSet::parse("memory,uninit,race", "fuzz"), target, memory);
  LaunchOptions checked = options;
  checked.monitor = checker.get();
  try {
    dispatch(target, memory, arguments, checked);
  } catch (const std::runtime_error &) { // a Fault, too
    return false;
  }
  return checker->findings().empty();
}

/// Whether the launch can observe other waves, time or its placement, which checks do not detect.
bool TimedRun::dependsOnOrder(const LaunchPrediction &prediction) const {
  const LaunchDriver driver(target, memory, arguments, options);
  timing::TimingFacts facts(driver.launch());
  for (uint32_t i = 0; i < prediction.stalls.size(); ++i) {
    if (!prediction.stalls[i].issued)
      continue;
    if (!facts[i].is(TimingFact::known)) // behind an indirect jump
      facts.reach(i);
    if (facts[i].is(TimingFact::stop | TimingFact::atomic | TimingFact::globalSync))
      return true;
  }
  return false;
}

LaunchPrediction TimedRun::predict(timing::MemorySystem &caches, const timing::TimingOptions &timing) const {
  LaunchPrediction prediction = timing::predict(target, memory, arguments, options, *choices.chip, caches, timing);
  const timing::SampleInfo &sample = prediction.sample;
  if (int64_t(prediction.clocks) <= 0 || !std::isfinite(prediction.ns()) || !(sample.low <= prediction.ns()) ||
      !(prediction.ns() <= sample.high) || !std::isfinite(sample.high))
    fail("expected a time within its interval");
  if (!(prediction.roofline >= 0) || !std::isfinite(prediction.roofline))
    fail("expected a share of the roofline");
  return prediction;
}

void TimedRun::runAgain(timing::MemorySystem &caches, const timing::LaunchIdentity &identity,
                        const LaunchPrediction &first) const {
  timing::KnownLaunches known;
  known.add(identity, first, caches);
  if (const LaunchPrediction *again = known.find(identity, caches); again && again->clocks != first.clocks)
    fail("expected a known launch to take as long");
  predict(caches, choices.options);
}

void TimedRun::run() {
  const Contents before(memory);
  const bool compare = choices.compare && leavesOneResult();
  const Contents untimed(memory);
  before.restore();
  // A step limit makes the launch execute everything. Without one it ends as before, or else by the timeout.
  if (choices.options.sampledOnly && compare) {
    options.stepLimit = 0;
    options.timeout = std::chrono::seconds(5);
  }
  timing::MemorySystem caches(*choices.chip);
  const timing::LaunchIdentity identity = timing::LaunchIdentity::of(arguments, memory);
  LaunchPrediction prediction;
  try {
    prediction = predict(caches, choices.options);
  } catch (const Fault &fault) {
    if (compare && options.stepLimit)
      fail(fault.finding.text().c_str());
    throw;
  }
  const bool isWhole = prediction.sample.simulated == prediction.sample.workgroups;
  if (compare && !choices.options.sampledOnly && !dependsOnOrder(prediction)) {
    if (!(Contents(memory) == untimed))
      fail("expected the results of the untimed launch");
    before.restore();
    timing::TimingOptions other = choices.options;
    other.runAhead = !other.runAhead;
    timing::MemorySystem cold(*choices.chip);
    const LaunchPrediction inStep = predict(cold, other);
    if (isWhole &&
        (inStep.clocks != prediction.clocks || inStep.counters.instructions() != prediction.counters.instructions() ||
         inStep.memory.l2Hits != prediction.memory.l2Hits))
      fail("expected the same prediction with and without running ahead");
  }
  if (choices.twice) {
    before.restore();
    runAgain(caches, identity, prediction);
  }
}

} // namespace

void runTimed(const Target &target, Memory &memory, const LaunchArguments &arguments, const LaunchOptions &options,
              const TimedChoices &choices) {
  TimedRun(target, memory, arguments, options, choices).run();
}

} // namespace nstf::emulator::fuzz
