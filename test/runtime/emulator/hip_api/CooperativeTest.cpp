// Cooperative launches, in predicted time too.
#include "test/runtime/emulator/hip_api/HipTest.h"

// HIP 5.2's header hasn't got it.
extern "C" hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t, unsigned, unsigned, unsigned, unsigned, unsigned,
                                                       unsigned, unsigned, hipStream_t, void **);

namespace {

TEST_F(KernelTest, CooperativeLaunchesMeet) {
  constexpr int rounds = 3;
  for (unsigned block : {32u, 64u, 96u, 256u, 1024u})
    for (unsigned groups : {1u, 2u, 64u}) {
      int *counts = device(std::vector<int>(rounds)), *seen = device(std::vector<int>(rounds)), count = rounds;
      void *parameters[] = {&counts, &seen, &count};
      ASSERT_HIP(hipModuleLaunchCooperativeKernel(kernel("meet"), groups, 1, 1, block, 1, 1, 0, nullptr, parameters));
      EXPECT_THAT(host(seen, rounds), testing::Each(int(groups))) << block;
      EXPECT_HIP(hipFree(counts));
      EXPECT_HIP(hipFree(seen));
    }
}

TEST_F(KernelTest, WavesThatNeverMeetAreAFault) {
  int *x = device(std::vector<int>(1));
  void *parameters[] = {&x};
  EXPECT_EQ(hipModuleLaunchCooperativeKernel(kernel("neverMeet"), 4, 1, 1, 128, 1, 1, 0, nullptr, parameters),
            hipErrorLaunchFailure);
  EXPECT_THAT(nstfEmulatorLastFault(),
              testing::AllOf(testing::HasSubstr("no wave can make progress: all wait for what never comes ("),
                             testing::HasSubstr("2 waves at the barrier before")));
  EXPECT_HIP(hipDeviceReset());
  EXPECT_HIP(hipFree(x));
}

} // namespace
