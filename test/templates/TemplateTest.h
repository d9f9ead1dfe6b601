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
#include "support/Schedule.h"
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

/// The contents of buffers before the launch, by the name of the template's argument; after the launch, the results.
using Memory = std::map<std::string, std::vector<uint32_t>>;

constexpr float untouched = -777;

/// Padded with zeros.
template <typename T> std::vector<uint32_t> words(const std::vector<T> &values) {
  std::vector<uint32_t> result((values.size() * sizeof(T) + 3) / 4);
  std::memcpy(result.data(), values.data(), values.size() * sizeof(T));
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

/// The attributes of an nstf.kernel with this tuning, "BM=96,BN=48,waves=3x1".
inline std::string tuningAttributes(llvm::StringRef tuning) {
  std::string parameters, fields;
  for (llvm::StringRef entry : llvm::split(tuning, ',')) {
    std::string &list = support::Schedule::isField(entry.split('=').first.trim()) ? fields : parameters;
    list += (list.empty() ? "" : ", ") + entry.str();
  }
  return "nstf.tuning = {" + parameters + "}, nstf.schedule = #systolic.schedule<" + fields + ">";
}

/// A template as machine code, and how it is launched.
struct CompiledTemplate {
  std::string name, object;
  std::vector<std::string> arguments; ///< buffers' names
  uint32_t workItems = 0, threads = 0;

  /// Runs all work items; the control block is `control`.
  void launch(const Backend &backend, Memory &memory, const support::ControlBlock &control) const {
    memory["control"] = words(std::vector(1, control));
    Module loaded(backend, object.data(), object.size(), name);
    Launch step{loaded.kernel(name), {workItems, 1, 1}, {threads, 1, 1}};
    std::map<std::string, Buffer> buffers;
    for (const std::string &argument : arguments) {
      const std::vector<uint32_t> &contents = memory.at(argument);
      Buffer &buffer = buffers[argument] = Buffer(backend, contents.size() * 4);
      buffer.upload(contents.data(), contents.size() * 4);
      step.addPointer(buffer);
    }
    Stream stream(backend);
    nstf::launch(backend, stream, step);
    stream.synchronize();
    for (auto &[argument, buffer] : buffers)
      buffer.download(memory[argument].data(), memory[argument].size() * 4);
  }
};

/// The chip under test. A process emulates a single chip, so the other one is tested in another run.
inline std::string getTestTarget() {
  const char *target = std::getenv("NSTF_TEST_TARGET");
  return target ? target : "gfx942";
}

/// Compiles templates for one chip.
class TemplateCompiler {
public:
  explicit TemplateCompiler(std::string target) : target(std::move(target)) {
    static const bool once = (registerPasses(), true);
    (void)once;
    registerDialects(registry);
    registerCodegenTranslations(registry);
    context = std::make_unique<mlir::MLIRContext>(registry);
    context->loadAllAvailableDialects();
  }

  using Build = std::function<void(mlir::OpPassManager &)>;

  /// Compiles the text of a module to kernel `name`; `makeTileProgram` adds the passes up to the tile program.
  std::optional<CompiledTemplate> compile(const std::string &text, const std::string &name,
                                          const Build &makeTileProgram) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, context.get());
    if (!module)
      return std::nullopt;
    attachTarget(*module, findTarget(target));
    if (!runPasses(*module, makeTileProgram))
      return std::nullopt;
    systolic::KernelOp kernel = *module->getOps<systolic::KernelOp>().begin();
    CompiledTemplate compiled{name,
                              "",
                              {},
                              uint32_t(kernel.getNumWorkItems()),
                              uint32_t(*kernel.getWaveSize() * kernel.getArray()->getNumWaves() * kernel.getCrews())};
    for (const systolic::LaunchArgument &argument : kernel.getLaunch()->getArguments())
      compiled.arguments.push_back(argument.name.str());
    auto generate = [](mlir::OpPassManager &passes) {
      buildFunctionPipeline(passes);
      buildLLVMPipeline(passes);
      passes.addPass(createGenerateCodePass());
      passes.addPass(createLinkCodePass());
    };
    if (!runPasses(*module, generate))
      return std::nullopt;
    auto code = module->lookupSymbol<mlir::gpu::BinaryOp>(codeObjectName);
    compiled.object = getObject(code, mlir::gpu::CompilationTarget::Binary)->str();
    return compiled;
  }

  /// Fills a template with a kernel, "nstf.kernel @k(…) …", for steps of up to `maxTokens` tokens.
  std::optional<CompiledTemplate> compileKernel(const std::string &name, const std::string &kernel,
                                                uint32_t maxTokens) {
    std::string text(*templateText("kernels/" + name + ".mlir"));
    const std::string start = "\nmodule {";
    text.replace(text.find(start), start.size(),
                 llvm::formatv("\nmodule attributes {{nstf.max_tokens = {0} : i64} {{\n{1}", maxTokens, kernel));
    return compile(text, "k", [](mlir::OpPassManager &passes) { buildTilePipeline(passes, {}); });
  }

