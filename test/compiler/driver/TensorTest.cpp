// Tensor code: every kind of linalg and tensor op that the generic template computes, with odd shapes and all buckets;
// each launch is compared with the reference. The graphs are in Inputs/tensor-*.mlir.
#include "test/compiler/driver/KernelTest.h"
#include "test/compiler/driver/RandomTensors.h"

#include <cstring>

using namespace nstf;
using namespace nstf::test;

namespace {

class TensorTest : public KernelTest {
protected:
  void checkFile(const std::string &name, const VerifyOptions &verification = allTokens()) {
    std::ifstream file(std::string(NSTF_SOURCE_DIR) + "/test/compiler/driver/Inputs/" + name);
    std::stringstream text;
    text << file.rdbuf();
    ASSERT_FALSE(text.str().empty()) << name;
    compile(text.str());
    if (!HasFatalFailure())
      expectReference(verification);
  }
};

TEST_F(TensorTest, Elementwise) { checkFile("tensor-elementwise.mlir"); }

TEST_F(TensorTest, Functions) { checkFile("tensor-functions.mlir", {{1, 5, 33, 65, 70}, {}}); }

// Rows of 4096 take long in the float64 interpreter, so there are fewer steps, one of every bucket.
TEST_F(TensorTest, Reductions) {
  options.maxTokens = 70;
  checkFile("tensor-reductions.mlir", {{1, 7, 33, 70}, [](const std::string &name, runtime::HostTensor &value) {
                                         if (name != "n")
                                           return;
                                         auto *numbers = reinterpret_cast<int32_t *>(value.data.data());
                                         for (uint64_t i = 0; i < value.elements(); ++i)
                                           numbers[i] = int32_t(i * 2654435761u) / 1000;
                                       }});
}

TEST_F(TensorTest, Movement) {
  checkFile("tensor-movement.mlir", {allTokens().steps, [](const std::string &name, runtime::HostTensor &value) {
                                       if (name != "ids")
                                         return;
                                       auto *ids = reinterpret_cast<int32_t *>(value.data.data());
                                       for (uint64_t i = 0; i < value.elements(); ++i)
                                         ids[i] = int32_t(i * 7 % 19); // some rows are outside the table
                                     }});
}

TEST_F(TensorTest, Random) {
  for (unsigned seed : {1000, 1001, 1002, 1003}) {
    SCOPED_TRACE(seed);
    compile(RandomTensors(seed).text());
    if (HasFatalFailure())
      return;
    expectReference({{1, 5, 33}, {}});
  }
}

TEST_F(TensorTest, Types) { checkFile("tensor-types.mlir", {{1, 5, 33, 70}, {}}); }

TEST_F(TensorTest, AmongTransformerOps) {
  checkFile("tensor-mixed.mlir", {{1, 5, 1, 17, 1, 65, 1}, [](const std::string &name, runtime::HostTensor &value) {
                                    if (name != "ids")
                                      return;
                                    auto *ids = reinterpret_cast<int32_t *>(value.data.data());
                                    for (uint64_t i = 0; i < value.elements(); ++i)
                                      ids[i] = int32_t(i * 7 % 50);
                                  }});
}

// Kernels of tensor code store activations for products in 16 bits.
TEST_F(TensorTest, AmongTransformerOpsOfF16) {
  options.precision = Precision::F16;
  options.maxTokens = 16;
  checkFile("tensor-mixed.mlir", {{1, 9, 1}, {}});
  for (const KernelVariant &variant : compilation->getTargets().front().plan.variants)
    EXPECT_FALSE(llvm::StringRef(variant.symbol).starts_with("convert")) << variant.symbol;
}

} // namespace
