// Code generation as passes: from a kernel's module to machine code, and from all kernels of a target to a code object.
#ifndef NSTF_COMPILER_CODEGEN_PASSES
#define NSTF_COMPILER_CODEGEN_PASSES

include "mlir/Pass/PassBase.td"

def GenerateCodePass : Pass<"nstf-generate-code"> {
  let summary = "compiles gpu.modules to machine code";
  let description = [{
    Each gpu.module in the LLVM and ROCDL dialects becomes a gpu.binary of the same name with two objects: the assembly
    text, and the relocatable object (`bin`) assembled from that text. With `keep-llvm` the LLVM IR from which the
    assembly was generated precedes them, as an object of format `offload`.

    The chip is that of the enclosing `nstf.target`. Errors of LLVM become errors with the module's name.

    Precondition: the operation is a symbol table (a module, an nstf.variant) with no dialects but LLVM and ROCDL left.

    (* example filepath=test/compiler/codegen/generate-code.mlir *)
  }];
  let options = [
    Option<"optimize", "optimize", "unsigned", "1",
           "level of LLVM's pipeline; below 1 accumulators are moved in every iteration and pointers stay generic">,
    Option<"unroll", "unroll", "bool", "false", "let LLVM unroll loops: their shape is decided by our passes">,
    Option<"vectorize", "vectorize", "bool", "false", "let LLVM vectorize and interleave">,
    Option<"keepLLVM", "keep-llvm", "bool", "false", "keep the LLVM IR too">,
  ];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect", "::mlir::ROCDL::ROCDLDialect"];
}

def LinkCodePass : Pass<"nstf-link-code", "::mlir::ModuleOp"> {
  let summary = "links the objects of all kernels in the module to one code object";
  let description = [{
    The objects are joined in the order of the gpu.binary ops, so the bytes are the same in every run. The result is the
    gpu.binary @code_object at the module's end; its object (`bin`) is what a HIP program loads. With `output` the code
    object is also written to that folder, as kernels.<target>.hsaco.

    Precondition: nstf-generate-code ran on every kernel.

    (* example filepath=test/compiler/codegen/link-code.mlir *)
  }];
  let options = [Option<"output", "output", "std::string", "\"\"", "folder that gets the code object as a file">];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::ROCDL::ROCDLDialect"];
}

#endif
