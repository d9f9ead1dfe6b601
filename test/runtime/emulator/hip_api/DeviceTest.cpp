// Devices: count, properties in both layouts, attributes, versions.
#include "test/runtime/emulator/hip_api/HipTest.h"

#include <cstring>
#include <dlfcn.h>

extern "C" hipError_t hipGetDevicePropertiesR0600(void *, int);

namespace {
using testing::HasSubstr;

TEST_F(HipTest, OneDeviceOfTheChipAskedFor) {
  int count = 0;
  ASSERT_HIP(hipInit(0));
  ASSERT_HIP(hipGetDeviceCount(&count));
  EXPECT_EQ(count, 1);
  hipDeviceProp_t properties;
  ASSERT_HIP(hipGetDeviceProperties(&properties, 0));
  EXPECT_EQ(properties.gcnArchName, chip() + ":sramecc+:xnack-");
  EXPECT_EQ(properties.gcnArch, chip() == "gfx942" ? 942 : 910);
  EXPECT_EQ(properties.multiProcessorCount, chip() == "gfx942" ? 304 : 104);
  EXPECT_EQ(properties.warpSize, 64);
  EXPECT_EQ(properties.maxThreadsPerBlock, 1024);
  EXPECT_EQ(properties.maxThreadsDim[2], 1024);
  EXPECT_EQ(properties.sharedMemPerBlock, 65536u);
  EXPECT_EQ(properties.maxThreadsPerMultiProcessor, 2048);
  EXPECT_GT(properties.totalGlobalMem, 1u << 30);
  EXPECT_THAT(properties.name, HasSubstr("emulator"));
  EXPECT_EQ(hipGetDeviceProperties(&properties, 1), hipErrorInvalidDevice);
  EXPECT_EQ(hipGetDeviceProperties(nullptr, 0), hipErrorInvalidValue);
}

// The layout of HIP 6's header; offsets as that header's compiler gives them.
TEST_F(HipTest, PropertiesInTheLayoutOfHip6) {
  std::vector<char> bytes(1472 + 64, '\x55');
  ASSERT_HIP(hipGetDevicePropertiesR0600(bytes.data(), 0));
  auto number = [&](size_t offset) {
    int value;
    std::memcpy(&value, &bytes[offset], 4);
    return value;
  };
  EXPECT_EQ(std::string(&bytes[1160]), chip() + ":sramecc+:xnack-");
  EXPECT_EQ(number(308), 64);                             // warpSize
  EXPECT_EQ(number(320), 1024);                           // maxThreadsPerBlock
  EXPECT_EQ(number(360), 9);                              // major
  EXPECT_EQ(number(388), chip() == "gfx942" ? 304 : 104); // multiProcessorCount
  EXPECT_EQ(number(696), 65536);                          // sharedMemPerBlockOptin
  EXPECT_EQ(number(296), 65536);                          // sharedMemPerBlock
  EXPECT_EQ(bytes[1472], '\x55') << "written past the end";
}

TEST_F(HipTest, AttributesAgreeWithProperties) {
  hipDeviceProp_t p;
  ASSERT_HIP(hipGetDeviceProperties(&p, 0));
  auto attribute = [](hipDeviceAttribute_t which) {
    int value = -1;
    EXPECT_HIP(hipDeviceGetAttribute(&value, which, 0));
    return value;
  };
  EXPECT_EQ(attribute(hipDeviceAttributeWarpSize), p.warpSize);
  EXPECT_EQ(attribute(hipDeviceAttributeMultiprocessorCount), p.multiProcessorCount);
  EXPECT_EQ(attribute(hipDeviceAttributeMaxThreadsPerBlock), p.maxThreadsPerBlock);
  EXPECT_EQ(attribute(hipDeviceAttributeClockRate), p.clockRate);
  EXPECT_EQ(attribute(hipDeviceAttributeComputeCapabilityMajor), p.major);
  EXPECT_EQ(attribute(hipDeviceAttributeMaxGridDimX), p.maxGridSize[0]);
  EXPECT_EQ(attribute(hipDeviceAttributeCooperativeLaunch), 1);
  int value;
  EXPECT_EQ(hipDeviceGetAttribute(&value, hipDeviceAttribute_t(12345), 0), hipErrorInvalidValue);
}

TEST_F(HipTest, ErrorsAreRememberedOnce) {
  (void)hipGetLastError();
  EXPECT_EQ(hipSetDevice(7), hipErrorInvalidDevice);
  EXPECT_EQ(hipPeekAtLastError(), hipErrorInvalidDevice);
  EXPECT_EQ(hipGetLastError(), hipErrorInvalidDevice);
  EXPECT_EQ(hipGetLastError(), hipSuccess);
  EXPECT_THAT(nstfEmulatorLastFault(), HasSubstr("device 0 but got 7"));
  EXPECT_STREQ(hipGetErrorName(hipErrorInvalidDevice), "hipErrorInvalidDevice");
  EXPECT_STREQ(hipGetErrorName(hipErrorIllegalAddress), "hipErrorIllegalAddress");
  EXPECT_STREQ(hipGetErrorString(hipErrorOutOfMemory), "out of memory");
  EXPECT_STREQ(hipGetErrorName(hipError_t(4711)), "hipErrorUnknown");
}

TEST_F(HipTest, WhatIsNotSupportedSaysSo) {
  hipArray *array = nullptr;
  hipChannelFormatDesc format{};
  EXPECT_EQ(hipMallocArray(&array, &format, 16, 16, 0), hipErrorNotSupported);
  EXPECT_THAT(nstfEmulatorLastFault(), HasSubstr("hipMallocArray"));
}

// Programs ask for a symbol with the version it had when they were linked.
TEST_F(HipTest, SymbolsHaveTheirVersions) {
  Dl_info info{};
  ASSERT_TRUE(dladdr(reinterpret_cast<void *>(&hipInit), &info));
  void *library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  ASSERT_NE(library, nullptr);
  struct {
    const char *name, *version;
  } symbols[] = {{"hipMalloc", "hip_4.2"},
                 {"__hipRegisterFatBinary", "hip_4.2"},
                 {"hipGraphLaunch", "hip_4.3"},
                 {"hipGraphInstantiateWithFlags", "hip_4.5"},
                 {"hipMallocAsync", "hip_5.1"},
                 {"hipLaunchHostFunc", "hip_5.3"},
                 {"hipGetDevicePropertiesR0600", "hip_6.0"},
                 {"hipGetProcAddress", "hip_6.1"},
                 {"hipExtHostAlloc", "hip_6.3"}};
  for (auto &symbol : symbols)
    EXPECT_NE(dlvsym(library, symbol.name, symbol.version), nullptr) << symbol.name << "@" << symbol.version;
  EXPECT_EQ(dlvsym(library, "hipMalloc", "hip_4.3"), nullptr);
  dlclose(library);
}

} // namespace
