// What must hold of every prediction, on small kernels.
#include "runtime/emulator/instructions/Monitor.h"
#include "test/runtime/emulator/timing/TimedKernels.h"

namespace nstf::emulator::timing::test {
namespace {

using TimedLaunchTest = TimedKernelsTest;
INSTANTIATE_TEST_SUITE_P(Chips, TimedLaunchTest, bothChips, getName);

TEST_P(TimedLaunchTest, AnEmptyKernelTakesNextToNothing) {
  const LaunchPrediction one = predicted("empty", {1}, {64});
  EXPECT_EQ(one.counters.waves, 1u);
  EXPECT_EQ(one.limiter, Limiter::KernelLaunch);
  EXPECT_LT(one.executionNs, 1000);
}

TEST_P(TimedLaunchTest, ResultsAreThoseOfTheUntimedLaunch) {
  const int n = 64;
  const std::vector<float> a = ramp(n * n), b = ramp(n * n + 7);
  float *da = upload(kernels.memory, a), *db = upload(kernels.memory, b);
  float *timed = upload(kernels.memory, std::vector<float>(n * n)), *untimed = upload(kernels.memory, a);
  const LaunchPrediction prediction = predicted("multiply", {n / 16, n / 16}, {16, 16}, da, db, timed, n);
  launch(kernels, "multiply", {n / 16, n / 16}, {16, 16}, da, db, untimed, n);
  EXPECT_EQ(download(timed, n * n), download(untimed, n * n));
  EXPECT_EQ(prediction.counters.workgroups, 16u);
  EXPECT_EQ(prediction.counters.waves, 64u);
  EXPECT_GT(prediction.counters.ldsInstructions, 0u);
  EXPECT_GT(prediction.counters.vectorInstructions, 64u * 16 * 4);
}

TEST_P(TimedLaunchTest, WhoWatchedTheLaunchBeforeDoesNotSeeIt) {
  struct Watcher : Monitor {
    uint64_t accesses = 0;
    void access(Wave &, const MicroOp *, const MemoryAccess &) override { ++accesses; }
  } watcher;
  float *a = upload(kernels.memory, ramp(256)), *b = upload(kernels.memory, ramp(256));
  const PackedLaunch watched = pack(kernels, "copy", {1}, {256}, 0, {getBytes(a), getBytes(b)});
  options.threads = 1; // registers and LDS of a workgroup stay with the thread
  options.monitor = &watcher;
  dispatch(kernels.target, kernels.memory, watched.launch, options);
  const uint64_t before = watcher.accesses;
  EXPECT_GT(before, 0u);
  options.monitor = nullptr;
  predicted("copy", {1}, {256}, a, b);
  EXPECT_EQ(watcher.accesses, before);
}

TEST_P(TimedLaunchTest, RunningAheadChangesNothing) {
  const int n = 64;
  float *a = upload(kernels.memory, ramp(1 << 16)), *c = upload(kernels.memory, ramp(1 << 16));
  int *counters = upload(kernels.memory, std::vector<int>(256));
  auto expectSame = [&](auto run, double tolerance) {
    timing.runAhead = true;
    const LaunchPrediction ahead = run();
    timing.runAhead = false;
    const LaunchPrediction inStep = run();
    EXPECT_NEAR(double(ahead.clocks), double(inStep.clocks), tolerance * double(ahead.clocks));
    if (!tolerance) {
      EXPECT_EQ(ahead.counters.instructions(), inStep.counters.instructions());
      EXPECT_EQ(ahead.memory.l2Hits, inStep.memory.l2Hits);
    }
  };
  expectSame([&] { return predicted("multiply", {n / 16, n / 16}, {16, 16}, a, a, c, n); }, 0);
  expectSame([&] { return predicted("add", {40}, {256}, a, a, c, 1 << 15); }, 0);
  expectSame([&] { return predicted("readInt", {3}, {256}, c, 8, 40); }, 0);
  expectSame([&] { return predicted("compute", {64}, {256}, c, 3); }, 0);
  expectSame([&] { return predicted("count", {64}, {64}, counters, counters + 64); }, 0);
  expectSame(
      [&] {
        std::fill_n(counters, 256, 0);
        return predicted("handOver", {4}, {64}, counters, counters + 64, 60);
      },
      0.005);
}

TEST_P(TimedLaunchTest, TheSameLaunchTakesTheSameTime) {
  float *a = upload(kernels.memory, ramp(1 << 16)), *b = upload(kernels.memory, ramp(1 << 16));
  const LaunchPrediction first = predicted("copy", {256}, {256}, a, b);
  const LaunchPrediction second = predicted("copy", {256}, {256}, a, b);
  EXPECT_EQ(first.clocks, second.clocks);
  EXPECT_EQ(first.memory.hbmReadBytes, second.memory.hbmReadBytes);
}

TEST_P(TimedLaunchTest, ALoopWithoutAccessesEndsAtTheStepLimit) {
  float *out = upload(kernels.memory, std::vector<float>(256));
  options.stepLimit = 10000;
  EXPECT_LT(predicted("compute", {1}, {64}, out, 20).counters.instructions(), options.stepLimit);
  try {
    predicted("compute", {1}, {64}, out, 20000);
    FAIL() << "expected the step limit to end it";
  } catch (const Fault &fault) {
    EXPECT_NE(std::string(fault.what()).find("step limit"), std::string::npos) << fault.what();
  }
}

TEST_P(TimedLaunchTest, AtomicsHappenInTheOrderOfTheModel) {
  int *counter = upload(kernels.memory, std::vector<int>(64)), *order = upload(kernels.memory, std::vector<int>(64));
  predicted("count", {64}, {64}, counter, order);
  EXPECT_EQ(*counter, 64);
  EXPECT_EQ(order[0], 0); // placed first
}

} // namespace
} // namespace nstf::emulator::timing::test
