// Code generation as passes: what a kernel's module becomes, and what the kernels of a target become together.
#ifndef NSTF_COMPILER_CODEGEN_PASSES
#define NSTF_COMPILER_CODEGEN_PASSES

include "mlir/Pass/PassBase.td"

def GenerateCodePass : Pass<"nstf-generate-code"> {
  let summary = "compiles gpu.modules to machine code";
  let description = [{
    Each gpu.module in the LLVM and ROCDL dialects becomes a gpu.binary of its name with two objects: the assembly text,
    and the relocatable object (`bin`) that was assembled from that text. With `keep-llvm` the LLVM IR that became the
    assembly stands before them, as an object of format `offload`.

    The chip is the one of `nstf.target` around it. What LLVM reports as an error is one here, with the module's name.

    Precondition: the operation is a symbol table (a module, an nstf.variant), and nothing but LLVM and ROCDL is left.

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
    Objects are joined in the order in which the gpu.binary ops stand, so that the bytes are the same from run to run. The
    result is the gpu.binary @code_object at the module's end; its object (`bin`) is what a HIP program loads. With
    `output` it is written there too, as kernels.<target>.hsaco.

    Precondition: nstf-generate-code ran on every kernel.

    (* example filepath=test/compiler/codegen/link-code.mlir *)
  }];
  let options = [Option<"output", "output", "std::string", "\"\"", "folder that gets the code object as a file">];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::ROCDL::ROCDLDialect"];
}

#endif
