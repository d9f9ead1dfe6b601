// Code generation: a gpu.module in the LLVM/ROCDL dialect → an object, and objects → one code object (hsaco), in this
// process, without files.
//
//   gpu.module ─translate─> LLVM IR ─O1, instruction selection─> assembly text ─assemble─> object ┐
//   gpu.module ─ …                                                                        object ┴─lld─> code object
//
// Each kernel is a gpu.module of its own, which nstf-generate-code compiles, on as many threads as the MLIR context
// has; nstf-link-code joins the objects. Assembly text is a stage like the others: the object is assembled from that
// text.
#pragma once

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/Error.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nstf {

/// What to generate for, and how: the options of nstf-generate-code.
struct CodegenOptions {
  std::string chip;      ///< LLVM's name of the processor: TargetView::chip()
  std::string features;  ///< LLVM's subtarget features ("+xnack"); empty: any
  unsigned optimize = 1; ///< level of LLVM's pipeline
  bool unroll = false, vectorize = false;
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

/// Lets an MLIR context translate to LLVM IR: for the registry of every program that calls `generateCode`.
void registerCodegenTranslations(mlir::DialectRegistry &registry);

/// Compiles a module; gives the LLVM IR too where `llvmText` is not null. All that LLVM reports as an error makes it
/// fail; spills and scratch are not errors but figures in the metadata.
llvm::Expected<std::string> compileToAssembly(mlir::gpu::GPUModuleOp module, const CodegenOptions &options,
                                              std::string *llvmText = nullptr);
llvm::Expected<std::string> assemble(llvm::StringRef assembly, const CodegenOptions &options);
/// An error where LLVM knows no such processor.
llvm::Error checkProcessor(const CodegenOptions &options);
/// Objects in, code object out. One link at a time in the process, whoever calls.
llvm::Expected<std::string> linkObjects(llvm::ArrayRef<std::string> objects);
llvm::Expected<std::vector<KernelMetadata>> readKernelMetadata(llvm::StringRef codeObject);

/// What the IR holds of code: an object of a gpu.binary, made and found by its format.
mlir::gpu::ObjectAttr makeObject(mlir::MLIRContext *context, llvm::StringRef chip, mlir::gpu::CompilationTarget format,
                                 llvm::StringRef bytes);
std::optional<llvm::StringRef> getObject(mlir::gpu::BinaryOp binary, mlir::gpu::CompilationTarget format);
/// The gpu.binary of a target's module that nstf-link-code makes.
inline constexpr llvm::StringLiteral codeObjectName = "code_object";

/// Registers LLVM's AMDGPU back end; every stage does it by itself.
void initializeAMDGPU();

/// The triple all of it is for.
inline constexpr llvm::StringLiteral amdgpuTriple = "amdgcn-amd-amdhsa";
/// Code object version 5, as LLVM's module flag counts it.
inline constexpr unsigned codeObjectVersionFlag = 500;

} // namespace nstf
