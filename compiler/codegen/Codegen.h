// Code generation: gpu.modules in the LLVM/ROCDL dialect → one code object (hsaco), in this process, without files.
//
//   gpu.module ─translate─> LLVM IR ─O1, instruction selection─> assembly text ─assemble─> object ┐
//   gpu.module ─ …                                                                        object ┴─lld─> code object
//
// Each kernel is a gpu.module of its own: they are compiled on as many threads as the MLIR context has, identical ones
// are not made twice by the passes above, and the linker joins the objects in the order given, so that the bytes are
// the same from run to run. Assembly text is a stage like the others: the object is assembled from that text.
#pragma once

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/Error.h"

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace nstf {

/// What to generate for, and what to keep of the stages on the way.
struct CodegenOptions {
  std::string chip;          ///< LLVM's name of the processor: TargetView::chip()
  std::string features;      ///< LLVM's subtarget features ("+xnack"); empty: any
  bool keepLLVM = false;     ///< fill KernelStages::llvm
  bool keepAssembly = false; ///< fill KernelStages::assembly
  /// Called on the thread that is to compile module i, and must call `compile` there: for who keeps track of what runs
  /// where. Null: it is just compiled.
  std::function<void(size_t i, llvm::function_ref<void()> compile)> around;
  /// Called with a module's name when its object is done; from several threads.
  std::function<void(llvm::StringRef)> onKernel;
};

/// One argument in the kernarg segment. Offsets and sizes in bytes.
struct KernelArgumentMetadata {
  std::string name;      ///< "arg3" where the kernel had no #systolic.launch
  std::string valueKind; ///< of the code object's metadata: "global_buffer", "by_value", "hidden_…"
  std::string access;    ///< "read_only", "write_only", "read_write"; empty: not known
  uint32_t offset = 0;
  uint32_t size = 0;
};

/// What a kernel needs, read back from the code object.
struct KernelMetadata {
  std::string symbol;
  std::vector<KernelArgumentMetadata> arguments;
  uint32_t kernargSize = 0;      ///< bytes
  uint32_t kernargAlignment = 0; ///< bytes
  uint32_t ldsSize = 0;          ///< bytes of static LDS
  uint32_t scratchSize = 0;      ///< bytes a work-item
  uint32_t vgprs = 0;            ///< V registers, as handed out (a multiple of 4 where there are A registers)
  uint32_t agprs = 0;            ///< A registers; a wave takes vgprs + agprs of the SIMD's file
  uint32_t sgprs = 0;            ///< VCC and the like included
  uint32_t vgprSpills = 0;
  uint32_t sgprSpills = 0;
  uint32_t waveSize = 0;
  uint32_t maxWorkgroupSize = 0;              ///< work-items
  std::array<uint32_t, 3> workgroupSize = {}; ///< zeros where it is not fixed
};

/// The text of a kernel's stages, where CodegenOptions asked for it.
struct KernelStages {
  std::string name; ///< of the gpu.module
  std::string llvm;
  std::string assembly;
};

struct CodeObject {
  std::string bytes;                   ///< ELF shared object, code object version 5
  std::vector<KernelMetadata> kernels; ///< in the order of the modules
  std::vector<KernelStages> stages;    ///< one a module, in their order
};

/// LLVM could not compile a module, or lld not link them.
class CodegenError : public llvm::ErrorInfo<CodegenError> {
public:
  static char ID;
  static constexpr size_t all = SIZE_MAX;
  CodegenError(size_t module, std::string message) : module(module), message(std::move(message)) {}
  void log(llvm::raw_ostream &os) const override { os << message; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  const size_t module; ///< its index, or `all` where they failed together
  const std::string message;
};

/// Lets an MLIR context translate to LLVM IR: for the registry of every program that calls `generateCode`.
void registerCodegenTranslations(mlir::DialectRegistry &registry);

/// Compiles the modules and links them. All that LLVM reports as an error makes it fail with that message, with the
/// module's name before it (a CodegenError); spills and scratch are not errors but figures in the metadata.
llvm::Expected<CodeObject> generateCode(llvm::ArrayRef<mlir::gpu::GPUModuleOp> modules, const CodegenOptions &options);

/// The stages one by one. `compileToAssembly` also gives the LLVM IR where `llvmText` is not null.
llvm::Expected<std::string> compileToAssembly(mlir::gpu::GPUModuleOp module, const CodegenOptions &options,
                                              std::string *llvmText = nullptr);
llvm::Expected<std::string> assemble(llvm::StringRef assembly, const CodegenOptions &options);
/// An error where LLVM knows no such processor.
llvm::Error checkProcessor(const CodegenOptions &options);
/// Objects in, code object out. One link at a time in the process, whoever calls.
llvm::Expected<std::string> linkObjects(llvm::ArrayRef<std::string> objects);
llvm::Expected<std::vector<KernelMetadata>> readKernelMetadata(llvm::StringRef codeObject);

/// Registers LLVM's AMDGPU back end; every stage does it by itself.
void initializeAMDGPU();

/// The triple all of it is for.
inline constexpr llvm::StringLiteral amdgpuTriple = "amdgcn-amd-amdhsa";
/// Code object version 5, as LLVM's module flag counts it.
inline constexpr unsigned codeObjectVersionFlag = 500;

} // namespace nstf
