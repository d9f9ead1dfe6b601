// What a launch executes and moves, as an observer is told.
#include "nstf/EmulatorStatistics.h"
#include "test/runtime/emulator/hip_api/HipTest.h"

#include <dlfcn.h>

namespace {

class StatisticsTest : public KernelTest {
protected:
  void SetUp() override {
    KernelTest::SetUp();
    observe = reinterpret_cast<NSTFObserveDispatches *>(dlsym(RTLD_DEFAULT, "nstfEmulatorObserveDispatches"));
    ASSERT_TRUE(observe);
    observe(note, this);
  }
  void TearDown() override {
    observe(nullptr, nullptr);
    KernelTest::TearDown();
  }
  static void note(void *user, const NSTFDispatchStatistics *statistics) {
    EXPECT_EQ(statistics->size, sizeof(*statistics));
    auto *test = static_cast<StatisticsTest *>(user);
    test->seen.push_back(*statistics);
    test->names.push_back(statistics->kernel);
  }
  void vectorAdd(unsigned groups, int n) {
    float *a = device(std::vector<float>(groups * 128, 1.0f));
    void *parameters[] = {&a, &a, &a, &n};
    ASSERT_HIP(hipModuleLaunchKernel(kernel("vectorAdd"), groups, 1, 1, 128, 1, 1, 0, nullptr, parameters, nullptr));
    EXPECT_HIP(hipFree(a));
  }
  NSTFObserveDispatches *observe = nullptr;
  std::vector<NSTFDispatchStatistics> seen;
  std::vector<std::string> names;
};

TEST_F(StatisticsTest, ALaunch) {
  vectorAdd(5, 5 * 128);
  ASSERT_EQ(seen.size(), 1u);
  const NSTFDispatchStatistics &s = seen[0];
  EXPECT_EQ(names[0], "vectorAdd");
  EXPECT_EQ(s.grid[0], 5u);
  EXPECT_EQ(s.block[0], 128u);
  EXPECT_EQ(s.workgroups, 5u);
  EXPECT_EQ(s.waves, 10u);
  EXPECT_EQ(s.globalBytesLoaded, 5u * 128 * 2 * 4);
  EXPECT_EQ(s.globalBytesStored, 5u * 128 * 4);
  EXPECT_EQ(s.ldsBytesLoaded + s.ldsBytesStored + s.scratchBytesLoaded + s.scratchBytesStored, 0u);
  EXPECT_EQ(s.matrix + s.lds, 0u);
  EXPECT_EQ(s.vectorMemory, 10u * 3);
  EXPECT_GT(s.scalarBytesLoaded, 10u * 28); // the arguments
  EXPECT_GE(s.vector, 10u);
  EXPECT_GT(s.hostSeconds, 0);
}

TEST_F(StatisticsTest, LanesPastTheEndMoveNothing) {
  vectorAdd(2, 2 * 128 - 28);
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(seen[0].globalBytesLoaded, 228u * 2 * 4);
  EXPECT_EQ(seen[0].globalBytesStored, 228u * 4);
}

TEST_F(StatisticsTest, TheSameOnAnyNumberOfThreads) {
  for (const char *threads : {"1", "2"}) {
    setenv("NSTF_EMU_THREADS", threads, 1);
    vectorAdd(500, 500 * 128);
  }
  unsetenv("NSTF_EMU_THREADS");
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].vector, seen[1].vector);
  EXPECT_EQ(seen[0].scalar, seen[1].scalar);
  EXPECT_EQ(seen[0].globalBytesLoaded, seen[1].globalBytesLoaded);
  EXPECT_EQ(seen[0].globalBytesLoaded, 500u * 128 * 2 * 4);
}

TEST_F(StatisticsTest, Lds) {
  float *in = device(std::vector<float>(256, 1.0f)), *out = device(std::vector<float>(1));
  void *parameters[] = {&in, &out};
  ASSERT_HIP(hipModuleLaunchKernel(kernel("blockSum"), 1, 1, 1, 256, 1, 1, 1024, nullptr, parameters, nullptr));
  ASSERT_EQ(seen.size(), 1u);
  // values and copy written, values read, then 255 sums of two reads and a write; the result is read once more. A
  // compiler that keeps a value in a register may read less.
  EXPECT_EQ(seen[0].ldsBytesStored, (256u + 256 + 255) * 4);
  EXPECT_LE(seen[0].ldsBytesLoaded, (256u + 255 * 2 + 1) * 4);
  EXPECT_GE(seen[0].ldsBytesLoaded, (256u + 255) * 4);
  EXPECT_GT(seen[0].lds, 0u);
  for (float *pointer : {in, out})
    EXPECT_HIP(hipFree(pointer));
}

TEST_F(StatisticsTest, SilentOnceNobodyObserves) {
  observe(nullptr, nullptr);
  vectorAdd(1, 128);
  EXPECT_TRUE(seen.empty());
}

} // namespace
