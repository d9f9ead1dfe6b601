// Internal errors of each kind, provoked by passes of this test, and crashes in child processes.
#include "compiler/driver/Reproducer.h"
#include "compiler/driver/CrashHandler.h"
#include "dialects/nstf/NSTF.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/ErrorHandling.h"

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <optional>
#include <thread>

using namespace mlir;
using namespace nstf;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

using Action = std::function<LogicalResult(ModuleOp)>;

struct TestPass : PassWrapper<TestPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestPass)
  TestPass(std::string flag, Action action) : flag(std::move(flag)), action(std::move(action)) {}
  StringRef getArgument() const override { return flag; }
  void runOnOperation() override {
    if (failed(action(getOperation())))
      signalPassFailure();
  }
  std::string flag;
  Action action;
};

class ReproducerTest : public testing::Test {
protected:
  ReproducerTest()
      : folder(std::filesystem::path(testing::TempDir()) /
               ("nstf-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()))) {
    std::filesystem::create_directories(folder);
    context.loadDialect<func::FuncDialect>();
    context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) { told += diagnostic.str() + "\n"; });
    module = parseSourceString<ModuleOp>("func.func @f() { return }", &context, "model.mlir");
    reproducer = Reproducer(*module, "kernel 'f' (up_proj)", "test-f", folder);
  }
  ~ReproducerTest() override { std::filesystem::remove_all(folder); }

  LogicalResult run(const std::string &flag, Action action) {
    PassManager passes(&context);
    passes.addPass(createCanonicalizerPass());
    passes.addPass(std::make_unique<TestPass>(flag, std::move(action)));
    return reproducer.run(passes, *module);
  }

  /// Returns what `report` prints; `text` gets the file that it writes.
  std::string report() {
    testing::internal::CaptureStderr();
    reproducer.report();
    std::string printed = testing::internal::GetCapturedStderr();
    text = readFile();
    return printed;
  }

  std::string file() const { return (folder / "nstf-reproducer-test-f.mlir").string(); }
  std::string readFile() const {
    std::ifstream stream(file());
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  std::filesystem::path folder;
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  Reproducer reproducer;
  std::string told, text;
};

TEST_F(ReproducerTest, WhatAPassOfOursSaysIsTheUsers) {
  EXPECT_TRUE(
      failed(run("nstf-picky", [](ModuleOp module) { return module.emitError("expected more but got less"); })));
  EXPECT_FALSE(reproducer.hasFailed());
  EXPECT_EQ(told, "expected more but got less\n");
  EXPECT_THAT(readFile(), IsEmpty());
}

TEST_F(ReproducerTest, APassThatFailsWithoutAWord) {
  EXPECT_TRUE(failed(run("nstf-silent", [](ModuleOp) { return failure(); })));
  ASSERT_TRUE(reproducer.hasFailed());
  EXPECT_EQ(report(), "error: internal error in kernel 'f' (up_proj): pass nstf-silent: it failed without a word\n"
                      "note: replay it with: nstf-opt --run-reproducer " +
                          file() + "\n");
  EXPECT_THAT(text, HasSubstr("// nstf-opt --run-reproducer " + file()));
  EXPECT_THAT(text, HasSubstr("return loc(\"model.mlir\":1:18)"));
  EXPECT_THAT(text, HasSubstr("mlir_reproducer"));
  EXPECT_THAT(text, HasSubstr("nstf-silent)\""));
}

TEST_F(ReproducerTest, APassThatLeavesAnInvalidModule) {
  auto breakModule = [](ModuleOp module) {
    auto function = *module.getOps<func::FuncOp>().begin();
    function.setFunctionType(FunctionType::get(module.getContext(), {}, {IndexType::get(module.getContext())}));
    return success();
  };
  EXPECT_TRUE(failed(run("nstf-sloppy", breakModule)));
  ASSERT_TRUE(reproducer.hasFailed());
  EXPECT_THAT(told, IsEmpty()); // the one error line contains it
  EXPECT_THAT(report(), HasSubstr("pass nstf-sloppy: 'func.return' op has 0 operands, but enclosing function"));
  EXPECT_THAT(text, HasSubstr("func.func @f() {")); // the module before the pass
}

