// Compiles the text of a module for both chips, runs it on the emulator, and compares every launch with the float64
// reference.
#pragma once

#include "compiler/codegen/Codegen.h"
#include "compiler/driver/Compile.h"
#include "compiler/driver/Registration.h"
#include "compiler/driver/Verify.h"
#include "test/compiler/driver/GraphText.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <unistd.h>

namespace nstf::test {

class KernelTest : public ::testing::Test {
protected:
  KernelTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "nstf-kernels-XXXXXX").string();
    folder = ::mkdtemp(pattern.data());
    registerDialects(registry);
    registerCodegenTranslations(registry);
    context = std::make_unique<mlir::MLIRContext>(registry);
    context->loadAllAvailableDialects();
    root = timing.getRootScope();
    options.targets = {"gfx942", "gfx90a"};
    options.weights = manifest::WeightsMode::Random;
    options.seed = 7;
    options.fusions = {"pairs"}; // each case is a launch of its own
    options.precision = Precision::F32;
  }
  ~KernelTest() override { std::filesystem::remove_all(folder); }

  /// Compiles to folder/kernels.nstf.
  void compile(const std::string &text) {
    options.input = (folder / "kernels.mlir").string();
    std::ofstream(options.input) << text;
    compilation = std::make_unique<Compilation>(*context, options, root);
    ASSERT_TRUE(succeeded(compilation->run(Stage::Package))) << text;
    compilation->writePackage(package());
    expectNoSpills();
  }

  void expectNoSpills() {
    for (const CompiledTarget &target : compilation->getTargets())
      for (const KernelVariant &variant : target.plan.variants) {
        const KernelMetadata &kernel = variant.metadata;
        EXPECT_EQ(kernel.vgprSpills + kernel.sgprSpills + kernel.scratchSize, 0u)
            << target.target.name << " " << variant.symbol << ": " << kernel.vgprSpills << " VGPRs and "
            << kernel.sgprSpills << " SGPRs spilled, " << kernel.scratchSize << " bytes of scratch";
      }
  }

  /// Runs steps of these numbers of tokens, and compares every launch, output and state.
  void expectReference(const VerifyOptions &verification) {
    std::ostringstream report;
    int status = verify(*compilation, package(), verification, report);
    EXPECT_EQ(status, 0) << report.str();
    for (const CompiledTarget &target : compilation->getTargets())
      for (const KernelVariant &variant : target.plan.variants) {
        // A kernel that no step ran is untested: the steps must reach every bucket.
        std::string line = "verify: " + target.target.name + " kernel " + variant.symbol + ": ";
        EXPECT_TRUE(report.str().find(line) != std::string::npos) << line << "was never compared";
      }
  }

  void check(const GraphText &graph, const VerifyOptions &verification) {
    compile(graph.text());
    if (!HasFatalFailure())
      expectReference(verification);
  }

  std::filesystem::path package() const { return folder / "kernels.nstf"; }

  /// All buckets (1, 2-16, 17-64, 65-200), their ends, and sizes that no tile divides.
  static VerifyOptions allTokens() { return {{1, 2, 7, 16, 17, 38, 64, 65, 200}, {}}; }

  std::filesystem::path folder;
  mlir::DialectRegistry registry;
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::DefaultTimingManager timing;
  mlir::TimingScope root;
  CompileOptions options;
  std::unique_ptr<Compilation> compilation;
};

} // namespace nstf::test
