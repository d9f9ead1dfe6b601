// Runs the suite's cases.
//
// Each case becomes a GoogleTest for each level of optimisation and size: gemm.f16_O3_2. NSTF_EMU_TARGET chooses the
// chip; kernels are launched through the HIP API, so that NSTF_EMU_CHECK and the emulator's other variables apply. With
// NSTF_SUITE_SAMPLE=1 each case runs at one size.
#include "test/runtime/emulator/hip_api/HipTest.h"
#include "test/runtime/emulator/suite/suite.h"

#include <stdexcept>

// The distribution's header does not have it yet.
extern "C" hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t, unsigned, unsigned, unsigned, unsigned, unsigned,
                                                       unsigned, unsigned, hipStream_t, void **);

namespace suite {
namespace {

void hip(hipError_t error, const char *what) {
  if (error != hipSuccess)
    throw std::runtime_error(std::string(what) + ": " + hipGetErrorString(error) + ": " + nstfEmulatorLastFault());
}

class SuiteTest : public testing::Test {
public:
  SuiteTest(const Case &test, std::string level, int size) : test(test), level(std::move(level)), size(size) {}
  void TestBody() override {
    bool gfx942 = chip() == "gfx942";
    hipModule_t module = nullptr;
    ASSERT_HIP(hipModuleLoad(
        &module,
        (std::string(NSTF_TEST_KERNELS) + "/suite/" + test.file + "." + chip() + "." + level + ".hsaco").c_str()));
    {
      suite::Run run(module, gfx942, size);
      test.run(run);
    }
    ASSERT_HIP(hipModuleUnload(module));
  }

private:
  const Case &test;
  std::string level;
  int size;
};

} // namespace

Run::~Run() {
  for (void *allocation : allocations)
    (void)hipFree(allocation);
}

void *Run::allocate(size_t bytes) {
  void *pointer = nullptr;
  hip(hipMalloc(&pointer, bytes), "hipMalloc");
  allocations.push_back(pointer);
  return pointer;
}
void Run::copyIn(void *device, const void *host, size_t bytes) {
  hip(hipMemcpy(device, host, bytes, hipMemcpyHostToDevice), "hipMemcpy");
}
void Run::copyOut(void *host, const void *device, size_t bytes) {
  hip(hipMemcpy(host, device, bytes, hipMemcpyDeviceToHost), "hipMemcpy");
}

std::string Run::start(const char *kernel, Grid grid, Grid block, unsigned lds, void **arguments, bool cooperative) {
  hipFunction_t function = nullptr;
  hip(hipModuleGetFunction(&function, static_cast<hipModule_t>(module), kernel), kernel);
  hipError_t error = cooperative ? hipModuleLaunchCooperativeKernel(function, grid.x, grid.y, grid.z, block.x, block.y,
                                                                    block.z, lds, nullptr, arguments)
                                 : hipModuleLaunchKernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                                         lds, nullptr, arguments, nullptr);
  if (error == hipSuccess)
    error = hipDeviceSynchronize();
  if (error == hipSuccess)
    return "";
  const std::string fault = std::string(hipGetErrorString(error)) + ": " + nstfEmulatorLastFault();
  hip(hipDeviceReset(), "hipDeviceReset");
  return fault;
}

} // namespace suite

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  nstfEmulatorPrintFaults(0); // the test's message contains unexpected ones
  const char *sample = std::getenv("NSTF_SUITE_SAMPLE");
  for (const suite::Case *test : suite::cases()) {
    if (test->only && test->only != chip())
      continue;
    for (const char *level : {"O0", "O3"})
      for (int size : sample && *sample ? std::vector<int>{test->sizes[test->sizes.size() / 2]} : test->sizes)
        testing::RegisterTest(test->file, (std::string(test->name) + "_" + level + "_" + std::to_string(size)).c_str(),
                              nullptr, nullptr, __FILE__, __LINE__,
                              [=]() -> testing::Test * { return new suite::SuiteTest(*test, level, size); });
  }
  return RUN_ALL_TESTS();
}
