// What must hold of launches that are only simulated in part.
#include "runtime/emulator/run/Statistics.h"
#include "test/runtime/emulator/timing/TimedKernels.h"

namespace nstf::emulator::timing::test {
namespace {

using SampledLaunchTest = TimedKernelsTest;
INSTANTIATE_TEST_SUITE_P(Chips, SampledLaunchTest, bothChips, getName);

TEST_P(SampledLaunchTest, ResultsAreThoseOfTheUntimedLaunch) {
  chip.computeUnits = chip.xcds;
  options.threads = 2; // that execute the rest
  const unsigned groups = chip.xcds * 400, items = groups * 64;
  timing.budget = 1000;
  auto run = [&](const char *kernel, auto... arguments) {
    const LaunchPrediction prediction = predicted(kernel, {groups}, {64}, arguments...);
    EXPECT_LT(prediction.sample.simulated, groups / 2) << kernel;
  };
  float *timed = upload(kernels.memory, std::vector<float>(items)),
        *untimed = upload(kernels.memory, std::vector<float>(items));
  run("computeUnevenly", timed, 3);
  launch(kernels, "computeUnevenly", {groups}, {64}, untimed, 3);
  EXPECT_EQ(std::memcmp(timed, untimed, items * sizeof(float)), 0);
  int *timedCounts = upload(kernels.memory, std::vector<int>(64)),
      *untimedCounts = upload(kernels.memory, std::vector<int>(64));
  run("histogram", timed, timedCounts);
  launch(kernels, "histogram", {groups}, {64}, untimed, untimedCounts);
  EXPECT_EQ(std::memcmp(timed, untimed, items * sizeof(float)), 0);
  EXPECT_EQ(download(timedCounts, 64), download(untimedCounts, 64));
}

/// What is counted of a launch that is simulated in full, and in part, is what is counted of an untimed one.
TEST_P(SampledLaunchTest, CountsAreThoseOfTheUntimedLaunch) {
  chip.computeUnits = chip.xcds;
  const unsigned groups = chip.xcds * 400, rows = 16, n = 16 * chip.xcds * 8;
  float *out = upload(kernels.memory, std::vector<float>(groups * 64)),
        *a = upload(kernels.memory, ramp(n * rows * 16));
  int *counts = upload(kernels.memory, std::vector<int>(64));
  auto expectSame = [&](const char *kernel, Dimensions grid, Dimensions block, auto... arguments) {
    const PackedLaunch packed = pack(kernels, kernel, grid, block, 0, {getBytes(arguments)...});
    auto count = [&](auto run) {
      ExecutionStatistics statistics;
      LaunchOptions counting = options;
      counting.statistics = &statistics;
      run(counting);
      return statistics;
    };
    const ExecutionStatistics wanted = count(
        [&](const LaunchOptions &counting) { dispatch(kernels.target, kernels.memory, packed.launch, counting); });
    for (uint64_t budget : {uint64_t(1) << 40, uint64_t(1000)}) {
      LaunchPrediction prediction;
      const ExecutionStatistics got = count([&](const LaunchOptions &counting) {
        MemorySystem caches(chip);
        timing.budget = budget;
        prediction = predict(kernels.target, kernels.memory, packed.launch, counting, chip, caches, timing);
      });
      EXPECT_EQ(prediction.sample.simulated < prediction.sample.workgroups, budget == 1000) << kernel;
      EXPECT_EQ(got.instructions, wanted.instructions) << kernel << budget;
      EXPECT_EQ(got.executed, wanted.executed) << kernel << budget;
      EXPECT_EQ(got.storedBy, wanted.storedBy) << kernel << budget;
      EXPECT_EQ(got.conflictClocks, wanted.conflictClocks) << kernel << budget;
      for (size_t space = 0; space < wanted.bytes.size(); ++space) {
        EXPECT_EQ(got.bytes[space].loaded, wanted.bytes[space].loaded) << kernel << budget << space;
        EXPECT_EQ(got.bytes[space].stored, wanted.bytes[space].stored) << kernel << budget << space;
      }
    }
    EXPECT_GT(wanted[MemorySpace::Global].stored, 0u);
  };
  expectSame("computeUnevenly", {groups}, {64}, out, 2);
  expectSame("histogram", {groups}, {64}, out, counts);
  expectSame("multiply", {unsigned(n) / 16, rows}, {16, 16}, a, a, out, 16);
}

TEST_P(SampledLaunchTest, WorkgroupsThatWaitForEachOtherAreAllSimulated) {
  chip.computeUnits = chip.xcds;
  const unsigned groups = chip.xcds * 400;
  int *flag = upload(kernels.memory, std::vector<int>(64)), *out = upload(kernels.memory, std::vector<int>(groups));
  timing.budget = 1000;
  const LaunchPrediction prediction = predicted("handOver", {groups}, {64}, flag, out, 20);
  EXPECT_GT(prediction.counters.instructions(), 8 * timing.budget);
  EXPECT_EQ(prediction.sample.simulated, groups);
  EXPECT_EQ(prediction.sample.workgroups, groups);
}

TEST_P(SampledLaunchTest, TheStepLimitIsOfASampledLaunchAsAWhole) {
  chip.computeUnits = chip.xcds;
  const unsigned groups = chip.xcds * 400;
  float *out = upload(kernels.memory, std::vector<float>(groups * 64));
  const uint64_t all = predicted("compute", {groups}, {64}, out, 20).counters.instructions();
  timing.budget = all / 4;
  const LaunchPrediction sampled = predicted("compute", {groups}, {64}, out, 20);
  ASSERT_GT(sampled.sample.simulated, groups / 5); // neither part exceeds the limit by itself
  ASSERT_LT(sampled.sample.simulated, groups * 4 / 5);
  options.stepLimit = all * 9 / 10;
  try {
    predicted("compute", {groups}, {64}, out, 20);
    FAIL() << "expected the step limit to end it";
  } catch (const Fault &fault) {
    EXPECT_NE(std::string(fault.what()).find("step limit"), std::string::npos) << fault.what();
  }
}

TEST_P(SampledLaunchTest, WorkgroupsLeftAloneGetFasterInASampledLaunchToo) {
  chip.computeUnits = chip.xcds;
  const unsigned groups = chip.xcds * 144;
  float *out = upload(kernels.memory, std::vector<float>(groups * 64));
  const LaunchPrediction whole = predicted("computeUnevenly", {groups}, {64}, out, 16);
  timing.budget = whole.counters.instructions() / 4;
  const LaunchPrediction sampled = predicted("computeUnevenly", {groups}, {64}, out, 16);
  ASSERT_LT(sampled.sample.simulated, groups * 9 / 10);
  EXPECT_NEAR(sampled.executionNs / whole.executionNs, 1, 0.025);
  EXPECT_LE(sampled.sample.low, whole.ns());
  EXPECT_GE(sampled.sample.high, whole.ns());
}

TEST_P(SampledLaunchTest, WhatAllWorkgroupsOfASampledLaunchChangedIsWrittenBackAtItsEnd) {
  if (!chip.l2KernelEnd)
    return;
  chip.computeUnits = chip.xcds;
  const unsigned groups = chip.xcds * 400;
  float *out = upload(kernels.memory, std::vector<float>(groups * 64));
  const double kept = predicted("compute", {groups}, {64}, out, 1).executionNs;
  chip.mallWriteBandwidth /= 250;
  const LaunchPrediction whole = predicted("compute", {groups}, {64}, out, 1);
  ASSERT_GT(whole.executionNs, 2 * kept) << "what is written back takes its time";
  timing.budget = whole.counters.instructions() / 4;
  const LaunchPrediction sampled = predicted("compute", {groups}, {64}, out, 1);
  ASSERT_LT(sampled.sample.simulated, groups * 9 / 10);
  EXPECT_NEAR(sampled.executionNs / whole.executionNs, 1, 0.025);
}

TEST_P(SampledLaunchTest, RoundsOfLongLoopsMayBeSkippedWhereNobodyWantsResults) {
  chip.computeUnits = chip.xcds;
  const unsigned rows = 8, columns = chip.xcds == 1 ? 8 : 32;
  const int n = 1536;
  float *a = upload(kernels.memory, ramp(n * n)), *c = upload(kernels.memory, std::vector<float>(n * n));
  timing.budget = 400'000;
  const LaunchPrediction all = predicted("multiplyAlone", {columns, rows}, {16, 16}, a, a, c, n);
  ASSERT_LT(all.sample.simulated, all.sample.workgroups);
  std::fill_n(c, n * n, 0.0f);
  timing.sampledOnly = true;
  const LaunchPrediction some = predicted("multiplyAlone", {columns, rows}, {16, 16}, a, a, c, n);
  EXPECT_EQ(download(c, n * n), std::vector<float>(n * n));
  auto expectNear = [](double some, double all) { EXPECT_NEAR(some / all, 1, 0.03); };
  expectNear(some.executionNs, all.executionNs);
  expectNear(double(some.counters.instructions()), double(all.counters.instructions()));
  expectNear(double(some.counters.vectorReadInstructions), double(all.counters.vectorReadInstructions));
  expectNear(double(some.counters.vectorWriteInstructions), double(all.counters.vectorWriteInstructions));
  expectNear(double(some.counters.ldsInstructions), double(all.counters.ldsInstructions));
  expectNear(double(some.memory.l1ReadBytes), double(all.memory.l1ReadBytes));
}

TEST_P(SampledLaunchTest, ALaunchWithinTheBudgetHasResultsAnyway) {
  timing.sampledOnly = true;
  float *a = upload(kernels.memory, ramp(1 << 16)), *b = upload(kernels.memory, std::vector<float>(1 << 16));
  predicted("copy", {256}, {256}, a, b);
  EXPECT_EQ(download(b, 1 << 16), ramp(1 << 16));
}

} // namespace
} // namespace nstf::emulator::timing::test
