// From MLIR text to a code object: the output, the metadata read back from it, and errors.
#include "compiler/codegen/Codegen.h"
#include "compiler/codegen/Passes.h"
#include "compiler/pipelines/Pipelines.h"

#include "compiler/target/Target.h"
#include "mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

using namespace mlir;
using namespace nstf;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

// C[16,16] = A[16,16]·B[16,16] by four matrix instructions in a loop, one wave; then exp of it.
constexpr const char *matmul = R"mlir(
  gpu.module @matmul {
    gpu.func @matmul(%a: memref<16x16xf32> {llvm.noalias, llvm.readonly},
                     %b: memref<16x16xf32> {llvm.noalias, llvm.readonly},
                     %c: memref<16x16xf32> {llvm.noalias})
        workgroup(%lds : memref<64xf32, #gpu.address_space<workgroup>>)
        kernel attributes {known_block_size = array<i32: 64, 1, 1>, systolic.launch = #systolic.launch<[a, b, c]>} {
      %c0 = arith.constant 0 : index
      %c4 = arith.constant 4 : index
      %c16 = arith.constant 16 : index
      %zero = arith.constant dense<0.0> : vector<4xf32>
      %lane = gpu.thread_id x
      %i = arith.remui %lane, %c16 : index
      %q = arith.divui %lane, %c16 : index
      %d = scf.for %k = %c0 to %c16 step %c4 iter_args(%acc = %zero) -> vector<4xf32> {
        %kk = arith.addi %k, %q : index
        %x = memref.load %a[%i, %kk] : memref<16x16xf32>
        %y = memref.load %b[%kk, %i] : memref<16x16xf32>
        %next = amdgpu.mfma 16x16x4 %x * %y + %acc {blocks = 1 : i32} blgp = none : f32, f32, vector<4xf32>
        scf.yield %next : vector<4xf32>
      }
      %e = math.exp %d : vector<4xf32>
      memref.store %e0, %lds[%lane] : memref<64xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      %t = memref.load %lds[%i] : memref<64xf32, #gpu.address_space<workgroup>>
      %row = arith.muli %q, %c4 : index
      memref.store %t, %c[%row, %i] : memref<16x16xf32>
      gpu.return
    }
  })mlir";

std::string matmulText() {
  std::string text = matmul;
  // Math on a vector and the extraction of an element must be lowered too.
  std::string from = "memref.store %e0", to = "%e0 = vector.extract %e[0] : f32 from vector<4xf32>\n memref.store %e0";
  return text.replace(text.find(from), from.size(), to);
}

std::string copyKernel(const std::string &name, const std::string &body = "") {
  return "gpu.module @" + name + " { gpu.func @" + name +
         "(%x: memref<64xf32>, %y: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {\n"
         "%i = gpu.thread_id x\n %v = memref.load %x[%i] : memref<64xf32>\n" +
         body + "memref.store %v, %y[%i] : memref<64xf32>\n gpu.return } }\n";
}

struct CodeObject {
  struct Stages {
    std::string llvm, assembly;
  };
  std::string bytes;
  std::vector<KernelMetadata> kernels;
  std::vector<Stages> stages; ///< of each kernel
};

class CodegenTest : public testing::Test {
protected:
  CodegenTest() : context(registry()) {
    context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) { diagnostics += diagnostic.str() + "\n"; });
  }

  static DialectRegistry registry() {
    DialectRegistry registry;
    registry.insert<amdgpu::AMDGPUDialect, arith::ArithDialect, gpu::GPUDialect, math::MathDialect,
                    memref::MemRefDialect, scf::SCFDialect, vector::VectorDialect>();
    registerCodegenTranslations(registry);
    return registry;
  }

  /// Parses the text as a file of that name, lowers and compiles it; on failure returns the diagnostics.
  llvm::Expected<CodeObject> compile(const std::string &text, const std::string &targetName,
                                     const std::string &fileName = "test.mlir") {
    Target target = findTarget(targetName);
    module = parseSourceString<ModuleOp>(text, &context, fileName);
    if (!module)
      return llvm::createStringError("parse: " + diagnostics);
    attachTarget(*module, target);
    PassManager lowering(&context);
    buildLLVMPipeline(lowering);
    if (failed(lowering.run(*module)))
      return llvm::createStringError("lowering: " + diagnostics);
    lowered = cast<ModuleOp>(module->clone());
    return generate();
  }

  /// Runs the passes of code generation.
  llvm::Expected<CodeObject> generate() {
    PassManager passes(&context);
    GenerateCodePassOptions options;
    options.keepLLVM = true;
    passes.addPass(createGenerateCodePass(options));
    passes.addPass(createLinkCodePass());
    if (failed(passes.run(*module)))
      return llvm::createStringError(diagnostics);
    CodeObject result;
    for (gpu::BinaryOp binary : module->getOps<gpu::BinaryOp>())
      if (binary.getSymName() == codeObjectName)
        result.bytes = getObject(binary, gpu::CompilationTarget::Binary)->str();
      else
        result.stages.push_back({getObject(binary, gpu::CompilationTarget::Offload)->str(),
                                 getObject(binary, gpu::CompilationTarget::Assembly)->str()});
    auto kernels = readKernelMetadata(result.bytes);
    if (!kernels)
      return kernels.takeError();
    result.kernels = std::move(*kernels);
    return result;
  }

  std::string failure(const std::string &text, const std::string &targetName) {
    auto result = compile(text, targetName);
    return result ? "no failure" : llvm::toString(result.takeError());
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  OwningOpRef<ModuleOp> lowered; ///< the compiled module
  std::string diagnostics;
};

