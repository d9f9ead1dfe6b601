// Launches of kernels that clang-22 compiled, each way HIP offers, and what comes back when they go wrong.
#include "test/runtime/emulator/hip_api/HipTest.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <thread>

// As hip_ext.h declares it: a C++ function in HIP 5.
hipError_t hipExtModuleLaunchKernel(hipFunction_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, size_t,
                                    hipStream_t, void **, void **, hipEvent_t, hipEvent_t, uint32_t);

namespace {
using testing::HasSubstr;

std::vector<float> ramp(size_t count, float step = 1.0f) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = step * float(i);
  return values;
}

TEST_F(KernelTest, VectorAddWithParameters) {
  int n = 1000;
  float *a = device(ramp(n)), *b = device(ramp(n, 0.5f)), *c = device(std::vector<float>(n, -1.0f));
  void *parameters[] = {&a, &b, &c, &n};
  ASSERT_HIP(hipModuleLaunchKernel(kernel("vectorAdd"), 16, 1, 1, 64, 1, 1, 0, nullptr, parameters, nullptr));
  ASSERT_HIP(hipDeviceSynchronize());
  EXPECT_EQ(host(c, n), ramp(n, 1.5f));
  for (float *pointer : {a, b, c})
    EXPECT_HIP(hipFree(pointer));
}

TEST_F(KernelTest, VectorAddWithAnArgumentBlock) {
  const int n = 500;
  struct {
    float *a, *b, *c;
    int n;
  } arguments{device(ramp(n)), device(ramp(n)), device(std::vector<float>(n)), n};
  size_t size = sizeof arguments - 4;
  void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &arguments, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   HIP_LAUNCH_PARAM_END};
  ASSERT_HIP(hipModuleLaunchKernel(kernel("vectorAdd"), 2, 1, 1, 256, 1, 1, 0, nullptr, nullptr, extra));
  EXPECT_EQ(host(arguments.c, n), ramp(n, 2.0f));
  size = 24;
  EXPECT_EQ(hipModuleLaunchKernel(kernel("vectorAdd"), 2, 1, 1, 256, 1, 1, 0, nullptr, nullptr, extra),
            hipErrorInvalidValue);
  EXPECT_THAT(nstfEmulatorLastFault(), HasSubstr("takes 28 bytes of arguments but got 24"));
  for (float *pointer : {arguments.a, arguments.b, arguments.c})
    EXPECT_HIP(hipFree(pointer));
}

