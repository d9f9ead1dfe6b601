// Kernel templates as machine code of either chip on the emulator: the fixture, and buffers as words.
#pragma once

#include "compiler/codegen/Codegen.h"
#include "compiler/codegen/Passes.h"
#include "compiler/driver/Registration.h"
#include "compiler/pipelines/Pipelines.h"
#include "compiler/target/Target.h"
#include "dialects/systolic/Systolic.h"
#include "nstf/Runtime.h"
#include "support/ControlBlock.h"
#include "templates/Templates.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <random>

namespace nstf::test {

using Floats = std::vector<float>;
using Ids = std::vector<int32_t>;

/// What a buffer holds before the launch, by the name of the template's argument; what it holds after, in the same
/// place.
using Memory = std::map<std::string, std::vector<uint32_t>>;

constexpr float untouched = -777;

template <typename T> std::vector<uint32_t> words(const std::vector<T> &values) {
  std::vector<uint32_t> result(values.size() * sizeof(T) / 4);
  std::memcpy(result.data(), values.data(), result.size() * 4);
  return result;
}

inline Floats floats(const std::vector<uint32_t> &words) {
  Floats result(words.size());
  std::memcpy(result.data(), words.data(), words.size() * 4);
  return result;
}

inline Floats randomFloats(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  Floats values(count);
  for (float &value : values)
    value = float(int32_t(random())) / float(1u << 31);
  return values;
}

class TemplateTest : public testing::Test {
protected:
  TemplateTest() {
    static const bool once = (registerPasses(), true);
    (void)once;
    registerDialects(registry);
    registerCodegenTranslations(registry);
    context = std::make_unique<mlir::MLIRContext>(registry);
    context->loadAllAvailableDialects();
  }

  using Build = std::function<void(mlir::OpPassManager &)>;

  /// Instantiates and lowers a template and runs all its work items.
  void run(const std::string &name, const std::string &params, Memory &memory, uint32_t tokens, uint32_t position = 0) {
    SCOPED_TRACE(name + " " + params);
    auto build = [&](mlir::OpPassManager &passes) {
      ASSERT_TRUE(succeeded(mlir::parsePassPipeline(
          "systolic-instantiate{params=" + params +
              "},systolic.kernel(systolic-order-work),inline,canonicalize,cse,systolic.kernel("
              "systolic-select-wave-size,"
              "systolic-select-array,systolic-assign-layouts,systolic-stage-operands,systolic-insert-prefetch,"
              "systolic-schedule-loop,systolic-allocate-scratch)",
          passes)));
    };
    runText(std::string(*templateText("kernels/" + name + ".mlir")), name, build, memory, tokens, position);
  }

  /// Fills a template with a kernel, "nstf.kernel @k(…) …", and runs it for a step of up to so many tokens.
  void runKernel(const std::string &name, const std::string &kernel, uint32_t maxTokens, Memory &memory,
                 uint32_t tokens, uint32_t position = 0) {
    SCOPED_TRACE(kernel);
    std::string text(*templateText("kernels/" + name + ".mlir"));
    const std::string start = "\nmodule {";
    text.replace(text.find(start), start.size(),
                 llvm::formatv("\nmodule attributes {{nstf.max_tokens = {0} : i64} {{\n{1}", maxTokens, kernel));
    runText(text, "k", [](mlir::OpPassManager &passes) { buildTilePipeline(passes, {}); }, memory, tokens, position);
  }

  /// The same for the text of a module, which the passes make a tile program of.
  void runText(const std::string &text, const std::string &name, const Build &makeTileProgram, Memory &memory,
               uint32_t tokens, uint32_t position = 0) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, context.get());
    ASSERT_TRUE(module);
    attachTarget(*module, findTarget(target));
    ASSERT_TRUE(runPasses(*module, makeTileProgram));
    systolic::KernelOp kernel = *module->getOps<systolic::KernelOp>().begin();
    std::vector<std::string> arguments;
    for (const systolic::LaunchArgument &argument : kernel.getLaunch()->getArguments())
      arguments.push_back(argument.name.str());
    uint32_t workItems = kernel.getNumWorkItems();
    uint32_t threads = *kernel.getWaveSize() * kernel.getArray()->getNumWaves();
    ASSERT_TRUE(runPasses(*module, [](mlir::OpPassManager &passes) {
      buildGPUPipeline(passes);
      buildLLVMPipeline(passes);
      passes.addPass(createGenerateCodePass());
      passes.addPass(createLinkCodePass());
    }));
    auto code = module->lookupSymbol<mlir::gpu::BinaryOp>(codeObjectName);
    ASSERT_TRUE(code);
    support::ControlBlock control{.tokens = int32_t(tokens), .position = int32_t(position)};
    launchKernel(*getObject(code, mlir::gpu::CompilationTarget::Binary), name, arguments, workItems, threads, memory,
                 control);
  }

private:
  static bool runPasses(mlir::ModuleOp module, const Build &build) {
    mlir::PassManager manager(module.getContext());
    build(manager);
    return succeeded(manager.run(module));
  }

  void launchKernel(llvm::StringRef code, const std::string &name, const std::vector<std::string> &arguments,
                    uint32_t workItems, uint32_t threads, Memory &memory, const support::ControlBlock &control) {
    memory["control"] = words(std::vector(1, control));
    Module loaded(backend, code.data(), code.size(), name);
    Launch step{loaded.kernel(name), {workItems, 1, 1}, {threads, 1, 1}};
    std::map<std::string, Buffer> buffers;
    for (const std::string &argument : arguments) {
      const std::vector<uint32_t> &contents = memory.at(argument);
      Buffer &buffer = buffers[argument] = Buffer(backend, contents.size() * 4);
      buffer.upload(contents.data(), contents.size() * 4);
      step.addPointer(buffer);
    }
    Stream stream(backend);
    launch(backend, stream, step);
    stream.synchronize();
    for (auto &[argument, buffer] : buffers)
      buffer.download(memory[argument].data(), memory[argument].size() * 4);
  }

  // A process has one emulator: the other chip is a run of its own.
  std::string target = std::getenv("NSTF_TEST_TARGET") ? std::getenv("NSTF_TEST_TARGET") : "gfx942";
  mlir::DialectRegistry registry;
  std::unique_ptr<mlir::MLIRContext> context;
  Backend backend = Backend::open(DeviceKind::Emulator, target);
};

inline void expectNear(const Floats &actual, const std::vector<double> &expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    ASSERT_NEAR(actual[i], expected[i], tolerance) << "element " << i;
}

} // namespace nstf::test
