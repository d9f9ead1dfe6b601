// What programs here share: the call that must succeed, and the text that a kernel prints.
#pragma once

#include <hip/hip_runtime.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

extern "C" hipError_t hipDeviceSetLimit(hipLimit_t, size_t);

#define EXPECT_HIP(call) EXPECT_EQ(call, hipSuccess)
#define ASSERT_HIP(call) ASSERT_EQ(call, hipSuccess)

/// Runs the launch and returns what stands on stdout when hipDeviceSynchronize returns.
template <typename Launch> std::string printed(Launch launch, hipError_t expected = hipSuccess) {
  std::fflush(stdout);
  testing::internal::CaptureStdout();
  launch();
  EXPECT_EQ(hipDeviceSynchronize(), expected);
  return testing::internal::GetCapturedStdout();
}

/// An array that host and kernels see.
template <typename T> struct Shared {
  explicit Shared(size_t count) : count(count) {
    void *pointer = nullptr;
    EXPECT_HIP(hipHostMalloc(&pointer, std::max<size_t>(count, 1) * sizeof(T), 0));
    data = static_cast<T *>(pointer);
    std::fill_n(data, count, T());
  }
  ~Shared() { EXPECT_HIP(hipHostFree(data)); }
  Shared(const Shared &) = delete;
  T &operator[](size_t i) { return data[i]; }
  std::vector<T> values() const { return {data, data + count}; }
  T *data;
  size_t count;
};
