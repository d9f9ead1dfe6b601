// What the HIP tests share: the call that must succeed, and the kernels made at build time.
#pragma once

#define __HIP_PLATFORM_AMD__ 1
#include <hip/hip_runtime_api.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" const char *nstfEmulatorLastFault(void);
extern "C" void nstfEmulatorPrintFaults(int);

#define ASSERT_HIP(call) ASSERT_EQ(call, hipSuccess) << nstfEmulatorLastFault()
#define EXPECT_HIP(call) EXPECT_EQ(call, hipSuccess) << nstfEmulatorLastFault()

/// "gfx942" or "gfx90a": ctest runs each test program once for each.
inline std::string chip() {
  const char *target = std::getenv("NSTF_EMU_TARGET");
  return target ? target : "gfx942";
}

inline std::string kernelFile(const std::string &target) {
  return std::string(NSTF_TEST_KERNELS) + "/kernels." + target + ".hsaco";
}

inline std::vector<char> readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Faults that a test provokes are no news on stderr.
class HipTest : public testing::Test {
protected:
  void SetUp() override { nstfEmulatorPrintFaults(0); }
};

/// With the test kernels loaded.
class KernelTest : public HipTest {
protected:
  void SetUp() override {
    HipTest::SetUp();
    ASSERT_HIP(hipModuleLoad(&module, kernelFile(chip()).c_str()));
  }
  void TearDown() override {
    if (module)
      EXPECT_HIP(hipModuleUnload(module));
  }
  hipFunction_t kernel(const char *name) {
    hipFunction_t function = nullptr;
    EXPECT_HIP(hipModuleGetFunction(&function, module, name));
    return function;
  }
  template <typename T> T *device(const std::vector<T> &values) {
    void *pointer = nullptr;
    EXPECT_HIP(hipMalloc(&pointer, values.size() * sizeof(T)));
    EXPECT_HIP(hipMemcpy(pointer, values.data(), values.size() * sizeof(T), hipMemcpyHostToDevice));
    return static_cast<T *>(pointer);
  }
  template <typename T> std::vector<T> host(const T *pointer, size_t count) {
    std::vector<T> values(count);
    EXPECT_HIP(hipMemcpy(values.data(), pointer, count * sizeof(T), hipMemcpyDeviceToHost));
    return values;
  }
  hipModule_t module = nullptr;
};