TEST_F(KernelTest, ArgumentsOfEverySizeStandWhereTheMetadataSays) {
  struct Mixed {
    double scale;
    int16_t offset;
    uint8_t shift;
  } mixed{2.5, -7, 9};
  uint8_t first = 200, last = 100;
  float *out = device(std::vector<float>(5));
  void *parameters[] = {&first, &mixed, &out, &last};
  ASSERT_HIP(hipModuleLaunchKernel(kernel("mixedArguments"), 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
  EXPECT_THAT(host(out, 5), testing::ElementsAre(200, 2.5f, -7, 9, 100));
  EXPECT_HIP(hipFree(out));
}

TEST_F(KernelTest, HiddenArgumentsTellTheLaunch) {
  uint32_t *out = device(std::vector<uint32_t>(8, 99));
  void *parameters[] = {&out};
  ASSERT_HIP(hipModuleLaunchKernel(kernel("launchShape"), 5, 3, 2, 16, 4, 1, 0, nullptr, parameters, nullptr));
  EXPECT_THAT(host(out, 7), testing::ElementsAre(5, 3, 2, 16, 4, 1, 3));
  ASSERT_HIP(hipModuleLaunchKernel(kernel("dynamicLdsSize"), 1, 1, 1, 64, 1, 1, 512, nullptr, parameters, nullptr));
  EXPECT_THAT(host(out, 2), testing::ElementsAre(512, 63));
  EXPECT_HIP(hipFree(out));
}

TEST_F(KernelTest, LdsStaticAndDynamic) {
  std::vector<float> in = ramp(1024);
  float *x = device(in), *sums = device(std::vector<float>(4));
  void *parameters[] = {&x, &sums};
  ASSERT_HIP(hipModuleLaunchKernel(kernel("blockSum"), 4, 1, 1, 256, 1, 1, 1024, nullptr, parameters, nullptr));
  std::vector<float> expected;
  for (int i = 0; i < 4; ++i)
    expected.push_back(std::accumulate(in.begin() + i * 256, in.begin() + (i + 1) * 256, 0.0f));
  EXPECT_EQ(host(sums, 4), expected);
  EXPECT_HIP(hipFree(x));
  EXPECT_HIP(hipFree(sums));
}

TEST_F(KernelTest, DeviceVariablesThroughRelocatedPointers) {
  float *x = device(ramp(64));
  int which = 1;
  void *parameters[] = {&x, &which};
  ASSERT_HIP(hipModuleLaunchKernel(kernel("scaleByVariable"), 1, 1, 1, 64, 1, 1, 0, nullptr, parameters, nullptr));
  EXPECT_EQ(host(x, 64), ramp(64, 5.0f));
  hipDeviceptr_t factor = nullptr;
  size_t bytes = 0;
  ASSERT_HIP(hipModuleGetGlobal(&factor, &bytes, module, "otherFactor"));
  float two = 2.0f;
  ASSERT_HIP(hipMemcpy(factor, &two, 4, hipMemcpyHostToDevice));
  ASSERT_HIP(hipModuleLaunchKernel(kernel("scaleByVariable"), 1, 1, 1, 64, 1, 1, 0, nullptr, parameters, nullptr));
  EXPECT_EQ(host(x, 64), ramp(64, 10.0f));
  EXPECT_HIP(hipFree(x));
}

TEST_F(KernelTest, PinnedHostMemoryIsWrittenByKernels) {
  float *pinned = nullptr;
  ASSERT_HIP(hipHostMalloc(reinterpret_cast<void **>(&pinned), 256, 0));
  void *parameters[] = {&pinned};
  ASSERT_HIP(hipModuleLaunchKernel(kernel("smallBlocksOnly"), 1, 1, 1, 64, 1, 1, 0, nullptr, parameters, nullptr));
  EXPECT_EQ(std::vector<float>(pinned, pinned + 64), ramp(64));
  EXPECT_HIP(hipHostFree(pinned));
}

TEST_F(KernelTest, CapturedLaunchesReplay) {
  float *x = device(std::vector<float>(128));
  hipStream_t stream = nullptr;
  ASSERT_HIP(hipStreamCreate(&stream));
  ASSERT_HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  for (float value : {1.0f, 10.0f}) { // arguments are taken at capture: `value` is gone at the replay
    void *parameters[] = {&x, &value};
    ASSERT_HIP(hipModuleLaunchKernel(kernel("add"), 2, 1, 1, 64, 1, 1, 0, stream, parameters, nullptr));
  }
  hipGraph_t graph = nullptr;
  hipGraphExec_t exec = nullptr;
  ASSERT_HIP(hipStreamEndCapture(stream, &graph));
  ASSERT_HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  EXPECT_HIP(hipGraphDestroy(graph));
  for (int i = 0; i < 3; ++i)
    ASSERT_HIP(hipGraphLaunch(exec, stream));
  EXPECT_EQ(host(x, 128), std::vector<float>(128, 33.0f));
  // A graph keeps the code it launches.
  ASSERT_HIP(hipModuleUnload(module));
  module = nullptr;
  ASSERT_HIP(hipGraphLaunch(exec, stream));
  EXPECT_EQ(host(x, 128), std::vector<float>(128, 44.0f));
  EXPECT_HIP(hipGraphExecDestroy(exec));
  EXPECT_HIP(hipStreamDestroy(stream));
  EXPECT_HIP(hipFree(x));
}

TEST_F(KernelTest, LaunchSizesInWorkItems) {
  float *x = device(std::vector<float>(128)), one = 1.0f;
  void *parameters[] = {&x, &one};
  hipEvent_t start = nullptr, stop = nullptr;
  ASSERT_HIP(hipEventCreate(&start));
  ASSERT_HIP(hipEventCreate(&stop));
  ASSERT_HIP(
      hipExtModuleLaunchKernel(kernel("add"), 128, 1, 1, 64, 1, 1, 0, nullptr, parameters, nullptr, start, stop, 0));
  EXPECT_EQ(host(x, 128), std::vector<float>(128, 1.0f));
  float milliseconds = -1;
  EXPECT_HIP(hipEventElapsedTime(&milliseconds, start, stop));
  EXPECT_GT(milliseconds, 0);
  EXPECT_HIP(hipEventDestroy(start));
  EXPECT_HIP(hipEventDestroy(stop));
  EXPECT_HIP(hipFree(x));
}

TEST_F(KernelTest, TheLastWorkgroupMayBePartlyFilled) {
  for (uint32_t items : {1u, 63u, 64u, 65u, 200u, 256u, 300u, 777u}) {
    uint32_t *out = device(std::vector<uint32_t>(1024, 7));
    void *parameters[] = {&out};
    ASSERT_HIP(hipExtModuleLaunchKernel(kernel("workgroupSizes"), items, 1, 1, 256, 1, 1, 0, nullptr, parameters,
                                        nullptr, nullptr, nullptr, 0));
    std::vector<uint32_t> expected(1024, 7);
    for (uint32_t i = 0; i < items; ++i)
      expected[i] = i / 256 < items / 256 ? 256 : items % 256;
    EXPECT_EQ(host(out, 1024), expected) << items;
    EXPECT_HIP(hipFree(out));
  }
}

TEST_F(KernelTest, ImpossibleConfigurationsAreRefused) {
  float *x = device(std::vector<float>(64));
  void *parameters[] = {&x};
  auto launch = [&](const char *name, unsigned grid, unsigned block, unsigned lds) {
    return hipModuleLaunchKernel(kernel(name), grid, 1, 1, block, 1, 1, lds, nullptr, parameters, nullptr);
  };
  EXPECT_EQ(launch("smallBlocksOnly", 0, 64, 0), hipErrorInvalidConfiguration);
  EXPECT_EQ(launch("smallBlocksOnly", 1, 0, 0), hipErrorInvalidConfiguration);
  EXPECT_EQ(launch("smallBlocksOnly", 1, 65, 0), hipErrorInvalidConfiguration);
  EXPECT_THAT(nstfEmulatorLastFault(), HasSubstr("at most 64 work-items in a workgroup but got 65x1x1"));
  EXPECT_EQ(launch("smallBlocksOnly", 1, 64, 65537), hipErrorInvalidConfiguration);
  EXPECT_EQ(launch("smallBlocksOnly", UINT32_MAX, 64, 0), hipErrorInvalidConfiguration);
  EXPECT_EQ(hipModuleLaunchKernel(nullptr, 1, 1, 1, 64, 1, 1, 0, nullptr, parameters, nullptr), hipErrorInvalidHandle);
  void *null[] = {nullptr};
  EXPECT_EQ(hipModuleLaunchKernel(kernel("smallBlocksOnly"), 1, 1, 1, 64, 1, 1, 0, nullptr, null, nullptr),
            hipErrorInvalidValue);
  EXPECT_HIP(hipFree(x));
}

TEST_F(KernelTest, FaultsNameKernelAndAddress) {
  float *x = device(std::vector<float>(64));
  long index = 64; // one past the end
  void *parameters[] = {&x, &index};
  EXPECT_EQ(hipModuleLaunchKernel(kernel("store"), 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr),
            hipErrorIllegalAddress);
  EXPECT_THAT(nstfEmulatorLastFault(), HasSubstr("store"));
  EXPECT_THAT(nstfEmulatorLastFault(), HasSubstr("past the end of"));
  EXPECT_EQ(hipGetLastError(), hipErrorIllegalAddress);
  EXPECT_HIP(hipDeviceReset());
  index = -1;
  EXPECT_EQ(hipModuleLaunchKernel(kernel("store"), 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr),
            hipErrorIllegalAddress);
  EXPECT_HIP(hipFree(x));
  EXPECT_HIP(hipDeviceReset());
  index = 0;
  EXPECT_EQ(hipModuleLaunchKernel(kernel("store"), 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr),
            hipErrorIllegalAddress);
  EXPECT_THAT(nstfEmulatorLastFault(), HasSubstr("was freed"));
  // Nothing is broken for what comes after a reset.
  EXPECT_HIP(hipDeviceReset());
  x = device(std::vector<float>(1));
  EXPECT_HIP(hipModuleLaunchKernel(kernel("store"), 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
  EXPECT_EQ(host(x, 1)[0], 1.0f);
  EXPECT_HIP(hipFree(x));
}

TEST_F(KernelTest, FaultsInAGraphNameTheNode) {
  float *x = device(std::vector<float>(64));
  hipStream_t stream = nullptr;
  ASSERT_HIP(hipStreamCreate(&stream));
  ASSERT_HIP(hipStreamBeginCapture(stream, hipStreamCaptureModeThreadLocal));
  for (long index : {0, 64, 1}) {
    void *parameters[] = {&x, &index};
    ASSERT_HIP(hipModuleLaunchKernel(kernel("store"), 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr));
  }
  hipGraph_t graph = nullptr;
  hipGraphExec_t exec = nullptr;
  ASSERT_HIP(hipStreamEndCapture(stream, &graph));
  ASSERT_HIP(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  EXPECT_EQ(hipGraphLaunch(exec, stream), hipErrorIllegalAddress);
  EXPECT_THAT(nstfEmulatorLastFault(), testing::StartsWith("hipGraphLaunch: node 2 of 3: store of 4 bytes"));
  EXPECT_HIP(hipDeviceReset());
  EXPECT_HIP(hipGraphExecDestroy(exec));
  EXPECT_HIP(hipGraphDestroy(graph));
  EXPECT_HIP(hipStreamDestroy(stream));
  EXPECT_HIP(hipFree(x));
}

TEST_F(KernelTest, FaultsStayUntilAReset) {
  float *x = device(std::vector<float>(64));
  hipStream_t stream = nullptr;
  hipEvent_t before = nullptr, event = nullptr;
  ASSERT_HIP(hipStreamCreate(&stream));
  ASSERT_HIP(hipEventCreate(&before));
  ASSERT_HIP(hipEventCreate(&event));
  ASSERT_HIP(hipEventRecord(before, stream));
  ASSERT_HIP(hipEventRecord(event, stream));
  hipFunction_t store = kernel("store");
  long index = 64;
  void *parameters[] = {&x, &index};
  const hipError_t fault = hipErrorIllegalAddress;
  EXPECT_EQ(hipModuleLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr), fault);
  index = 0;
  float values[64], milliseconds;
  EXPECT_EQ(hipDeviceSynchronize(), fault);
  EXPECT_THAT(nstfEmulatorLastFault(), HasSubstr("an earlier launch failed: store of 4 bytes"));
  EXPECT_EQ(hipDeviceSynchronize(), fault) << "not told once, but until the reset";
  EXPECT_EQ(hipModuleLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr), fault);
  EXPECT_EQ(hipMemcpy(values, x, sizeof values, hipMemcpyDeviceToHost), fault);
  EXPECT_EQ(hipMemcpyAsync(values, x, sizeof values, hipMemcpyDeviceToHost, stream), fault);
  EXPECT_EQ(hipMemset(x, 0, sizeof values), fault);
  EXPECT_EQ(hipStreamSynchronize(stream), fault);
  EXPECT_EQ(hipStreamQuery(stream), fault);
  EXPECT_EQ(hipStreamWaitEvent(stream, event, 0), fault);
  EXPECT_EQ(hipEventRecord(event, stream), fault);
  EXPECT_EQ(hipEventSynchronize(event), fault);
  EXPECT_EQ(hipEventQuery(event), fault);
  EXPECT_EQ(hipEventElapsedTime(&milliseconds, before, event), fault);
  EXPECT_EQ(hipLaunchHostFunc(stream, [](void *) { ADD_FAILURE() << "a callback ran"; }, nullptr), fault);
  EXPECT_HIP(hipDeviceReset());
  EXPECT_HIP(hipModuleLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr));
  EXPECT_HIP(hipStreamSynchronize(stream));
  EXPECT_EQ(host(x, 1)[0], 1.0f);
  // The rule of before, where it is asked for.
  setenv("NSTF_EMU_AFTER_FAULT", "continue", 1);
  index = 64;
  EXPECT_EQ(hipModuleLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr), fault);
  unsetenv("NSTF_EMU_AFTER_FAULT");
  EXPECT_HIP(hipDeviceSynchronize());
  // A launch that can't be is no fault.
  EXPECT_EQ(hipModuleLaunchKernel(store, 1, 1, 1, 2048, 1, 1, 0, stream, parameters, nullptr),
            hipErrorInvalidConfiguration);
  EXPECT_HIP(hipDeviceSynchronize());
  EXPECT_HIP(hipEventDestroy(before));
  EXPECT_HIP(hipEventDestroy(event));
  EXPECT_HIP(hipStreamDestroy(stream));
  EXPECT_HIP(hipFree(x));
}

TEST_F(KernelTest, FaultsAreToldOnceOnStderr) {
  float *x = device(std::vector<float>(64));
  long index = 1000;
  void *parameters[] = {&x, &index};
  hipFunction_t store = kernel("store");
  nstfEmulatorPrintFaults(1);
  testing::internal::CaptureStderr();
  EXPECT_EQ(hipModuleLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr), hipErrorIllegalAddress);
  EXPECT_EQ(hipDeviceSynchronize(), hipErrorIllegalAddress);
  const std::string text = testing::internal::GetCapturedStderr();
  nstfEmulatorPrintFaults(0);
  EXPECT_THAT(text, testing::StartsWith("nstf-emulator: hipModuleLaunchKernel: "));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
  EXPECT_HIP(hipDeviceReset());
  EXPECT_HIP(hipFree(x));
}

