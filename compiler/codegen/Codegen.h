// Code generation: compiles a gpu.module in the LLVM/ROCDL dialect to an object and links objects to one code object
// (hsaco), in this process, without files.
//
//   gpu.module ─translate─> LLVM IR ─O1, instruction selection─> assembly text ─assemble─> object ┐
//   gpu.module ─ …                                                                        object ┴─lld─> code object
//
// Each kernel is a gpu.module. nstf-generate-code compiles them in parallel, on the MLIR context's threads;
// nstf-link-code links the objects. Assembly text is a stage like the others: the object is assembled from that text.
#pragma once

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/Error.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nstf {

/// The options of nstf-generate-code: the target and how to compile for it.
struct CodegenOptions {
  std::string chip;      ///< LLVM's name of the processor: TargetView::chip()
  std::string features;  ///< LLVM's subtarget features ("+xnack"); empty: any
  unsigned optimize = 1; ///< level of LLVM's pipeline
  bool unroll = false, vectorize = false;
};

/// An argument in the kernarg segment. Offsets and sizes are in bytes.
struct KernelArgumentMetadata {
  std::string name;      ///< "arg3" if the kernel had no #systolic.launch
  std::string valueKind; ///< as in the code object's metadata: "global_buffer", "by_value", "hidden_…"
  std::string access;    ///< "read_only", "write_only", "read_write"; empty: unknown
  uint32_t offset = 0;
  uint32_t size = 0;
};

/// A kernel's metadata, read from the code object.
struct KernelMetadata {
  std::string symbol;
  std::vector<KernelArgumentMetadata> arguments;
  uint32_t kernargSize = 0;      ///< bytes
  uint32_t kernargAlignment = 0; ///< bytes
  uint32_t ldsSize = 0;          ///< bytes of static LDS
  uint32_t scratchSize = 0;      ///< bytes per work-item
  uint32_t vgprs = 0;            ///< V registers as allocated (a multiple of 4 if there are A registers)
  uint32_t agprs = 0;            ///< A registers; a wave uses vgprs + agprs of the SIMD's register file
  uint32_t sgprs = 0;            ///< with VCC and other special registers
  uint32_t vgprSpills = 0;
  uint32_t sgprSpills = 0;
  uint32_t waveSize = 0;
  uint32_t maxWorkgroupSize = 0;              ///< work-items
  std::array<uint32_t, 3> workgroupSize = {}; ///< zeros if it is not fixed
};

/// Enables an MLIR context to translate to LLVM IR. Every program that calls `compileToAssembly` needs it on its
/// registry.
void registerCodegenTranslations(mlir::DialectRegistry &registry);

/// Compiles a module; also returns the LLVM IR if `llvmText` is not null. Fails if LLVM reports an error. Spills and
/// scratch are not errors; the metadata reports them.
llvm::Expected<std::string> compileToAssembly(mlir::gpu::GPUModuleOp module, const CodegenOptions &options,
                                              std::string *llvmText = nullptr);
llvm::Expected<std::string> assemble(llvm::StringRef assembly, const CodegenOptions &options);
/// Returns an error if LLVM does not know the processor.
llvm::Error checkProcessor(const CodegenOptions &options);
/// Links objects to a code object. Links are serialised within the process.
llvm::Expected<std::string> linkObjects(llvm::ArrayRef<std::string> objects);
llvm::Expected<std::vector<KernelMetadata>> readKernelMetadata(llvm::StringRef codeObject);

/// Makes the object of a gpu.binary, which holds code in the given format.
mlir::gpu::ObjectAttr makeObject(mlir::MLIRContext *context, llvm::StringRef chip, mlir::gpu::CompilationTarget format,
                                 llvm::StringRef bytes);
std::optional<llvm::StringRef> getObject(mlir::gpu::BinaryOp binary, mlir::gpu::CompilationTarget format);
/// The name of the gpu.binary that nstf-link-code adds to a target's module.
inline constexpr llvm::StringLiteral codeObjectName = "code_object";

/// Registers LLVM's AMDGPU back end. Every function above calls it.
void initializeAMDGPU();

/// The target triple of all code.
inline constexpr llvm::StringLiteral amdgpuTriple = "amdgcn-amd-amdhsa";
/// Code object version 5, in the units of LLVM's module flag.
inline constexpr unsigned codeObjectVersionFlag = 500;

} // namespace nstf