TEST_F(ReproducerTest, UpstreamsPassesAndUnfinishedConversions) {
  EXPECT_TRUE(failed(run("lower-something", [](ModuleOp module) { return module.emitError("cannot lower"); })));
  EXPECT_TRUE(reproducer.hasFailed());
  EXPECT_THAT(report(), HasSubstr("pass lower-something: cannot lower\n"));
  reproducer = Reproducer(*module, "f", "test-f", folder);
  EXPECT_TRUE(failed(run("nstf-convert", [](ModuleOp module) {
    return module.emitError("failed to legalize operation 'a.b' that was explicitly marked illegal");
  })));
  EXPECT_TRUE(reproducer.hasFailed());
}

TEST_F(ReproducerTest, ThePipelineGrowsByStages) {
  EXPECT_TRUE(succeeded(run("nstf-first", [](ModuleOp) { return success(); })));
  EXPECT_TRUE(failed(run("nstf-second", [](ModuleOp) { return failure(); })));
  report();
  size_t first = text.find(",nstf-first,canonicalize"), second = text.find(",nstf-second)\"");
  EXPECT_NE(first, std::string::npos) << text;
  EXPECT_NE(second, std::string::npos) << text;
  EXPECT_LT(first, second);
}

TEST_F(ReproducerTest, ANameThatAShellWouldSplit) {
  std::filesystem::create_directories(folder / "it's here");
  reproducer = Reproducer(*module, "f", "test-f", folder / "it's here");
  EXPECT_TRUE(failed(run("nstf-silent", [](ModuleOp) { return failure(); })));
  EXPECT_THAT(report(),
              HasSubstr("--run-reproducer '" + folder.string() + "/it'\\''s here/nstf-reproducer-test-f.mlir'\n"));
}

// Two variants of a kernel in one pass manager.
class VariantReproducersTest : public ReproducerTest {
protected:
  using VariantAction = std::function<LogicalResult(VariantOp)>;

  struct VariantPass : PassWrapper<VariantPass, OperationPass<VariantOp>> {
    MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VariantPass)
    VariantPass(std::string flag, VariantAction action) : flag(std::move(flag)), action(std::move(action)) {}
    StringRef getArgument() const override { return flag; }
    void runOnOperation() override {
      if (failed(action(getOperation())))
        signalPassFailure();
    }
    std::string flag;
    VariantAction action;
  };

  VariantReproducersTest() {
    context.loadDialect<NSTFDialect>();
    std::string variants;
    for (const char *name : {"a", "b"})
      variants += std::string("nstf.variant @") + name +
                  " of @k tokens [1, 1] {\n  nstf.part results [0] binding <\"t\", tokens = 1, parameters = {}, " +
                  "per_token = {}, buffers = {}> choice <{}, template why \"\" not [], tuning why \"\" not []> {\n" +
                  "  func.func @in_" + name + "() { return }\n  }\n}\n";
    module = parseSourceString<ModuleOp>("nstf.kernel @k(%x: tensor<1x8xf32>) -> tensor<1x8xf32> {\n"
                                         "  %y = nstf.silu %x : tensor<1x8xf32>\n"
                                         "  nstf.return %y : tensor<1x8xf32>\n}\n"
                                         "module @chip attributes {nstf.target = {}} {\n" +
                                             variants + "}",
                                         &context, "model.mlir");
    reproducers.emplace(*module->getOps<ModuleOp>().begin(), folder);
  }

  LogicalResult runStage(const std::string &flag, VariantAction action, std::unique_ptr<Pass> then = nullptr) {
    PassManager passes(&context);
    OpPassManager &variant = passes.nest<VariantOp>();
    variant.addPass(createCanonicalizerPass());
    variant.addPass(std::make_unique<VariantPass>(flag, std::move(action)));
    if (then)
      passes.addPass(std::move(then));
    through = 0;
    testing::internal::CaptureStderr();
    LogicalResult result = reproducers->run(passes, [this] { ++through; });
    printed = testing::internal::GetCapturedStderr();
    return result;
  }

  std::string readFile(const std::string &name) {
    std::ifstream stream(folder / ("nstf-reproducer-chip-" + name + ".mlir"));
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  std::optional<VariantReproducers> reproducers;
  std::atomic<int> through = 0;
  std::string printed;
};

