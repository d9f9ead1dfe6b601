// Every kernel of the suite, untimed, in model time, and with each instruction at its own time (--run-ahead=0).
//
// From the same memory and cold caches each time. What a launch leaves in memory is the same, byte by byte, and so is
// the predicted time of both timed ones, but that who polls comes round a little sooner or later.
#include "runtime/emulator/run/Dispatch.h"
#include "runtime/emulator/run/LaunchDriver.h"
#include "runtime/emulator/timing/TimedLaunch.h"
#include "runtime/emulator/timing/chip/ChipTiming.h"
#include "runtime/emulator/timing/memory/MemorySystem.h"
#include "runtime/emulator/timing/record/TimingFacts.h"
#include "test/runtime/emulator/run/Contents.h"
#include "test/runtime/emulator/suite/Module.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <set>

using namespace nstf::emulator;
using namespace nstf::emulator::timing;

namespace {

using nstf::emulator::test::Contents;

constexpr double pollingTolerance = 0.005;

/// Kernels that keep what an atomic returned (which lane got which number, whose value was the last to be swapped in):
/// any order of the lanes is right, and untimed another workgroup is first than in model time. Their cases' own host
/// code takes each order, and nothing else.
bool resultsDependOnOrder(const std::string &kernel) {
  static const std::set<std::string> kernels = {"global_i32", "global_u32", "global_i64", "global_u64",
                                                "lds_i32",    "lds_u32",    "lds_i64",    "lds_u64",
                                                "unsafe_f32", "unsafe_f64", "compact"};
  return kernels.contains(kernel);
}

class TimedModule : public test::Module {
public:
  TimedModule(const std::string &chip, const std::vector<char> &code)
      : Module(ChipTiming::find(chip).target, code), chip(ChipTiming::find(chip)) {
    options.threads = 1;
  }

  void launch(const LaunchArguments &launch) override {
    const Contents before(memory);
    dispatch(target, memory, launch, options); // throws what the kernel does wrong
    const Contents untimed(memory);
    before.restore();
    const LaunchPrediction inStep = predicted(launch, false);
    const Contents slow(memory);
    before.restore();
    const LaunchPrediction ahead = predicted(launch, true);
    const Contents fast(memory);
    const std::string &name = launch.kernel->name;
    EXPECT_TRUE(slow == fast) << name << ": results of --run-ahead=0 differ";
    if (!resultsDependOnOrder(name))
      EXPECT_TRUE(untimed == fast) << name << ": results of the untimed launch differ";
    if (polls(launch, ahead)) {
      EXPECT_NEAR(double(ahead.clocks) / double(inStep.clocks), 1, pollingTolerance) << name << ": it polls";
      return;
    }
    EXPECT_EQ(ahead.clocks, inStep.clocks) << name;
    EXPECT_EQ(ahead.counters.instructions(), inStep.counters.instructions()) << name;
    EXPECT_EQ(ahead.memory.l2Hits, inStep.memory.l2Hits) << name;
    ++launches;
  }
  static inline unsigned launches = 0; ///< whose times were the same

private:
  LaunchPrediction predicted(const LaunchArguments &launch, bool runAhead) {
    MemorySystem caches(chip);
    return predict(target, memory, launch, options, chip, caches, {.runAhead = runAhead});
  }

  bool polls(const LaunchArguments &launch, const LaunchPrediction &prediction) {
    const LaunchDriver driver(target, memory, launch, options);
    TimingFacts facts(driver.launch());
    for (uint32_t i = 0; i < prediction.stalls.size(); ++i) {
      if (!prediction.stalls[i].issued)
        continue;
      if (!facts[i].is(TimingFact::known)) // behind a call
        facts.reach(i);
      if (facts[i].is(TimingFact::globalSync) ||
          (facts[i].is(TimingFact::stop) && facts[i].is(TimingFact::load) && !facts[i].is(TimingFact::readsClock)))
        return true;
    }
    return false;
  }

  const ChipTiming chip;
  LaunchOptions options;
};

class TimedSuiteTest : public testing::Test {
public:
  TimedSuiteTest(const suite::Case &test, std::string chip, std::string level)
      : test(test), chip(std::move(chip)), level(std::move(level)) {}
  void TestBody() override {
    const std::string target = ChipTiming::find(chip).target;
    std::ifstream file(std::string(NSTF_TEST_KERNELS) + "/suite/" + test.file + "." + target + "." + level + ".hsaco",
                       std::ios::binary);
    TimedModule module(chip, {std::istreambuf_iterator<char>(file), {}});
    const test::Outcome outcome = test::runCase(test, test.sizes[test.sizes.size() / 2], module);
    EXPECT_TRUE(outcome.ok()) << outcome.error;
  }

private:
  const suite::Case &test;
  const std::string chip, level;
};

} // namespace

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  for (const char *chip : {"mi300x", "mi250x"})
    for (const suite::Case *test : suite::cases()) {
      if (test->only && test->only != ChipTiming::find(chip).target)
        continue;
      const std::string name = std::string(test->file) + "." + test->name;
      if (name == "cooperative.cooperativeLaunch" || name == "cooperative.tooLarge")
        continue; // what the HIP library adds to a cooperative launch, and refuses of one, isn't here
      for (const char *level : {"O0", "O3"})
        testing::RegisterTest(test->file, (std::string(test->name) + "_" + level + "_" + chip).c_str(), nullptr,
                              nullptr, __FILE__, __LINE__,
                              [=]() -> testing::Test * { return new TimedSuiteTest(*test, chip, level); });
    }
  const int failed = RUN_ALL_TESTS();
  if (!failed && !TimedModule::launches) {
    std::puts("expected launches that don't poll but there is none");
    return 1;
  }
  return failed;
}
