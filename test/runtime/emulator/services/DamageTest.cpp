// Host calls of kernels, through HIP: what is damaged is a fault of one line, and the next launch is as before.
#include "test/runtime/emulator/hip_api/HipTest.h"

#include <cstdint>

using testing::HasSubstr;
using testing::Not;

// HIP 5.2's header hasn't got it.
extern "C" hipError_t hipDeviceSetLimit(hipLimit_t, size_t);

namespace {

enum Damage { None, Unready, Round };
constexpr uint32_t printfService = 2, memoryService = 3;

class DamageTest : public HipTest {
protected:
  void SetUp() override {
    HipTest::SetUp();
    ASSERT_HIP(hipModuleLoad(&module, (std::string(NSTF_TEST_KERNELS) + "/hostcall." + chip() + ".hsaco").c_str()));
    ASSERT_HIP(hipModuleGetFunction(&callHost, module, "callHost"));
    ASSERT_HIP(hipModuleGetFunction(&writeRecord, module, "writeRecord"));
    ASSERT_HIP(hipHostMalloc(reinterpret_cast<void **>(&answer), 64, 0));
  }
  void TearDown() override {
    EXPECT_HIP(hipHostFree(answer));
    EXPECT_HIP(hipModuleUnload(module));
  }
  hipError_t call(uint32_t service, uint64_t first, uint64_t second = 0, int damage = None) {
    void *parameters[] = {&service, &first, &second, &damage, &answer};
    return hipModuleLaunchKernel(callHost, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr);
  }
  hipError_t record(uint32_t used, uint32_t descriptor) {
    void *parameters[] = {&used, &descriptor, &answer};
    return hipModuleLaunchKernel(writeRecord, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr);
  }
  /// Of a launch that failed; the fault stays until a reset.
  std::string fault(hipError_t code) {
    EXPECT_EQ(code, hipErrorLaunchFailure);
    const std::string text = nstfEmulatorLastFault();
    EXPECT_THAT(text, Not(HasSubstr("\n")));
    EXPECT_EQ(hipDeviceSynchronize(), hipErrorLaunchFailure);
    EXPECT_HIP(hipDeviceReset());
    EXPECT_HIP(call(memoryService, 0)) << "the next launch is as before";
    return text;
  }

  hipModule_t module = nullptr;
  hipFunction_t callHost = nullptr, writeRecord = nullptr;
  uint64_t *answer = nullptr;
};

TEST_F(DamageTest, MemoryIsTakenAndGivenBack) {
  ASSERT_HIP(call(memoryService, 0, 100000));
  const uint64_t block = *answer;
  EXPECT_NE(block, 0u);
  EXPECT_HIP(call(memoryService, block));
  EXPECT_HIP(call(memoryService, 0, UINT64_MAX));
  EXPECT_EQ(*answer, 0u);
}

TEST_F(DamageTest, ServicesThatDoNotExist) {
  EXPECT_THAT(fault(call(0, 0)), HasSubstr("hostcall: there is no service 0: kernel 'callHost'"));
  EXPECT_THAT(fault(call(77, 0)), HasSubstr("hostcall: there is no service 77: "));
  EXPECT_THAT(fault(call(1, 0x1234)), HasSubstr("hostcall: a call of a host function is not supported: "));
  EXPECT_THAT(fault(call(4, 0)), HasSubstr("hostcall: AddressSanitizer's service is not supported: "));
}

TEST_F(DamageTest, DamagedPackets) {
  EXPECT_THAT(fault(call(memoryService, 0, 0, Unready)), HasSubstr("is on the stack but not ready: "));
  EXPECT_THAT(fault(call(memoryService, 0, 0, Round)), HasSubstr("hostcall: the stack of ready packets has no end: "));
  EXPECT_THAT(fault(call(printfService, 0)), HasSubstr("hostcall: printf goes on with message 0, which is not open: "));
  EXPECT_THAT(fault(call(printfService, UINT64_MAX & ~uint64_t(1))), HasSubstr("which is not open: "));
}

TEST_F(DamageTest, APrintfThatIsWhole) {
  hipFunction_t print = nullptr;
  ASSERT_HIP(hipModuleGetFunction(&print, module, "print"));
  int x = 7;
  void *parameters[] = {&x};
  testing::internal::CaptureStdout();
  EXPECT_HIP(hipModuleLaunchKernel(print, 2, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "x = 7\nx = 7\n");
}

TEST_F(DamageTest, PrintfDescriptorsPastTheBuffer) {
  EXPECT_HIP(record(0, 5));
  const uint32_t size = uint32_t(*answer) - 8;
  EXPECT_EQ(size, 4u << 20);
  EXPECT_EQ(fault(record(size + 1, 4 << 2)), "hipModuleLaunchKernel: printf buffer: expected at most 4194304 bytes in "
                                             "use but got 4194305: kernel 'writeRecord'");
  EXPECT_EQ(fault(record(8, 12 << 2)), "hipModuleLaunchKernel: printf buffer: a record of 12 bytes goes past the end "
                                       "at byte 0 of 8: kernel 'writeRecord'");
  EXPECT_EQ(
      fault(record(8, 0)),
      "hipModuleLaunchKernel: printf buffer: a record of 0 bytes is too short at byte 0 of 8: kernel 'writeRecord'");
}

TEST_F(DamageTest, LimitsOutOfRange) {
  size_t value = 0;
  for (auto limit : {hipLimitMallocHeapSize, hipLimitPrintfFifoSize, hipLimit_t(0)}) {
    ASSERT_HIP(hipDeviceGetLimit(&value, limit));
    EXPECT_EQ(hipDeviceSetLimit(limit, SIZE_MAX), hipErrorInvalidValue);
    EXPECT_THAT(nstfEmulatorLastFault(), testing::MatchesRegex("hipDeviceSetLimit: expected [^\n]* of at most [^\n]*"));
    EXPECT_HIP(hipDeviceSetLimit(limit, value));
  }
  EXPECT_EQ(hipDeviceGetLimit(&value, hipLimit_t(99)), hipErrorUnsupportedLimit);
  EXPECT_EQ(hipDeviceSetLimit(hipLimit_t(99), 0), hipErrorUnsupportedLimit);
  EXPECT_EQ(hipDeviceGetLimit(nullptr, hipLimitMallocHeapSize), hipErrorInvalidValue);
}

} // namespace
