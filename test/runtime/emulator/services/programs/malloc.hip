// malloc and free in kernels.
#include "Captured.h"

namespace {

__global__ void take(int **blocks, size_t bytes) {
  const size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  blocks[i] = static_cast<int *>(malloc(bytes));
  if (blocks[i])
    for (size_t at = 0; at < bytes / 4; ++at)
      blocks[i][at] = int(i + at);
}
/// Counts the blocks whose contents are no longer what `take` wrote.
__global__ void give(int **blocks, size_t bytes, unsigned *wrong) {
  const size_t i = blockIdx.x * blockDim.x + threadIdx.x;
  for (size_t at = 0; blocks[i] && at < bytes / 4; ++at)
    if (blocks[i][at] != int(i + at)) {
      atomicAdd(wrong, 1u);
      break;
    }
  free(blocks[i]);
}

/// Takes blocks in one kernel and frees them in another; returns how many there were.
size_t takeAndGive(unsigned groups, unsigned lanes, size_t bytes) {
  Shared<int *> blocks(size_t(groups) * lanes);
  Shared<unsigned> wrong(1);
  take<<<groups, lanes>>>(blocks.data, bytes);
  EXPECT_HIP(hipDeviceSynchronize());
  std::vector<int *> all = blocks.values();
  std::sort(all.begin(), all.end());
  std::erase(all, nullptr);
  for (size_t i = 1; i < all.size(); ++i)
    EXPECT_GE(reinterpret_cast<char *>(all[i]) - reinterpret_cast<char *>(all[i - 1]), ptrdiff_t(bytes));
  give<<<groups, lanes>>>(blocks.data, bytes, wrong.data);
  EXPECT_HIP(hipDeviceSynchronize());
  EXPECT_EQ(wrong[0], 0u);
  return all.size();
}

// The first test: slabs of others would stay with their kinds of blocks.
TEST(Malloc, NullWhenTheHeapIsUsedUp) {
  size_t before, limit, all;
  ASSERT_HIP(hipMemGetInfo(&before, &all));
  ASSERT_HIP(hipDeviceGetLimit(&before, hipLimitMallocHeapSize));
  EXPECT_EQ(before, all);
  testing::internal::CaptureStderr();
  EXPECT_EQ(hipDeviceSetLimit(hipLimitMallocHeapSize, SIZE_MAX), hipErrorInvalidValue);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::MatchesRegex("[^\n]*expected a heap of at most [0-9]+ bytes but got 18446744073709551615\n"));
  ASSERT_HIP(hipDeviceSetLimit(hipLimitMallocHeapSize, (size_t(64) << 20) - 5));
  ASSERT_HIP(hipDeviceGetLimit(&limit, hipLimitMallocHeapSize));
  EXPECT_EQ(limit, size_t(64) << 20);
  EXPECT_EQ(takeAndGive(1, 128, 1 << 20), 64u);
  EXPECT_EQ(takeAndGive(1, 128, 1 << 20), 64u) << "all came back";
  EXPECT_EQ(takeAndGive(1, 64, 40), 64u);
  ASSERT_HIP(hipDeviceSetLimit(hipLimitMallocHeapSize, 0));
  EXPECT_EQ(takeAndGive(1, 64, 5000), 0u);
  EXPECT_EQ(takeAndGive(1, 64, 768), 0u) << "a kind of block that has no slab yet";
  EXPECT_EQ(takeAndGive(1, 64, 40), 64u) << "there is a slab";
  ASSERT_HIP(hipDeviceSetLimit(hipLimitMallocHeapSize, before));
  EXPECT_EQ(takeAndGive(1, 64, 5000), 64u);
}

TEST(Malloc, BlocksOfEverySize) {
  for (size_t bytes : {1, 4, 16, 24, 100, 1000, 3072, 3073, 4096, 10000, 1 << 20})
    EXPECT_EQ(takeAndGive(1, 64, bytes), 64u) << bytes;
}

TEST(Malloc, ManyLanesAtOnce) { EXPECT_EQ(takeAndGive(256, 256, 40), 65536u); }

TEST(Malloc, ManyLargeBlocksAtOnce) { EXPECT_EQ(takeAndGive(64, 64, 5000), 4096u); }

TEST(Malloc, NothingOfNothing) { EXPECT_EQ(takeAndGive(1, 64, 0), 0u); }

__global__ void churn(int times, unsigned *failed) {
  for (int i = 0; i < times; ++i) {
    void *block = malloc(8000); // of small ones, ROCm 5.2's library loses count
    if (!block)
      atomicAdd(failed, 1u);
    free(block);
  }
}

TEST(Malloc, FreedBlocksAreUsedAgain) {
  Shared<unsigned> failed(1);
  size_t before, after, all;
  churn<<<1, 64>>>(2, failed.data);
  EXPECT_HIP(hipDeviceSynchronize());
  ASSERT_HIP(hipMemGetInfo(&before, &all));
  churn<<<4, 64>>>(50, failed.data);
  EXPECT_HIP(hipDeviceSynchronize());
  ASSERT_HIP(hipMemGetInfo(&after, &all));
  EXPECT_EQ(failed[0], 0u);
  EXPECT_EQ(before, after);
}

__global__ void freeTwice() {
  void *block = malloc(5000);
  free(block);
  free(block);
}

TEST(Malloc, FreeingTwiceIsSaid) {
  testing::internal::CaptureStderr();
  freeTwice<<<1, 1>>>();
  EXPECT_HIP(hipDeviceSynchronize());
  EXPECT_THAT(
      testing::internal::GetCapturedStderr(),
      testing::MatchesRegex("error: kernel '[^\n]*freeTwice[^\n]*': free: no block of the heap begins at 0x[^\n]*\n"));
}

TEST(Malloc, SeveralStreams) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([] {
      hipStream_t stream;
      Shared<int *> blocks(1024);
      Shared<unsigned> wrong(1);
      EXPECT_HIP(hipStreamCreate(&stream));
      for (int round = 0; round < 4; ++round) {
        take<<<4, 256, 0, stream>>>(blocks.data, 300);
        give<<<4, 256, 0, stream>>>(blocks.data, 300, wrong.data);
      }
      EXPECT_HIP(hipStreamSynchronize(stream));
      EXPECT_HIP(hipStreamDestroy(stream));
      EXPECT_EQ(wrong[0], 0u);
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