TEST_F(VariantReproducersTest, TheFileHoldsTheOneThatFailedAndItsStages) {
  EXPECT_TRUE(succeeded(runStage("nstf-first", [](VariantOp) { return success(); })));
  EXPECT_EQ(through, 2);
  EXPECT_TRUE(failed(runStage("nstf-second", [](VariantOp op) { return success(op.getSymName() == "a"); })));
  EXPECT_THAT(printed, HasSubstr("error: internal error in kernel 'b': pass nstf-second: it failed without a word\n"));
  std::string file = readFile("b");
  EXPECT_THAT(file, HasSubstr("nstf.kernel @k"));
  EXPECT_THAT(file, HasSubstr("func.func @in_b"));
  EXPECT_THAT(file, testing::Not(HasSubstr("in_a")));
  EXPECT_THAT(file, testing::ContainsRegex("pipeline: \"builtin.module\\(builtin.module\\(nstf.variant\\("
                                           "canonicalize.*,nstf-first,canonicalize.*,nstf-second\\)\\)\\)\""));
  EXPECT_THAT(readFile("a"), IsEmpty());
  OwningOpRef<ModuleOp> read = parseSourceString<ModuleOp>(file, &context);
  ASSERT_TRUE(bool(read));
}

TEST_F(VariantReproducersTest, TheUsersErrorIsNoInternalOne) {
  EXPECT_TRUE(failed(runStage("nstf-picky", [](VariantOp op) { return op.emitError("expected more but got less"); })));
  EXPECT_THAT(told, HasSubstr("expected more but got less\n"));
  EXPECT_THAT(printed, IsEmpty());
  EXPECT_THAT(readFile("a") + readFile("b"), IsEmpty());
}

TEST_F(VariantReproducersTest, CodeGenerationIsNeverTheUsers) {
  auto fail = [](VariantOp op) { return op.emitError("kernel 'kernels': no registers left"); };
  EXPECT_TRUE(failed(runStage("nstf-generate-code", fail)));
  EXPECT_THAT(printed,
              testing::ContainsRegex("internal error in kernel '[ab]': kernel 'kernels': no registers left\n"));
  EXPECT_THAT(told, IsEmpty());
}

// A variant of two parts, which may run on different threads.
class PartReproducersTest : public ReproducerTest {
protected:
  using PartAction = std::function<LogicalResult(PartOp)>;

  struct PartPass : PassWrapper<PartPass, OperationPass<PartOp>> {
    MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PartPass)
    explicit PartPass(PartAction action) : action(std::move(action)) {}
    StringRef getArgument() const override { return "nstf-part"; }
    void runOnOperation() override {
      if (failed(action(getOperation())))
        signalPassFailure();
    }
    PartAction action;
  };

  PartReproducersTest() {
    context.loadDialect<NSTFDialect>();
    std::string parts;
    for (const char *result : {"0", "1"})
      parts += std::string("nstf.part results [") + result +
               "] binding <\"t\", tokens = 1, parameters = {}, per_token = {}, buffers = {}> choice <{}, template why "
               "\"\" not [], tuning why \"\" not []> {}\n";
    module = parseSourceString<ModuleOp>(
        "nstf.kernel @k(%x: tensor<1x8xf32>) -> (tensor<1x8xf32>, tensor<1x8xf32>) {\n"
        "  %y = nstf.silu %x : tensor<1x8xf32>\n"
        "  %z = nstf.relu %x : tensor<1x8xf32>\n"
        "  nstf.return %y, %z : tensor<1x8xf32>, tensor<1x8xf32>\n}\n"
        "module @chip attributes {nstf.target = {}} {\nnstf.variant @a of @k tokens [1, 1] {\n" +
            parts + "}\n}",
        &context, "model.mlir");
    reproducers.emplace(*module->getOps<ModuleOp>().begin(), folder);
  }

  LogicalResult run(PartAction action) {
    PassManager passes(&context);
    passes.nest<VariantOp>().nest<PartOp>().addPass(std::make_unique<PartPass>(std::move(action)));
    through = 0;
    testing::internal::CaptureStderr();
    LogicalResult result = reproducers->run(passes, [this] { ++through; });
    printed = testing::internal::GetCapturedStderr();
    return result;
  }

  static bool isSecond(PartOp part) { return part.getResults().front() == 1; }

  std::optional<VariantReproducers> reproducers;
  std::atomic<int> through = 0;
  std::string printed;
};