class CodegenOnBothChips : public CodegenTest, public testing::WithParamInterface<const char *> {};

TEST_P(CodegenOnBothChips, MetadataOfAMatrixKernel) {
  auto object = compile(matmulText(), GetParam());
  ASSERT_TRUE(bool(object)) << llvm::toString(object.takeError());
  ASSERT_EQ(object->kernels.size(), 1u);
  const KernelMetadata &kernel = object->kernels[0];
  EXPECT_EQ(kernel.symbol, "matmul");
  ASSERT_EQ(kernel.arguments.size(), 3u);
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_EQ(kernel.arguments[i].name, std::string(1, "abc"[i]));
    EXPECT_EQ(kernel.arguments[i].offset, 8 * i);
    EXPECT_EQ(kernel.arguments[i].size, 8u);
    EXPECT_EQ(kernel.arguments[i].valueKind, "global_buffer");
  }
  EXPECT_EQ(kernel.kernargSize, 24u);
  EXPECT_EQ(kernel.ldsSize, 256u);
  EXPECT_EQ(kernel.scratchSize, 0u);
  EXPECT_EQ(kernel.vgprSpills, 0u);
  EXPECT_EQ(kernel.sgprSpills, 0u);
  EXPECT_EQ(kernel.waveSize, 64u);
  EXPECT_EQ(kernel.maxWorkgroupSize, 64u);
  EXPECT_THAT(kernel.workgroupSize, ElementsAre(64, 1, 1));
  EXPECT_GT(kernel.vgprs, 4u);
  EXPECT_LT(kernel.vgprs + kernel.agprs, 64u);
  EXPECT_GT(kernel.sgprs, 0u);

  if (const char *folder = std::getenv("NSTF_TEST_FOLDER")) { // for the test that disassembles it
    std::error_code error;
    llvm::raw_fd_ostream(std::string(folder) + "/" + GetParam() + ".hsaco", error) << object->bytes;
    ASSERT_FALSE(error) << error.message();
  }

  ASSERT_EQ(object->stages.size(), 1u);
  EXPECT_THAT(object->stages[0].llvm, HasSubstr("llvm.amdgcn.mfma.f32.16x16x4f32"));
  EXPECT_THAT(object->stages[0].assembly, HasSubstr("v_mfma_f32_16x16x4"));
  EXPECT_THAT(object->stages[0].assembly, HasSubstr(".amdhsa_code_object_version 5"));
  EXPECT_THAT(object->stages[0].assembly, testing::Not(HasSubstr("__ocml")));
}

TEST_P(CodegenOnBothChips, KernelsOfSeveralModulesInOrderAndTheSameBytesEachTime) {
  std::string text;
  for (int i = 0; i < 6; ++i)
    text += copyKernel("copy" + std::to_string(i));
  text += matmulText();
  auto first = compile(text, GetParam());
  ASSERT_TRUE(bool(first)) << llvm::toString(first.takeError());
  ASSERT_EQ(first->kernels.size(), 7u);
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(first->kernels[i].symbol, "copy" + std::to_string(i));
  EXPECT_EQ(first->kernels[6].symbol, "matmul");
  auto second = compile(text, GetParam());
  ASSERT_TRUE(bool(second)) << llvm::toString(second.takeError());
  EXPECT_TRUE(first->bytes == second->bytes);
}

TEST_P(CodegenOnBothChips, LinesOfTheSourceButNotWhereItLies) {
  auto first = compile(matmulText(), GetParam(), "/home/me/kernels/matmul.mlir");
  ASSERT_TRUE(bool(first)) << llvm::toString(first.takeError());
  EXPECT_TRUE(llvm::StringRef(first->bytes).contains("matmul.mlir"));
  EXPECT_FALSE(llvm::StringRef(first->bytes).contains("/home/me"));
  auto second = compile(matmulText(), GetParam(), "elsewhere/matmul.mlir");
  ASSERT_TRUE(bool(second)) << llvm::toString(second.takeError());
  EXPECT_TRUE(first->bytes == second->bytes);
}

INSTANTIATE_TEST_SUITE_P(Chips, CodegenOnBothChips, testing::Values("gfx90a", "gfx942"));

TEST_F(CodegenTest, SpillsAndScratchAreFigures) {
  // A private array, too large for registers and LDS, with an index known at run time only.
  std::string body = R"(
    %p = memref.alloca() : memref<1024xf32, #gpu.address_space<private>>
    %m = arith.fptoui %v : f32 to i32
    %j = arith.index_cast %m : i32 to index
    memref.store %v, %p[%j] : memref<1024xf32, #gpu.address_space<private>>
    gpu.barrier
    %w = memref.load %p[%i] : memref<1024xf32, #gpu.address_space<private>>
    memref.store %w, %x[%i] : memref<64xf32>
  )";
  auto object = compile(copyKernel("k", body), "gfx942");
  ASSERT_TRUE(bool(object)) << llvm::toString(object.takeError());
  EXPECT_GE(object->kernels[0].scratchSize, 4096u);
}

