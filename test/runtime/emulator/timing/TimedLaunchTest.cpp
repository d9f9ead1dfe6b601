// What must hold of every prediction, on small kernels.
#include "runtime/emulator/timing/TimedLaunch.h"
#include "runtime/emulator/instructions/Monitor.h"
#include "runtime/emulator/timing/ChipTiming.h"
#include "runtime/emulator/timing/MemorySystem.h"
#include "test/runtime/emulator/run/Kernels.h"

#include <gtest/gtest.h>
#include <map>

using namespace nstf::emulator;
using namespace nstf::emulator::test;
using namespace nstf::emulator::timing;

namespace {

constexpr const char *source = R"(
  kernel void empty() {}

  kernel void copy(global const float *a, global float *b) {
    int i = get_global_id(0);
    b[i] = a[i];
  }

  kernel void add(global const float *a, global const float *b, global float *c, int n) {
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
      c[i] = a[i] + b[i];
  }

  // Reads LDS at a stride: the larger its power of two, the more lanes of a bank.
  kernel void strided(global float *out, int stride, int times) {
    local float rows[4096];
    int lane = get_local_id(0);
    for (int i = lane; i < 4096; i += get_local_size(0))
      rows[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0;
    int at = lane * stride & 4095;
    for (int i = 0; i < times; ++i) {
      sum += rows[at];
      at = (at + 64 * (int)rows[at & 1]) & 4095;
    }
    out[get_global_id(0)] = sum;
  }

  kernel void multiply(global const float *a, global const float *b, global float *c, int n) {
    local float tileA[16][17], tileB[16][17];
    int x = get_local_id(0), y = get_local_id(1);
    int column = get_global_id(0), row = get_global_id(1);
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
      tileA[y][x] = a[row * n + k + x];
      tileB[y][x] = b[(k + y) * n + column];
      barrier(CLK_LOCAL_MEM_FENCE);
      for (int i = 0; i < 16; ++i)
        sum += tileA[y][i] * tileB[i][x];
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
  }

  // The same with LDS for one workgroup on a compute unit.
  kernel void multiplyAlone(global const float *a, global const float *b, global float *c, int n) {
    local float tileA[16][512 + 32], tileB[16][17];
    int x = get_local_id(0), y = get_local_id(1);
    int column = get_global_id(0), row = get_global_id(1);
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
      tileA[y][x] = a[row * n + k + x];
      tileB[y][x] = b[(k + y) * n + column];
      barrier(CLK_LOCAL_MEM_FENCE);
      for (int i = 0; i < 16; ++i)
        sum += tileA[y][i] * tileB[i][x];
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
  }

  kernel void compute(global float *out, int times) {
    float x = get_global_id(0), y = 1;
    for (int i = 0; i < times; ++i) {
#pragma unroll
      for (int j = 0; j < 64; ++j)
        y = y * x + 0.5f;
    }
    out[get_global_id(0)] = y;
  }

  // Workgroups have up to four times as much to do as others, in no order.
  kernel void computeUnevenly(global float *out, int times) {
    float x = get_global_id(0), y = 1;
    int own = times * (1 + (int)(get_group_id(0) * 2654435761u >> 20) % 4);
    for (int i = 0; i < own; ++i) {
#pragma unroll
      for (int j = 0; j < 64; ++j)
        y = y * x + 0.5f;
    }
    out[get_global_id(0)] = y;
  }

  // The first workgroup works for a while and then raises the flag for which the others wait.
  kernel void handOver(global int *flag, global int *out, int delay) {
    if (get_group_id(0) == 0) {
      for (int i = 0; i < delay; ++i)
        __builtin_amdgcn_s_sleep(1);
      if (get_local_id(0) == 0)
        __opencl_atomic_store((global atomic_int *)flag, 1, memory_order_release, memory_scope_device);
    } else {
      while (!__opencl_atomic_load((global atomic_int *)flag, memory_order_acquire, memory_scope_device))
        ;
      out[get_group_id(0)] = 1;
    }
  }

  // Everybody waits for the last workgroup.
  kernel void waitForLast(global int *flag) {
    if (get_group_id(0) == get_num_groups(0) - 1)
      __opencl_atomic_store((global atomic_int *)flag, 1, memory_order_release, memory_scope_device);
    while (!__opencl_atomic_load((global atomic_int *)flag, memory_order_acquire, memory_scope_device))
      ;
  }

  kernel void count(global int *counter, global int *order) {
    if (get_local_id(0) == 0)
      order[get_group_id(0)] =
          __opencl_atomic_fetch_add((global atomic_int *)counter, 1, memory_order_relaxed, memory_scope_device);
  }
)";

struct Chip {
  const char *target, *name;
};

class TimedLaunchTest : public testing::TestWithParam<Chip> {
protected:
  TimedLaunchTest() : kernels(compiled(GetParam().target)), chip(ChipTiming::find(GetParam().name)) {}

  static CompiledKernels &compiled(const std::string &target) {
    static std::map<std::string, std::unique_ptr<CompiledKernels>> all;
    std::unique_ptr<CompiledKernels> &kernels = all[target];
    if (!kernels)
      kernels = std::make_unique<CompiledKernels>(target, source, "-O2");
    return *kernels;
  }

