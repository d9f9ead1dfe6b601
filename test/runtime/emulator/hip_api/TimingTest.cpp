// Streams, events, copies and graphs in predicted time. Run with NSTF_EMU_TIMING set to a chip of NSTF_EMU_TARGET.
#include "nstf/EmulatorStatistics.h"
#include "test/runtime/emulator/hip_api/HipTest.h"

#include <functional>

extern "C" hipError_t nstfEmulatorPredictedTime(double *nanoseconds, const char **chip);
extern "C" hipError_t nstfEmulatorSetTiming(const char *chip);

namespace {

class TimingTest : public KernelTest {
protected:
  void SetUp() override {
    KernelTest::SetUp();
    values = device(std::vector<float>(items));
    sums = device(std::vector<float>(items));
    for (hipStream_t *stream : {&one, &two})
      ASSERT_HIP(hipStreamCreateWithFlags(stream, hipStreamNonBlocking));
    for (hipEvent_t *event : {&start, &stop, &fork, &join})
      ASSERT_HIP(hipEventCreate(event));
  }
  void TearDown() override {
    for (hipEvent_t event : {start, stop, fork, join})
      EXPECT_HIP(hipEventDestroy(event));
    for (hipStream_t stream : {one, two})
      EXPECT_HIP(hipStreamDestroy(stream));
    EXPECT_HIP(hipFree(values));
    EXPECT_HIP(hipFree(sums));
    KernelTest::TearDown();
  }
  /// sums = values + values, on as many work-items.
  void add(hipStream_t stream, int count) {
    void *parameters[] = {&values, &values, &sums, &count};
    ASSERT_HIP(hipModuleLaunchKernel(kernel("vectorAdd"), unsigned(count + 255) / 256, 1, 1, 256, 1, 1, 0, stream,
                                     parameters, nullptr));
  }
  /// Nanoseconds since the device's beginning, when everything is done.
  double now() {
    double nanoseconds = 0;
    const char *chip = nullptr;
    EXPECT_HIP(nstfEmulatorPredictedTime(&nanoseconds, &chip));
    return nanoseconds;
  }
  double elapsed(hipEvent_t from, hipEvent_t to) {
    float milliseconds = 0;
    EXPECT_HIP(hipEventSynchronize(to));
    EXPECT_HIP(hipEventElapsedTime(&milliseconds, from, to));
    return double(milliseconds) * 1e6;
  }
  /// Nanoseconds that what `work` puts on stream `one` takes by events around it.
  double timed(const std::function<void()> &work) {
    EXPECT_HIP(hipEventRecord(start, one));
    work();
    EXPECT_HIP(hipEventRecord(stop, one));
    return elapsed(start, stop);
  }