TEST_F(CodegenTest, TooMuchLdsIsAnErrorWithTheKernelsName) {
  std::string text = R"(gpu.module @big { gpu.func @big(%y: memref<64xf32>)
      workgroup(%lds : memref<20000xf32, #gpu.address_space<workgroup>>)
      kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %i = gpu.thread_id x
    %u = memref.load %y[%i] : memref<64xf32>
    memref.store %u, %lds[%i] : memref<20000xf32, #gpu.address_space<workgroup>>
    gpu.barrier
    %c5 = arith.constant 5 : index
    %v = memref.load %lds[%c5] : memref<20000xf32, #gpu.address_space<workgroup>>
    memref.store %v, %y[%i] : memref<64xf32>
    gpu.return } })";
  std::string message = failure(text, "gfx942");
  EXPECT_THAT(message, HasSubstr("kernel 'big'"));
  EXPECT_THAT(message, HasSubstr("80000"));
  EXPECT_THAT(message, HasSubstr("65536"));
}

TEST_F(CodegenTest, KernelsOfTheSameNameAreAnError) {
  std::string text = copyKernel("k");
  std::string other = copyKernel("k");
  other.replace(other.find("@k"), 2, "@m");
  EXPECT_THAT(failure(text + other, "gfx942"), HasSubstr("expected kernels of different names but got 'k'"));
}

TEST_F(CodegenTest, AnUnknownProcessorIsAnError) {
  ASSERT_TRUE(bool(compile(copyKernel("k"), "gfx942")));
  CodegenOptions options;
  options.chip = "gfx000";
  auto result = compileToAssembly(*lowered->getOps<gpu::GPUModuleOp>().begin(), options);
  ASSERT_FALSE(bool(result));
  EXPECT_THAT(llvm::toString(result.takeError()), HasSubstr("expected a processor that LLVM knows but got 'gfx000'"));
}

TEST_F(CodegenTest, OperationsThatWereNotLoweredAreNamed) {
  module = parseSourceString<ModuleOp>(copyKernel("k"), &context);
  attachTarget(*module, findTarget("gfx942"));
  auto result = generate();
  ASSERT_FALSE(bool(result));
  EXPECT_THAT(llvm::toString(result.takeError()), HasSubstr("kernel 'k': expected operations of the LLVM and ROCDL"));
}

TEST_F(CodegenTest, AssemblyErrorsNameTheLine) {
  CodegenOptions options;
  options.chip = "gfx90a";
  auto result = assemble("s_nop 0\nv_mfma_f32_16x16x32_fp8_fp8 a[0:3], v[0:1], v[2:3], a[0:3]\n", options);
  ASSERT_FALSE(bool(result));
  EXPECT_THAT(llvm::toString(result.takeError()), HasSubstr("assembly line 2: instruction not supported on this GPU"));
}

TEST_F(CodegenTest, LinkingNonsenseIsAnError) {
  auto result = linkObjects({"not an object"});
  ASSERT_FALSE(bool(result));
  EXPECT_THAT(llvm::toString(result.takeError()), HasSubstr("lld: "));
  auto empty = readKernelMetadata("not a code object");
  ASSERT_FALSE(bool(empty));
  llvm::consumeError(empty.takeError());
}

llvm::cl::opt<int> someOption("nstf-codegen-test-option", llvm::cl::init(1));

TEST_F(CodegenTest, LinkingLeavesCommandLineOptionsAlone) {
  someOption = 7;
  ASSERT_TRUE(bool(compile(copyKernel("k"), "gfx942")));
  EXPECT_EQ(someOption, 7);
  EXPECT_EQ(llvm::cl::getRegisteredOptions().count("nstf-codegen-test-option"), 1u);
}

TEST_F(CodegenTest, SeveralThreadsAtOnce) {
  ASSERT_TRUE(bool(compile(matmulText(), "gfx942")));
  CodegenOptions options;
  options.chip = "gfx942";
  std::vector<OwningOpRef<ModuleOp>> modules;
  for (int i = 0; i < 4; ++i)
    modules.push_back(lowered->clone());
  std::vector<std::string> results(modules.size());
  std::vector<std::thread> threads;
  for (auto [result, own] : llvm::zip_equal(results, modules))
    threads.emplace_back([&, kernel = *own->getOps<gpu::GPUModuleOp>().begin()] {
      auto assembly = compileToAssembly(kernel, options);
      auto object = assembly ? assemble(*assembly, options) : std::move(assembly);
      auto linked = object ? linkObjects({*object}) : std::move(object);
      result = linked ? *linked : llvm::toString(linked.takeError());
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(results[0].substr(1, 3), "ELF");
  for (const std::string &result : results)
    EXPECT_TRUE(result == results[0]);
}

} // namespace
