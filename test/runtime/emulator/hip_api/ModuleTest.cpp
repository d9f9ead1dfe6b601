// Modules, functions and their attributes: all that needs no launch.
#include "test/runtime/emulator/hip_api/HipTest.h"

namespace {
using testing::HasSubstr;

TEST_F(KernelTest, FunctionsAndVariablesAreFoundByName) {
  hipFunction_t add = kernel("vectorAdd"), again = kernel("vectorAdd"), none = nullptr;
  EXPECT_NE(add, nullptr);
  EXPECT_EQ(add, again);
  EXPECT_EQ(hipModuleGetFunction(&none, module, "noSuchKernel"), hipErrorNotFound);
  EXPECT_THAT(nstfEmulatorLastFault(), HasSubstr("vectorAdd")) << "the message lists what is there";
  hipDeviceptr_t factor = nullptr;
  size_t bytes = 0;
  ASSERT_HIP(hipModuleGetGlobal(&factor, &bytes, module, "factor"));
  EXPECT_EQ(bytes, 4u);
  float value = 0;
  ASSERT_HIP(hipMemcpy(&value, factor, 4, hipMemcpyDeviceToHost));
  EXPECT_EQ(value, 3.0f);
  EXPECT_EQ(hipModuleGetGlobal(&factor, &bytes, module, "noSuchVariable"), hipErrorNotFound);
  EXPECT_EQ(hipFree(factor), hipErrorInvalidValue);
}

TEST_F(KernelTest, AttributesComeFromTheMetadata) {
  int value = 0;
  EXPECT_HIP(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, kernel("blockSum")));
  EXPECT_EQ(value, 1024);
  EXPECT_HIP(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel("smallBlocksOnly")));
  EXPECT_EQ(value, 64);
  EXPECT_HIP(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_NUM_REGS, kernel("vectorAdd")));
  EXPECT_GT(value, 0);
  EXPECT_EQ(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_NUM_REGS, reinterpret_cast<hipFunction_t>(&value)),
            hipErrorInvalidHandle);
}

TEST_F(KernelTest, OccupancyFollowsWavesAndLds) {
  int blocks = 0;
  // Few registers: 32 waves a compute unit.
  EXPECT_HIP(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel("vectorAdd"), 64, 0));
  EXPECT_EQ(blocks, 32);
  EXPECT_HIP(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel("vectorAdd"), 256, 0));
  EXPECT_EQ(blocks, 8);
  EXPECT_HIP(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel("vectorAdd"), 1024, 0));
  EXPECT_EQ(blocks, 2);
  // 1 KiB static + 31 KiB dynamic: two fit into 64 KiB.
  EXPECT_HIP(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel("blockSum"), 256, 31 * 1024));
  EXPECT_EQ(blocks, 2);
  int grid = 0, block = 0;
  EXPECT_HIP(hipModuleOccupancyMaxPotentialBlockSize(&grid, &block, kernel("vectorAdd"), 0, 0));
  EXPECT_EQ(block, 1024);
  EXPECT_EQ(grid, 2 * (chip() == "gfx942" ? 304 : 104));
}

TEST_F(KernelTest, UnloadedModulesAreGone) {
  hipFunction_t add = kernel("vectorAdd");
  size_t before = 0, after = 0;
  ASSERT_HIP(hipMemGetInfo(&before, nullptr));
  ASSERT_HIP(hipModuleUnload(module));
  ASSERT_HIP(hipMemGetInfo(&after, nullptr));
  EXPECT_GT(after, before);
  EXPECT_EQ(hipModuleUnload(module), hipErrorInvalidHandle);
  module = nullptr;
  int value = 0;
  EXPECT_EQ(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_NUM_REGS, add), hipErrorInvalidHandle);
}

TEST_F(HipTest, ImagesAreCheckedBeforeTheyAreLoaded) {
  hipModule_t module = nullptr;
  const std::string other = chip() == "gfx942" ? "gfx90a" : "gfx942";
  EXPECT_EQ(hipModuleLoad(&module, kernelFile(other).c_str()), hipErrorNoBinaryForGpu);
  EXPECT_THAT(nstfEmulatorLastFault(), HasSubstr("made for " + other + " but the device is " + chip()));
  EXPECT_EQ(hipModuleLoad(&module, "/no/such/file"), hipErrorFileNotFound);
  const char text[256] = "this is no code object";
  EXPECT_EQ(hipModuleLoadData(&module, text), hipErrorInvalidImage);
  EXPECT_EQ(hipModuleLoadData(&module, nullptr), hipErrorInvalidValue);
  std::vector<char> bytes = readFile(kernelFile(chip()));
  ASSERT_HIP(hipModuleLoadData(&module, bytes.data()));
  EXPECT_HIP(hipModuleUnload(module));
}

TEST_F(HipTest, CompressedBundlesAreLoaded) {
  for (const char *name : {"/plain.hipfb", "/compressed.v2.hipfb", "/compressed.v3.hipfb"}) {
    const std::string path = std::string(NSTF_TEST_BUNDLES) + name;
    const std::vector<char> bytes = readFile(path);
    for (bool fromMemory : {false, true}) {
      hipModule_t module = nullptr;
      hipFunction_t function = nullptr;
      ASSERT_HIP(fromMemory ? hipModuleLoadData(&module, bytes.data()) : hipModuleLoad(&module, path.c_str())) << path;
      EXPECT_HIP(hipModuleGetFunction(&function, module, "vectorAdd")) << path;
      EXPECT_HIP(hipModuleUnload(module));
    }
  }
}

} // namespace