private:
  static bool runPasses(mlir::ModuleOp module, const Build &build) {
    mlir::PassManager manager(module.getContext());
    build(manager);
    return succeeded(manager.run(module));
  }

  std::string target;
  mlir::DialectRegistry registry;
  std::unique_ptr<mlir::MLIRContext> context;
};

class TemplateTest : public testing::Test {
protected:
  static std::string tilePipeline(const std::string &params) {
    return "systolic-instantiate{params=" + params +
           "},systolic.kernel(systolic-order-workgroups),inline,canonicalize,cse,systolic.kernel(systolic-select-wave-"
           "size,"
           "systolic-select-array,systolic-share-loads,systolic-assign-layouts,systolic-stage-operands,systolic-plan-"
           "loops,systolic-insert-"
           "prefetch,"
           "systolic-schedule-loop,systolic-widen-stores,systolic-allocate-scratch)";
  }

  /// Instantiates and lowers a template and runs all its work items.
  void run(const std::string &name, const std::string &params, Memory &memory, uint32_t tokens, uint32_t position = 0) {
    SCOPED_TRACE(name + " " + params);
    auto build = [&](mlir::OpPassManager &passes) {
      ASSERT_TRUE(succeeded(mlir::parsePassPipeline(tilePipeline(params), passes)));
    };
    launch(compiler.compile(std::string(*templateText("kernels/" + name + ".mlir")), name, build), memory, tokens,
           position);
  }

  /// Fills a template with a kernel, and runs it for a step of up to `maxTokens` tokens.
  void runKernel(const std::string &name, const std::string &kernel, uint32_t maxTokens, Memory &memory,
                 uint32_t tokens, uint32_t position = 0) {
    SCOPED_TRACE(kernel);
    launch(compiler.compileKernel(name, kernel, maxTokens), memory, tokens, position);
  }

  /// Does the same with the text of a module, from which the passes make a tile program.
  void runText(const std::string &text, const std::string &name, const TemplateCompiler::Build &makeTileProgram,
               Memory &memory, uint32_t tokens, uint32_t position = 0) {
    launch(compiler.compile(text, name, makeTileProgram), memory, tokens, position);
  }

private:
  void launch(const std::optional<CompiledTemplate> &compiled, Memory &memory, uint32_t tokens, uint32_t position) {
    ASSERT_TRUE(compiled);
    compiled->launch(backend, memory, {.tokens = int32_t(tokens), .position = int32_t(position)});
  }

  TemplateCompiler compiler{getTestTarget()};
  Backend backend = Backend::open(DeviceKind::Emulator, getTestTarget());
};

inline void expectNear(const Floats &actual, const std::vector<double> &expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    ASSERT_NEAR(actual[i], expected[i], tolerance) << "element " << i;
}

} // namespace nstf::test
