// Once kernels are built, no dialect is loaded and none is added to the context's registry: several threads build them,
// and MLIR locks neither.
#include "compiler/codegen/Codegen.h"
#include "compiler/driver/Compile.h"
#include "compiler/driver/Registration.h"

#include <gtest/gtest.h>

using namespace nstf;

class Dialects : public testing::TestWithParam<const char *> {};

TEST_P(Dialects, AreAllKnownBeforeKernelsAreBuilt) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  registerCodegenTranslations(registry);
  mlir::MLIRContext context(registry);
  auto getDialects = [&] {
    std::vector<std::string> names;
    for (mlir::Dialect *dialect : context.getLoadedDialects())
      names.push_back(dialect->getNamespace().str());
    for (llvm::StringRef name : context.getAvailableDialects())
      names.push_back("available: " + name.str());
    return names;
  };
  CompileOptions options;
  options.input = std::string(NSTF_SOURCE_DIR) + GetParam();
  options.weights = manifest::WeightsMode::None;
  options.targets = {"gfx942", "gfx90a"};
  mlir::DefaultTimingManager timing;
  mlir::TimingScope root = timing.getRootScope();
  Compilation compilation(context, options, root);
  std::vector<std::string> before = getDialects();
  ASSERT_TRUE(succeeded(compilation.run(Stage::Hsaco)));
  EXPECT_EQ(before, getDialects());
}

INSTANTIATE_TEST_SUITE_P(Models, Dialects,
                         testing::Values("/test/passes/nstf/Inputs/llama.mlir",
                                         "/test/compiler/driver/Inputs/tensor-mixed.mlir"));
