// Workgroups that wait for each other in predicted time.
#include "test/runtime/emulator/timing/TimedKernels.h"

#include <atomic>
#include <thread>

namespace nstf::emulator::timing::test {
namespace {

struct WaitingTest : TimedKernelsTest {
  WaitingTest() { options.alone = true; } // what waits for ever is a fault
};
INSTANTIATE_TEST_SUITE_P(Chips, WaitingTest, bothChips, getName);

TEST_P(WaitingTest, AConsumerWaitsAsLongAsItsProducerTakes) {
  const unsigned consumers = 3;
  auto run = [&](unsigned groups, int delay) {
    int *flag = upload(kernels.memory, std::vector<int>(64)), *out = upload(kernels.memory, std::vector<int>(4));
    return predicted("handOver", {groups}, {64}, flag, out, delay);
  };
  auto clocks = [&](unsigned groups, int delay) { return double(run(groups, delay).clocks); };
  const double later = clocks(1, 200) - clocks(1, 100); // the producer by itself
  ASSERT_GT(later, 100 * 64);
  const LaunchPrediction waited = run(1 + consumers, 200);
  const double polls = double(waited.counters.vectorReadInstructions) / consumers;
  const double poll = double(waited.clocks) / polls;
  ASSERT_GT(polls, 5);
  EXPECT_NEAR(double(waited.clocks) - clocks(1 + consumers, 100), later, poll);
}

TEST_P(WaitingTest, WhoeverMakesProgressIsWaitedFor) {
  int *flags = upload(kernels.memory, std::vector<int>(64));
  float *out = upload(kernels.memory, std::vector<float>(1024));
  const int runners = 8;
  EXPECT_NO_THROW(predicted("relay", {100}, {64}, flags, flags + 63, out, runners, 6000));
  EXPECT_EQ(flags[runners], 1);
}

TEST_P(WaitingTest, WhoDoesNotWaitForEverIsWaitedFor) {
  chip.computeUnits = chip.xcds;
  auto expectEnd = [&](const char *kernel, unsigned groups, int patience) {
    int *flag = upload(kernels.memory, std::vector<int>(64)),
        *out = upload(kernels.memory, std::vector<int>(groups * 64));
    EXPECT_NO_THROW(predicted(kernel, {groups}, {64}, flag, out, patience)) << kernel;
    EXPECT_GE(out[0], patience) << kernel;
  };
  const unsigned groups = chip.xcds * 32 + 1;
  const int patience = 3600 / int(chip.xcds); // looks in all: those of a standstill and some more
  expectEnd("looksSoOften", groups, patience);
  expectEnd("looksSoLong", groups, patience);
  expectEnd("raisesItself", groups, patience);
  expectEnd("looksAgain", groups, patience);
  expectEnd("takeTurns", 2, 20000);
}

TEST_P(WaitingTest, TheHostMayEndTheWaiting) {
  options.alone = false;
  int *flag = upload(kernels.memory, std::vector<int>(64, 1)),
      *out = upload(kernels.memory, std::vector<int>(256 * 64));
  std::thread host([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    std::atomic_ref<int>{*flag}.store(0);
  });
  EXPECT_NO_THROW(predicted("looksAgain", {256}, {64}, flag, out, 1));
  host.join();
}

TEST_P(WaitingTest, WaitingForAWorkgroupThatFindsNoPlaceIsAnError) {
  chip.computeUnits = chip.xcds;
  int *flag = upload(kernels.memory, std::vector<int>(64));
  long *out = upload(kernels.memory, std::vector<long>(64 * 1024));
  options.timeout = std::chrono::minutes(1);
  auto getFault = [&](const char *kernel, auto... arguments) -> std::string {
    try {
      predicted(kernel, {chip.xcds * 2 + 1}, {1024}, arguments...);
      return "none";
    } catch (const Fault &fault) {
      return fault.what();
    }
  };
  for (const std::string &fault : {getFault("waitForLast", flag), getFault("waitForLastPatiently", flag, out)}) {
    EXPECT_NE(fault.find("no wave can make progress"), std::string::npos) << fault;
    EXPECT_NE(fault.find("workgroups find no place: 1 ("), std::string::npos) << fault;
  }
}

} // namespace
} // namespace nstf::emulator::timing::test
