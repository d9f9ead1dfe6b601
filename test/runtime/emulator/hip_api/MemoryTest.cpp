// Memory calls: allocation, copies, fills, and what they refuse.
#include "test/runtime/emulator/hip_api/HipTest.h"

#include <atomic>
#include <numeric>
#include <thread>

namespace {
using testing::HasSubstr;

std::vector<int> counting(size_t count) {
  std::vector<int> values(count);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

TEST_F(HipTest, CopiesGoRound) {
  std::vector<int> in = counting(1000), out(1000);
  void *a = nullptr, *b = nullptr;
  hipStream_t stream = nullptr;
  ASSERT_HIP(hipStreamCreate(&stream));
  ASSERT_HIP(hipMalloc(&a, 4000));
  ASSERT_HIP(hipMalloc(&b, 4000));
  ASSERT_HIP(hipMemcpyHtoD(a, in.data(), 4000));
  ASSERT_HIP(hipMemcpyDtoD(b, a, 4000));
  ASSERT_HIP(hipMemcpyDtoH(out.data(), b, 4000));
  EXPECT_EQ(in, out);
  std::fill(out.begin(), out.end(), 0);
  ASSERT_HIP(hipMemsetAsync(b, 0, 4000, stream));
  ASSERT_HIP(hipMemcpyAsync(b, a, 4000, hipMemcpyDeviceToDevice, stream));
  ASSERT_HIP(hipMemcpyAsync(out.data(), b, 4000, hipMemcpyDefault, stream));
  ASSERT_HIP(hipStreamSynchronize(stream));
  EXPECT_EQ(in, out);
  ASSERT_HIP(hipMemcpy(out.data(), in.data(), 4000, hipMemcpyHostToHost));
  EXPECT_HIP(hipMemcpy(a, nullptr, 0, hipMemcpyHostToDevice)) << "nothing to copy";
  EXPECT_HIP(hipFree(a));
  EXPECT_HIP(hipFree(b));
  EXPECT_HIP(hipStreamDestroy(stream));
}

TEST_F(HipTest, FillsOfEveryWidth) {
  void *pointer = nullptr;
  ASSERT_HIP(hipMalloc(&pointer, 16));
  ASSERT_HIP(hipMemset(pointer, 0xab, 16));
  ASSERT_HIP(hipMemsetD16(pointer, 0x1234, 3));
  ASSERT_HIP(hipMemsetD32(static_cast<char *>(pointer) + 8, 0x55667788, 1));
  std::vector<unsigned> words(4);
  ASSERT_HIP(hipMemcpy(words.data(), pointer, 16, hipMemcpyDeviceToHost));
  EXPECT_THAT(words, testing::ElementsAre(0x12341234u, 0xabab1234u, 0x55667788u, 0xababababu));
  EXPECT_EQ(hipMemsetD32(pointer, 1, 5), hipErrorInvalidValue);
  EXPECT_HIP(hipFree(pointer));
}

TEST_F(HipTest, RowsWithPitches) {
  std::vector<int> in = counting(12), out(6, -1);
  void *pointer = nullptr;
  size_t pitch = 0;
  ASSERT_HIP(hipMallocPitch(&pointer, &pitch, 12, 3));
  EXPECT_EQ(pitch % 256, 0u);
  // Three rows of two of the four numbers a row has.
  ASSERT_HIP(hipMemcpy2D(pointer, pitch, in.data(), 16, 8, 3, hipMemcpyHostToDevice));
  ASSERT_HIP(hipMemcpy2D(out.data(), 8, pointer, pitch, 8, 3, hipMemcpyDeviceToHost));
  EXPECT_THAT(out, testing::ElementsAre(0, 1, 4, 5, 8, 9));
  EXPECT_EQ(hipMemcpy2D(pointer, pitch, in.data(), 4, 8, 3, hipMemcpyHostToDevice), hipErrorInvalidValue);
  EXPECT_HIP(hipFree(pointer));
}

TEST_F(HipTest, WhatReachesOutsideIsRefusedWithItsPlace) {
  char bytes[64] = {};
  void *pointer = nullptr;
  ASSERT_HIP(hipMalloc(&pointer, 64));
  EXPECT_EQ(hipMemcpy(pointer, bytes, 65, hipMemcpyHostToDevice), hipErrorInvalidValue);
  EXPECT_THAT(nstfEmulatorLastFault(), HasSubstr("destination of 65 bytes"));
  EXPECT_EQ(hipMemcpy(static_cast<char *>(pointer) + 60, bytes, 8, hipMemcpyDefault), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpy(bytes, bytes, 4, hipMemcpyDeviceToHost), hipErrorInvalidValue)
      << "host memory is no device memory";
  EXPECT_EQ(hipMemset(pointer, 0, 65), hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpy(pointer, bytes, 4, hipMemcpyKind(7)), hipErrorInvalidMemcpyDirection);
  EXPECT_EQ(hipFree(static_cast<char *>(pointer) + 4), hipErrorInvalidValue);
  EXPECT_HIP(hipFree(pointer));
  EXPECT_EQ(hipFree(pointer), hipErrorInvalidValue) << "freed twice";
  EXPECT_EQ(hipMemcpy(pointer, bytes, 4, hipMemcpyHostToDevice), hipErrorInvalidValue) << "used after free";
  EXPECT_THAT(nstfEmulatorLastFault(), HasSubstr("was freed"));
  EXPECT_HIP(hipFree(nullptr));
}

TEST_F(HipTest, MoreThanThereIsIsOutOfMemory) {
  size_t before = 0, after = 0, total = 0;
  ASSERT_HIP(hipMemGetInfo(&before, &total));
  void *pointer = &total;
  EXPECT_EQ(hipMalloc(&pointer, total + 1), hipErrorOutOfMemory);
  EXPECT_EQ(pointer, nullptr);
  EXPECT_EQ(hipMalloc(nullptr, 1), hipErrorInvalidValue);
  ASSERT_HIP(hipMalloc(&pointer, 1 << 20));
  ASSERT_HIP(hipMemGetInfo(&after, &total));
  EXPECT_EQ(before - after, 1u << 20);
  EXPECT_HIP(hipFree(pointer));
  EXPECT_HIP(hipMalloc(&pointer, 0));
  EXPECT_EQ(pointer, nullptr);
}

TEST_F(HipTest, HostMemoryHasADeviceAddress) {
  void *pinned = nullptr, *device = nullptr;
  ASSERT_HIP(hipHostMalloc(&pinned, 256, 0));
  ASSERT_HIP(hipHostGetDevicePointer(&device, pinned, 0));
  static_cast<int *>(pinned)[3] = 42;
  int value = 0;
  ASSERT_HIP(hipMemcpy(&value, static_cast<int *>(device) + 3, 4, hipMemcpyDeviceToHost));
  EXPECT_EQ(value, 42);
  EXPECT_EQ(hipFree(pinned), hipErrorInvalidValue) << "hipHostFree it is";
  EXPECT_HIP(hipHostFree(pinned));

  std::vector<int> mine(64);
  EXPECT_EQ(hipHostGetDevicePointer(&device, mine.data(), 0), hipErrorInvalidValue);
  ASSERT_HIP(hipHostRegister(mine.data(), 256, 0));
  EXPECT_EQ(hipHostRegister(mine.data(), 16, 0), hipErrorHostMemoryAlreadyRegistered);
  EXPECT_HIP(hipHostGetDevicePointer(&device, mine.data(), 0));
  EXPECT_HIP(hipHostUnregister(mine.data()));
  EXPECT_EQ(hipHostUnregister(mine.data()), hipErrorHostMemoryNotRegistered);
}

TEST_F(HipTest, PointersTellTheirAllocation) {
  char *pointer = nullptr;
  ASSERT_HIP(hipMalloc(reinterpret_cast<void **>(&pointer), 100));
  hipDeviceptr_t base = nullptr;
  size_t size = 0;
  ASSERT_HIP(hipMemGetAddressRange(&base, &size, pointer + 50));
  EXPECT_EQ(base, pointer);
  EXPECT_EQ(size, 100u);
  hipPointerAttribute_t attributes;
  ASSERT_HIP(hipPointerGetAttributes(&attributes, pointer + 50));
  EXPECT_EQ(attributes.devicePointer, pointer + 50);
  EXPECT_EQ(attributes.isManaged, 0);
  EXPECT_HIP(hipFree(pointer));
  EXPECT_EQ(hipMemGetAddressRange(&base, &size, pointer), hipErrorNotFound);
}

TEST_F(HipTest, ThreadsAllocateAndCopyAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> failures = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t, &failures] {
      for (int i = 0; i < 200; ++i) {
        void *pointer = nullptr;
        std::vector<int> in(64, t * 1000 + i), out(64);
        if (hipMalloc(&pointer, 256) || hipMemcpy(pointer, in.data(), 256, hipMemcpyHostToDevice) ||
            hipMemcpy(out.data(), pointer, 256, hipMemcpyDeviceToHost) || hipFree(pointer) || in != out)
          ++failures;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
}

} // namespace
