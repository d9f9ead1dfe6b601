// Workgroups that wait for each other in predicted time.
#include "test/runtime/emulator/timing/TimedKernels.h"

namespace nstf::emulator::timing::test {
namespace {

using WaitingTest = TimedKernelsTest;
INSTANTIATE_TEST_SUITE_P(Chips, WaitingTest, bothChips, nameOf);

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

TEST_P(WaitingTest, WaitingForAWorkgroupThatFindsNoPlaceIsAnError) {
  chip.computeUnits = chip.xcds;
  int *flag = upload(kernels.memory, std::vector<int>(64));
  try {
    predicted("waitForLast", {chip.xcds * 8 + 1}, {1024}, flag);
    FAIL() << "it can't end";
  } catch (const Fault &fault) {
    EXPECT_NE(std::string(fault.what()).find("no wave can make progress"), std::string::npos) << fault.what();
    EXPECT_NE(std::string(fault.what()).find("workgroups find no place"), std::string::npos) << fault.what();
  }
}

} // namespace
} // namespace nstf::emulator::timing::test