  static constexpr int items = 1 << 20;
  float *values = nullptr, *sums = nullptr;
  hipStream_t one = nullptr, two = nullptr;
  hipEvent_t start = nullptr, stop = nullptr, fork = nullptr, join = nullptr;
};

TEST_F(TimingTest, EventsGiveThePredictedTimeOfAKernel) {
  ASSERT_HIP(hipMemset(values, 0, items * sizeof(float)));
  const double few = timed([&] { add(one, 256); }), many = timed([&] { add(one, items); });
  EXPECT_GT(few, 1000) << "a launch";
  EXPECT_LT(few, 20e3);
  EXPECT_GT(many, few + 1000) << "16384 waves, 12 MB";
  EXPECT_LT(many, 100e3);
  const double again = timed([&] { add(one, items); });
  EXPECT_NEAR(timed([&] { add(one, items); }), again, 1) << "the same from the same caches";
}

TEST_F(TimingTest, CountsOfASimulatedLaunchAreThoseOfAKnownOne) {
  std::vector<NSTFDispatchStatistics> seen;
  auto note = [](void *user, const NSTFDispatchStatistics *statistics) {
    static_cast<std::vector<NSTFDispatchStatistics> *>(user)->push_back(*statistics);
  };
  nstfEmulatorObserveDispatches(note, &seen);
  for (int i = 0; i < 3; ++i) // caches are as warm for the third as for the second
    add(one, 1000);
  EXPECT_HIP(hipStreamSynchronize(one));
  nstfEmulatorObserveDispatches(nullptr, nullptr);
  ASSERT_EQ(seen.size(), 3u);
  for (const NSTFDispatchStatistics &launch : seen) {
    EXPECT_EQ(launch.globalBytesLoaded, 1000u * 2 * 4);
    EXPECT_EQ(launch.globalBytesStored, 1000u * 4);
    EXPECT_EQ(launch.scalarBytesLoaded, seen.back().scalarBytesLoaded);
    for (auto count : {&NSTFDispatchStatistics::vector, &NSTFDispatchStatistics::scalar,
                       &NSTFDispatchStatistics::vectorMemory, &NSTFDispatchStatistics::other})
      EXPECT_EQ(launch.*count, seen.back().*count);
    EXPECT_GT(launch.vector, 0u);
  }
}

TEST_F(TimingTest, TheDeviceIsTheChipThatIsTimed) {
  hipDeviceProp_t properties;
  ASSERT_HIP(hipGetDeviceProperties(&properties, 0));
  EXPECT_EQ(properties.multiProcessorCount,
            chip() == "gfx942" ? 304 : 110); // 104 where all of gfx90a's chips are meant
}

TEST_F(TimingTest, ResultsAreThoseOfAnUntimedRun) {
  std::vector<float> numbers(items);
  for (int i = 0; i < items; ++i)
    numbers[i] = float(i);
  ASSERT_HIP(hipMemcpy(values, numbers.data(), items * sizeof(float), hipMemcpyHostToDevice));
  for (int round = 0; round < 2; ++round) { // simulated, and as an identical launch
    ASSERT_HIP(hipMemset(sums, 0, items * sizeof(float)));
    add(one, items);
    const std::vector<float> result = host(sums, items);
    for (int i = 0; i < items; ++i)
      ASSERT_EQ(result[i], 2 * numbers[i]) << i;
  }
}

TEST_F(TimingTest, StreamsOverlap) {
  add(one, 4096); // from now on the launches are alike
  const double begin = now();
  for (int i = 0; i < 4; ++i)
    add(one, 4096);
  const double onOne = now() - begin;
  for (int i = 0; i < 4; ++i)
    add(i % 2 ? one : two, 4096);
  const double onTwo = now() - begin - onOne;
  EXPECT_LT(onTwo, 0.75 * onOne);
  EXPECT_GT(onTwo, 0.4 * onOne);
}

TEST_F(TimingTest, AnEventHoldsTheOtherStream) {
  add(one, 4096);
  const double begin = now();
  add(one, 4096);
  ASSERT_HIP(hipEventRecord(fork, one));
  ASSERT_HIP(hipStreamWaitEvent(two, fork, 0));
  add(two, 4096);
  const double inTurn = now() - begin;
  add(one, 4096);
  add(two, 4096);
  EXPECT_GT(inTurn, 1.3 * (now() - begin - inTurn));
}

TEST_F(TimingTest, SmallCopiesOfPageableMemoryAreStaged) {
  const size_t mega = 1 << 20;
  std::vector<std::byte> pageable(2 * mega);
  void *pinned = nullptr;
  ASSERT_HIP(hipHostMalloc(&pinned, mega, 0));
  auto copy = [&](const void *from, size_t bytes) {
    return timed([&] { ASSERT_HIP(hipMemcpyAsync(values, from, bytes, hipMemcpyHostToDevice, one)); });
  };
  const double staged = copy(pageable.data(), mega), direct = copy(pinned, mega);
  EXPECT_GT(staged, 3 * direct);
  EXPECT_LT(copy(pageable.data(), 2 * mega), staged) << "pinned for the copy";
  ASSERT_HIP(hipHostRegister(pageable.data(), mega, 0));
  EXPECT_NEAR(copy(pageable.data(), mega), direct, 0.01 * direct);
  ASSERT_HIP(hipHostUnregister(pageable.data()));
  ASSERT_HIP(hipHostFree(pinned));
}

TEST_F(TimingTest, CopiesTakeTime) {
  std::vector<float> numbers(items);
  auto copy = [&](size_t bytes) {
    return timed([&] { ASSERT_HIP(hipMemcpyAsync(values, numbers.data(), bytes, hipMemcpyHostToDevice, one)); });
  };
  const double small = copy(1 << 12), large = copy(1 << 22);
  EXPECT_GT(small, 500);
  const double bandwidth = double((1 << 22) - (1 << 12)) / (large - small); // GB/s
  EXPECT_GT(bandwidth, 20);
  EXPECT_LT(bandwidth, 80);
  const double before = now();
  ASSERT_HIP(hipMemcpy(values, numbers.data(), 1 << 22, hipMemcpyHostToDevice));
  EXPECT_GT(now() - before, 40e3) << "the host waits";
  const double fill = timed([&] { ASSERT_HIP(hipMemsetAsync(values, 0, 1 << 22, one)); });
  EXPECT_LT(fill, large);
}

TEST_F(TimingTest, BranchesOfACapturedGraphOverlap) {
  add(one, 4096);
  auto capture = [&](bool branches) {
    EXPECT_HIP(hipStreamBeginCapture(one, hipStreamCaptureModeRelaxed));
    EXPECT_HIP(hipEventRecord(fork, one));
    EXPECT_HIP(hipStreamWaitEvent(two, fork, 0));
    for (int i = 0; i < 8; ++i)
      add(branches && i % 2 ? two : one, 4096);
    EXPECT_HIP(hipEventRecord(join, two));
    EXPECT_HIP(hipStreamWaitEvent(one, join, 0));
    hipGraph_t graph = nullptr;
    hipGraphExec_t exec = nullptr;
    EXPECT_HIP(hipStreamEndCapture(one, &graph));
    EXPECT_HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    EXPECT_HIP(hipGraphDestroy(graph));
    const double time = timed([&] { ASSERT_HIP(hipGraphLaunch(exec, one)); });
    EXPECT_HIP(hipGraphExecDestroy(exec));
    return time;
  };
  const double chain = capture(false), pair = capture(true);
  EXPECT_LT(pair, 0.75 * chain);
  const double launches = timed([&] {
    for (int i = 0; i < 8; ++i)
      add(one, 4096);
  });
  EXPECT_LE(chain, launches * 1.001) << "a node costs no more than a launch";
}

TEST_F(TimingTest, AQueryWaitsAndTimeStandsStillOtherwise) {
  const double before = now();
  EXPECT_EQ(now(), before);
  add(one, 4096);
  ASSERT_HIP(hipEventRecord(stop, one));
  EXPECT_HIP(hipEventQuery(stop));
  EXPECT_GT(now(), before);
  EXPECT_EQ(nstfEmulatorSetTiming("another"), hipErrorInvalidValue) << "there is a device already";
}

} // namespace
