// The passes of this folder: from the systolic dialect to what the code generator takes. Keep alphabetical.
#ifndef NSTF_PASSES_SYSTOLIC_TO_GPU
#define NSTF_PASSES_SYSTOLIC_TO_GPU

include "mlir/Pass/PassBase.td"

def AttachDebugInfoPass : Pass<"systolic-to-gpu-attach-debug-info"> {
  let summary = "locations become debug information: which layer, which line of the model, which line of the template";
  let description = [{
    Every llvm.func gets a subprogram: its name is the layer's where the function's location has one (else the symbol),
    its line the model's. A line of the kernel template is a function inlined into it, named after the template's file;
    an operation that fusion put into a slot is a function of its own name, inlined into the template where the slot is
    called. So a debugger, a symboliser or the emulator shows, from the inside out:

        model.layers.0.mlp_residual    templates/models/llama.yaml:100
        matmul                         templates/kernels/matmul.mlir:55
        model.layers.0.mlp.down_proj   templates/models/llama.yaml:99

    Only line tables and names of functions are made; no variables, no types. An operation of unknown place gets the
    kernel's. Functions that have a subprogram stay as they are.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def ConvertGPUToROCDLPass : Pass<"systolic-to-gpu-convert-gpu-to-rocdl", "::mlir::gpu::GPUModuleOp"> {
  let summary = "gpu, vector, memref, math and amdgpu operations to the LLVM and ROCDL dialects, without any library call";
  let description = [{
    What upstream's `convert-gpu-to-rocdl` does, with these differences:

    - exp2, log2, sin, cos, floor, ceil, rsqrt and their like become LLVM intrinsics that the AMDGPU back end selects by
      itself, not calls of ROCm's device library.
    - The chip comes from the attribute `nstf.target` around the module.
    - What LLVM would abort on is an error here: a matrix instruction that the chip's row does not list, and a math
      function or element type that no instruction computes.
    - Workgroup memory is aligned to 16 bytes, so that 128-bit LDS accesses can be used.
    - Arguments of kernels are `inreg`: the launch preloads as many as scalar registers are left for.
    - Whatever is not LLVM or ROCDL afterwards is an error that names the operation.

    Preconditions: `expand-strided-metadata`, `lower-affine` and `convert-scf-to-cf` were run; kernel arguments are
    memrefs of static shape (they become bare pointers) or scalars; `known_block_size` is on every kernel.

    (* example filepath=test/passes/systolic_to_gpu/convert-gpu-to-rocdl.mlir *)
  }];
  let options = [
    Option<"indexBitwidth", "index-bitwidth", "unsigned", "32",
           "bits of index: 32 makes offsets cheap and allows buffers of less than 2^31 elements">,
  ];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::ROCDL::ROCDLDialect", "::mlir::amdgpu::AMDGPUDialect",
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect", "::mlir::memref::MemRefDialect",
    "::mlir::ub::UBDialect", "::mlir::vector::VectorDialect",
  ];
}

def CarryWordsPass : Pass<"systolic-to-gpu-carry-words"> {
  let summary = "what loops and branches give of narrow elements is words";
  let description = [{
    LLVM has no vectors of elements of 8 or 16 bits that are wider than 512 bits: of those that a loop carries or a branch
    gives it takes elements out one by one and puts them together again, which for a tile that is on its way from memory is a
    wait for it. Here they come by 16 bytes, as vectors of 4 words, which is what a load gives. Of narrower vectors those
    that a loop puts together of single elements are carried element by element: to pack them, it would wait for them.

    Precondition: `systolic-to-gpu-lower-kernels` was run.

    (* example filepath=test/passes/systolic_to_gpu/carry-words.mlir *)
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def FetchCodePass : Pass<"systolic-to-gpu-fetch-code"> {
  let summary = "a kernel's code is on its way to the L2 before it is wanted";
  let description = [{
    A kernel begins with a load from its own code, a word of each line of the L2, a line a lane.
    Cold code comes line by line, each when a wave gets there, and a launch may find none of it in the L2 of an XCD; so the
    way to memory is gone once, for all lines together, and what is left for the instruction cache is the way to the L2.
    The buffer ends where the code does. What is loaded is let go before the first barrier.
    A loop of products (`systolic.products`) fills the L2 with other lines, so what is behind it is loaded again there.

    Precondition: `systolic-to-gpu-lower-kernels` was run, so a module has one function.

    (* example filepath=test/passes/systolic_to_gpu/fetch-code.mlir *)
  }];
  let dependentDialects = ["::mlir::amdgpu::AMDGPUDialect", "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::ROCDL::ROCDLDialect"];
}

def IssueStoresPass : Pass<"systolic-to-gpu-issue-stores"> {
  let summary = "results leave while others are still on their way through LDS";
  let description = [{
    Results that go through LDS part by part (`systolic-widen-stores`) leave part by part: the stores of one stand behind
    the reads of the next, which cover what they wait for, and are pinned there. Else LLVM does all that is to be done in LDS
    first, and memory stands idle until then. What is computed of results, like their rounding, is done for a part when it is
    written. A store goes past nothing that accesses memory.

    Where a part begins, lowering says: an `amdgpu.sched_barrier` with `systolic.part`, which this pass takes away. Stores
    of what has none stay.

    (* example filepath=test/passes/systolic_to_gpu/issue-stores.mlir *)
  }];
  let dependentDialects = ["::mlir::amdgpu::AMDGPUDialect", "::mlir::vector::VectorDialect"];
}

def JoinPartsPass : Pass<"systolic-to-gpu-join-parts", "::nstf::VariantOp"> {
  let summary = "the functions of a variant's parts become one";
  let description = [{
    The workgroups of a launch are shared out among the parts in their order: the first as many as the first part has in
    the largest step of the variant, and so on; which part a workgroup computes is all that it asks. Arguments of one part stand
    behind those of another; the control block is one for all. The LDS arrays of one part lie where those of another do. A workgroup has the waves of the part that
    has the most of them; the others end at once where a part has fewer. `systolic.launch` of the function, and of the
    variant, says what its arguments are, with the kernel's operands and results. The function of a single part stays as it is.

    Precondition: systolic-to-gpu-lower-kernels ran on every part; a variant of several parts is for one range of tokens.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def LowerKernelsPass : Pass<"systolic-to-gpu-lower-kernels"> {
  let summary = "a tile program becomes a gpu.func on per-lane vectors";
  let description = [{
    The one place that knows who launches: the work item is the workgroup's id, buffers become pointers to global memory
    in their order, LDS arrays workgroup memory; `systolic.launch` on the function says what they are, and `systolic.last_round` of a kernel
    with products which workgroup is the first that none follows on its compute unit, where there is one;
    `systolic.products` marks loops of products. A tile becomes one flat vector per lane, register r of its layout at
    element r; elementwise ops and loops carry over as they are. Loads and stores are raw buffer accesses, whose range
    check does the bounds: where an element is outside in an inner dimension or past a limit, its index is made one past
    the end. A `systolic.overlap` keeps its regions, for systolic-to-gpu-merge-overlaps. A buffer with `systolic.per_token` becomes a memref of the launch's
    size, made from the control block's tokens. In a kernel with `requests` the workgroup's number says which request it
    serves, and buffers begin where the request's part does.

    Preconditions: slots are inlined, layouts are assigned, scratch is allocated; one kernel in the module or nstf.part.
  }];
  let dependentDialects = [
    "::mlir::amdgpu::AMDGPUDialect", "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::mlir::ROCDL::ROCDLDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect",
  ];
}

def MergeOverlapsPass : Pass<"systolic-to-gpu-merge-overlaps"> {
  let summary = "parts that flow side by side become one stream of instructions";
  let description = [{
    The instructions of a `systolic.overlap`'s parts are merged evenly: next comes the part that has done the smallest
    share of its clocks. What an instruction counts is what it holds its pipe for, by the chip (passes/analysis/Costs.h): a
    matrix core, a port of the LDS, the way from the L1 to registers or past them to LDS; what several SIMDs share counts
    for each of them. Before a barrier products go by for as long as an LDS access takes (`lds_cover_clocks`), and beside it
    for `barrier_cover_clocks`. Loads from the same cache line stay together. After each of them stands a barrier for the
    back end's scheduler, so that the order in the object is this one.

    Preconditions: `systolic-to-gpu-lower-kernels` was run; a loop with overlaps has its plan (systolic-plan-loops).
  }];
  let dependentDialects = ["::mlir::amdgpu::AMDGPUDialect"];
}

def StoreThroughPass : Pass<"systolic-to-gpu-store-through", "::mlir::gpu::GPUModuleOp"> {
  let summary = "results go on to memory while the kernel runs";
  let description = [{
    Where a chip has several L2s, a kernel's end writes back all that they hold changed, and the next kernel waits for
    it. Stores of a dword or more a lane get device scope (`sc1`): they pass the L2 on to memory, beside what else the
    kernel does. What it costs: a later kernel finds none of it in the L2 of the XCD that wrote it, but further away,
    where every other XCD has to look anyway. With one L2 nothing changes.

    Workgroups that others follow on their compute unit (`systolic.last_round` on the function says from which on there are
    none) store into the L2, which takes results faster than memory: their registers are free for the next sooner, and what
    does not fit goes on to memory during its products. Which way is a branch around up to eight stores.

    Precondition: `systolic-to-gpu-convert-gpu-to-rocdl` was run.

    (* example filepath=test/passes/systolic_to_gpu/store-through.mlir *)
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::ROCDL::ROCDLDialect"];
}

#endif // NSTF_PASSES_SYSTOLIC_TO_GPU