TEST_F(PartReproducersTest, AVariantIsThroughWhenItsPartsAre) {
  EXPECT_TRUE(succeeded(run([](PartOp) { return success(); })));
  EXPECT_EQ(through, 1);
  EXPECT_THAT(printed, IsEmpty());
}

TEST_F(PartReproducersTest, WhatFailsInAPartFailsInItsVariant) {
  EXPECT_TRUE(failed(run([](PartOp part) { return success(!isSecond(part)); })));
  EXPECT_EQ(through, 0);
  EXPECT_THAT(printed, HasSubstr("error: internal error in kernel 'a': pass nstf-part: it failed without a word\n"));
  std::ifstream file(folder / "nstf-reproducer-chip-a.mlir");
  EXPECT_THAT((std::string{std::istreambuf_iterator<char>(file), {}}),
              HasSubstr("pipeline: \"builtin.module(builtin.module(nstf.variant(nstf.part(nstf-part))))\""));
}

TEST_F(PartReproducersTest, TheUsersErrorIsNoInternalOne) {
  EXPECT_TRUE(failed(run([](PartOp part) -> LogicalResult {
    return isSecond(part) ? part.emitError("expected more but got less") : success();
  })));
  EXPECT_THAT(told, HasSubstr("expected more but got less\n"));
  EXPECT_THAT(printed, IsEmpty());
}

TEST_F(VariantReproducersTest, TheLinkTakesAllKernels) {
  auto link = std::make_unique<TestPass>(
      "nstf-link-code", [](ModuleOp module) { return module.emitError("lld: no\n>>> referenced by f"); });
  EXPECT_TRUE(failed(runStage("nstf-first", [](VariantOp) { return success(); }, std::move(link))));
  EXPECT_THAT(printed, HasSubstr("error: internal error in the link of all kernels: lld: no\n"));
  std::string file = readFile("link");
  EXPECT_THAT(file, HasSubstr("pipeline: \"builtin.module(builtin.module(nstf-link-code))\""));
  EXPECT_THAT(file, HasSubstr("@in_a"));
  EXPECT_THAT(file, HasSubstr("@in_b"));
  EXPECT_TRUE(bool(parseSourceString<ModuleOp>(file, &context)));
}

__attribute__((noinline)) int overflow(volatile int *depth) {
  volatile int here = *depth + 1;
  return overflow(&here) + here;
}

TEST_F(ReproducerTest, CrashesWriteTheFileAndEndTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto crash = [&](Action action) {
    installCrashHandler("nstfc model");
    std::thread([&] { (void)run("nstf-crash", action); }).join();
  };
  auto exitsWithOne = testing::ExitedWithCode(1);
  auto message = [](const std::string &reason) {
    return "error: internal error in kernel 'f' \\(up_proj\\): " + reason +
           "\nnote: replay it with: nstf-opt --run-reproducer .*/nstf-reproducer-test-f.mlir\n$";
  };
  auto raise = [](int signal) { return [signal](ModuleOp) { return success(std::raise(signal) == 0); }; };
  EXPECT_EXIT(crash(raise(SIGSEGV)), exitsWithOne, message("segmentation fault"));
  EXPECT_EXIT(crash(raise(SIGABRT)), exitsWithOne, message("abort"));
  EXPECT_EXIT(crash(raise(SIGILL)), exitsWithOne, message("illegal instruction"));
  EXPECT_EXIT(crash([](ModuleOp) {
                throw std::runtime_error("unexpected");
                return success();
              }),
              exitsWithOne, message("abort"));
  EXPECT_EXIT(crash([](ModuleOp) -> LogicalResult { llvm::report_fatal_error("Cannot select: x\n  t5: f32 = y"); }),
              exitsWithOne, message("Cannot select: x"));
  EXPECT_EXIT(crash([](ModuleOp) {
                volatile int depth = 0;
                return success(overflow(&depth) == 0);
              }),
              exitsWithOne, message("segmentation fault"));
}

TEST(CrashHandler, OutsideOfAnyScope) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        installCrashHandler("nstfc model -o x");
        std::raise(SIGSEGV);
      },
      testing::ExitedWithCode(1),
      "^error: internal error: segmentation fault\nnote: replay it with: nstfc model -o x\n$");
}

} // namespace