  /// Predicts a launch on a chip with cold caches.
  template <typename... Arguments>
  LaunchPrediction predicted(const std::string &name, Dimensions grid, Dimensions block, Arguments... arguments) {
    const PackedLaunch packed = pack(kernels, name, grid, block, 0, {bytesOf(arguments)...});
    MemorySystem caches(chip);
    return predict(kernels.target, kernels.memory, packed.launch, options, chip, caches, timing);
  }

  CompiledKernels &kernels;
  LaunchOptions options = LaunchOptions::fromEnvironment();
  ChipTiming chip;
  TimingOptions timing;
};

INSTANTIATE_TEST_SUITE_P(Chips, TimedLaunchTest, testing::Values(Chip{"gfx942", "mi300x"}, Chip{"gfx90a", "mi250x"}),
                         [](const auto &info) { return std::string(info.param.name); });

std::vector<float> ramp(size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = float(i % 251) - 100;
  return values;
}

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
  const PackedLaunch watched = pack(kernels, "copy", {1}, {256}, 0, {bytesOf(a), bytesOf(b)});
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
  expectSame([&] { return predicted("strided", {3}, {256}, c, 8, 40); }, 0);
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

TEST_P(TimedLaunchTest, MoreConflictsAreNeverFaster) {
  float *out = upload(kernels.memory, std::vector<float>(256));
  Clocks before = 0;
  for (int stride : {1, 2, 4, 8, 16, 32}) {
    const LaunchPrediction prediction = predicted("strided", {1}, {256}, out, stride, 64);
    EXPECT_GE(prediction.clocks, before) << stride;
    before = prediction.clocks;
  }
  EXPECT_GT(before, predicted("strided", {1}, {256}, out, 1, 64).clocks);
}

TEST_P(TimedLaunchTest, HalfTheBandwidthIsNeverFaster) {
  const int n = 1 << 20;
  float *a = upload(kernels.memory, ramp(n)), *b = upload(kernels.memory, ramp(n));
  const LaunchPrediction whole = predicted("copy", {n / 256}, {256}, a, b);
  for (double ChipTiming::*bandwidth :
       {&ChipTiming::hbmReadBandwidth, &ChipTiming::hbmWriteBandwidth, &ChipTiming::mallReadBandwidth,
        &ChipTiming::l2ReadBytesPerClock, &ChipTiming::l2WriteBytesPerClock}) {
    const double value = chip.*bandwidth;
    chip.*bandwidth = value / 2;
    EXPECT_GE(predicted("copy", {n / 256}, {256}, a, b).clocks, whole.clocks) << value;
    chip.*bandwidth = value;
  }
}

TEST_P(TimedLaunchTest, TwiceTheWorkgroupsOfAFullChipTakeTwiceTheTime) {
  chip.computeUnits = 2 * chip.xcds;
  float *out = upload(kernels.memory, std::vector<float>(1 << 20));
  const uint32_t full = chip.computeUnits * 8;
  const double once = double(predicted("compute", {full}, {256}, out, 40).clocks);
  const double twice = double(predicted("compute", {2 * full}, {256}, out, 40).clocks);
  EXPECT_NEAR(twice / once, 2, 0.1);
}

TEST_P(TimedLaunchTest, AConsumerWaitsAsLongAsItsProducerTakes) {
  auto run = [&](int delay) {
    int *flag = upload(kernels.memory, std::vector<int>(64)), *out = upload(kernels.memory, std::vector<int>(4));
    return double(predicted("handOver", {4}, {64}, flag, out, delay).clocks);
  };
  const double none = run(0), some = run(100), more = run(200);
  EXPECT_NEAR(more - some, some - none, 1200); // as long as a poll takes
  EXPECT_NEAR(more - some, 100 * (64 + 24), 100 * 24 + 1200);
}

TEST_P(TimedLaunchTest, WaitingForAWorkgroupThatFindsNoPlaceIsAnError) {
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

TEST_P(TimedLaunchTest, TheStepLimitIsOfASampledLaunchAsAWhole) {
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

TEST_P(TimedLaunchTest, WorkgroupsLeftAloneGetFasterInASampledLaunchToo) {
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

TEST_P(TimedLaunchTest, WhatAllWorkgroupsOfASampledLaunchChangedIsWrittenBackAtItsEnd) {
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

TEST_P(TimedLaunchTest, RoundsOfLongLoopsMayBeSkippedWhereNobodyWantsResults) {
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

TEST_P(TimedLaunchTest, ALaunchWithinTheBudgetHasResultsAnyway) {
  timing.sampledOnly = true;
  float *a = upload(kernels.memory, ramp(1 << 16)), *b = upload(kernels.memory, std::vector<float>(1 << 16));
  predicted("copy", {256}, {256}, a, b);
  EXPECT_EQ(download(b, 1 << 16), ramp(1 << 16));
}

TEST_P(TimedLaunchTest, AtomicsHappenInTheOrderOfTheModel) {
  int *counter = upload(kernels.memory, std::vector<int>(64)), *order = upload(kernels.memory, std::vector<int>(64));
  predicted("count", {64}, {64}, counter, order);
  EXPECT_EQ(*counter, 64);
  EXPECT_EQ(order[0], 0); // placed first
}

} // namespace
