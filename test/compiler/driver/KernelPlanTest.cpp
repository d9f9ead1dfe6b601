// The kernels that the IR holds for a target: layers with one kernel share its choice.
#include "compiler/driver/KernelPlan.h"
#include "compiler/catalog/Passes.h"
#include "compiler/driver/Registration.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <ctime>
#include <gtest/gtest.h>
#include <stdexcept>

using namespace mlir;
using namespace nstf;

namespace {

constexpr size_t layers = 4000;

std::string getModel() {
  std::string text = R"(module attributes {nstf.max_tokens = 128 : i64} {
    nstf.kernel @silu_0(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
      %y = nstf.silu %x : tensor<?x8xf32>
      nstf.return %y : tensor<?x8xf32>
    }
    nstf.kernel @relu_0(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {
      %y = nstf.relu %x : tensor<?x8xf32>
      nstf.return %y : tensor<?x8xf32>
    }
    nstf.graph @main(%v0: tensor<?x8xf32> {nstf.name = "x"}) -> (tensor<?x8xf32> {nstf.name = "y"})
        attributes {context = 128 : i64} {
)";
  for (size_t i = 0; i < layers; ++i)
    text += "%v" + std::to_string(i + 1) + " = nstf.step @" + (i % 2 ? "relu_0" : "silu_0") + "(%v" +
            std::to_string(i) + ") : (tensor<?x8xf32>) -> tensor<?x8xf32>\n";
  return text + "nstf.return %v" + std::to_string(layers) + " : tensor<?x8xf32>\n}\n}";
}

TEST(KernelPlan, LayersShareKernelsAndTheirChoice) {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(getModel(), &context);
  ASSERT_TRUE(module);
  PassManager passes(&context);
  passes.addPass(createSelectKernelsPass());
  std::clock_t start = std::clock();
  ASSERT_TRUE(succeeded(passes.run(*module)));
  auto target = module->lookupSymbol<ModuleOp>("gfx942");
  ASSERT_TRUE(target);
  KernelPlan plan = readKernelPlan(target, *module->getOps<GraphOp>().begin());
  double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
  ASSERT_EQ(plan.buckets.size(), 4u);
  EXPECT_LE(plan.variants.size(), 8u);
  for (const BucketPlan &bucket : plan.buckets) {
    ASSERT_EQ(bucket.kernels.size(), layers);
    for (size_t i = 0; i < layers; ++i)
      EXPECT_EQ(plan.variants[bucket.kernels[i]].region.getSymName(), i % 2 ? "relu_0" : "silu_0");
  }
  // It takes 0.03 s, or 5 s if the choice of every layer reads the tuning table again.
  EXPECT_LT(seconds, 1);

  // Before code generation the launch of a kernel is unknown, and a step needs its variant.
  EXPECT_THROW(readLaunchInfo(plan.variants.front().op), std::runtime_error);
  plan.variants.front().op.erase();
  EXPECT_THROW(readKernelPlan(target, *module->getOps<GraphOp>().begin()), std::runtime_error);
}

} // namespace