/// Stores a sum of memory that nobody wrote, `launches` times.
void storeUnwritten(hipFunction_t add, unsigned launches) {
  void *x = nullptr;
  float value = 1;
  void *parameters[] = {&x, &value};
  for (unsigned i = 0; i < launches; ++i) {
    ASSERT_HIP(hipMalloc(&x, 64 * sizeof(float)));
    EXPECT_HIP(hipModuleLaunchKernel(add, 1, 1, 1, 64, 1, 1, 0, nullptr, parameters, nullptr));
    EXPECT_HIP(hipDeviceSynchronize());
    EXPECT_HIP(hipFree(x));
  }
}

TEST_F(KernelTest, FindingsAreToldOnceAndNoErrors) {
  if (!std::getenv("NSTF_EMU_CHECK"))
    GTEST_SKIP() << "EmulatorHipTest.checked runs it under NSTF_EMU_CHECK=uninit";
  hipFunction_t add = kernel("add");
  testing::internal::CaptureStderr();
  storeUnwritten(add, 3);
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_THAT(text, testing::StartsWith("error: uninit: "));
  EXPECT_THAT(text, HasSubstr("is undefined where stored to device memory"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
}

TEST_F(KernelTest, FindingsAreTheExitStatus) {
  if (!std::getenv("NSTF_EMU_CHECK"))
    GTEST_SKIP() << "EmulatorHipTest.checked runs it under NSTF_EMU_CHECK=uninit";
  hipFunction_t add = kernel("add");
  auto exitWith = [&](const char *variable, int status) {
    setenv("NSTF_EMU_CHECK_EXIT", variable, 1);
    storeUnwritten(add, 3);
    std::exit(status);
  };
  const std::string summary = "at 1 place:\n  uninit: kernel 'add', pc 0x[0-9a-f]+ .*: [1-9][0-9]* times\n";
  EXPECT_EXIT(exitWith("1", 0), testing::ExitedWithCode(2), summary);
  EXPECT_EXIT(exitWith("1", 3), testing::ExitedWithCode(3), summary);
  EXPECT_EXIT(exitWith("0", 0), testing::ExitedWithCode(0), summary);
}

TEST_F(KernelTest, ThreadsLaunchAtOnce) {
  hipFunction_t add = kernel("add");
  std::vector<std::thread> threads;
  std::atomic<int> failures = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::vector<float> values(256);
      void *x = nullptr;
      hipStream_t stream = nullptr;
      bool bad = hipStreamCreate(&stream) || hipMalloc(&x, 1024) || hipMemset(x, 0, 1024);
      for (int i = 0; i < 50 && !bad; ++i) {
        float value = float(t);
        void *parameters[] = {&x, &value};
        bad = hipModuleLaunchKernel(add, 4, 1, 1, 64, 1, 1, 0, stream, parameters, nullptr);
      }
      bad = bad || hipMemcpyAsync(values.data(), x, 1024, hipMemcpyDeviceToHost, stream) ||
            hipStreamSynchronize(stream) || values != std::vector<float>(256, 50.0f * float(t)) || hipFree(x) ||
            hipStreamDestroy(stream);
      failures += bad;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
}

} // namespace
