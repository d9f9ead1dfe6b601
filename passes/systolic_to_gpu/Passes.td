// From the systolic dialect to the input of code generation, in the order the passes run.
#ifndef NSTF_PASSES_SYSTOLIC_TO_GPU
#define NSTF_PASSES_SYSTOLIC_TO_GPU

include "mlir/Pass/PassBase.td"

def LowerKernelsPass : Pass<"systolic-to-gpu-lower-kernels"> {
  let summary = "lowers a tile program to a gpu.func on per-lane vectors";
  let description = [{
    Only this pass depends on how the kernel is launched. The work item is the workgroup's id, buffers become pointers
    to global memory in their order, and LDS arrays become workgroup memory. Attributes record the launch:
    - `systolic.launch` on the function gives the binding of each argument;
    - `systolic.last_round` on a kernel with products gives the first workgroup of the last round, which no other
      workgroup follows on its compute unit, if a compute unit holds one workgroup at a time and the grid size is known
      at compile time;
    - `systolic.products` marks loops of products.

    A tile becomes one flat vector in each lane, with register r of its layout as element r; elementwise ops and loops
    keep their form. Loads and stores become raw buffer accesses, whose range check handles the bounds: if an element is
    out of bounds in an inner dimension or past a limit, its index is set past the end of the buffer. A
    `systolic.overlap` keeps its regions for systolic-to-gpu-merge-overlaps. A buffer with `systolic.per_token` becomes
    a memref of the launch's size, computed from the control block's tokens. In a kernel with `requests` the workgroup's
    number determines the request it serves, and buffers begin at the request's part.

    Preconditions: slots are inlined, layouts are assigned, scratch is allocated; one kernel in the module or nstf.part.
  }];
  let dependentDialects = [
    "::mlir::amdgpu::AMDGPUDialect", "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::ROCDL::ROCDLDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
  ];
}

def MergeOverlapsPass : Pass<"systolic-to-gpu-merge-overlaps"> {
  let summary = "merges the parts of overlaps to one stream of instructions";
  let description = [{
    The instructions of a `systolic.overlap`'s parts are merged evenly: the next instruction comes from the part that
    has completed the smallest share of its clocks. An instruction counts with the clocks for which it occupies its pipe
    on the chip (passes/analysis/Costs.h): a matrix core, a port of the LDS, or the path from the L1 to registers or
    directly to LDS. The clocks of a pipe that several SIMDs share count for each of them. Products cover the latency of
    an LDS access in front of a barrier (`lds_cover_clocks`), and the barrier itself (`barrier_cover_clocks`). Loads
    from the same cache line stay together. A scheduling barrier for the back end follows each of these instructions, so
    that the object has this order.

    Preconditions: `systolic-to-gpu-lower-kernels` was run; a loop with overlaps has its plan (systolic-plan-loops).
  }];
  let dependentDialects = ["::mlir::amdgpu::AMDGPUDialect"];
}

def CarryWordsPass : Pass<"systolic-to-gpu-carry-words"> {
  let summary = "carries narrow elements through loops and branches as words";
  let description = [{
    LLVM has no vectors of 8-bit or 16-bit elements that are wider than 512 bits. If a loop carries such a vector, or a
    branch returns it, LLVM extracts and reassembles its elements one by one, and for a tile in flight from memory this
    waits for the load. The pass carries such vectors in parts of 16 bytes, as vectors of 4 words, which is the result
    of one load. Narrower vectors that a loop assembles from single elements are carried element by element, because
    packing them would wait for all elements.

    Precondition: `systolic-to-gpu-lower-kernels` was run.

    (* example filepath=test/passes/systolic_to_gpu/carry-words.mlir *)
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

def FetchCodePass : Pass<"systolic-to-gpu-fetch-code"> {
  let summary = "prefetches a kernel's code into the L2";
  let description = [{
    A kernel begins with a load from its own code: each lane loads one word of one L2 cache line. Without this load,
    cold code arrives line by line when a wave reaches it, because a launch may find none of it in the L2 of an XCD. One
    load touches every line, so the latency to memory is paid once; later instruction-cache misses go no further than
    the L2. The buffer descriptor ends with the code. The loaded values are discarded before the first barrier. A loop
    of products (`systolic.products`) fills the L2 with other lines, so the code behind the loop is loaded again there.

    Precondition: `systolic-to-gpu-lower-kernels` was run, so a module has one function.

    (* example filepath=test/passes/systolic_to_gpu/fetch-code.mlir *)
  }];
  let dependentDialects = ["::mlir::amdgpu::AMDGPUDialect", "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::ROCDL::ROCDLDialect"];
}

def IssueStoresPass : Pass<"systolic-to-gpu-issue-stores"> {
  let summary = "stores parts of results while others are still moved through LDS";
  let description = [{
    Results that go through LDS in parts (`systolic-widen-stores`) are stored in parts: the stores of one part are
    placed and pinned behind the LDS reads of the next part, which cover the latency that the stores wait for. Otherwise
    LLVM would do all the LDS accesses first, while memory is idle. Computations on results, such as rounding, are done
    when a part is written. A store moves across no operation that accesses memory.

    Lowering marks the start of a part by an `amdgpu.sched_barrier` with `systolic.part`, which this pass removes.
    Stores of results without such marks stay in place.

    (* example filepath=test/passes/systolic_to_gpu/issue-stores.mlir *)
  }];
  let dependentDialects = ["::mlir::amdgpu::AMDGPUDialect", "::mlir::vector::VectorDialect"];
}

def JoinPartsPass : Pass<"systolic-to-gpu-join-parts", "::nstf::VariantOp"> {
  let summary = "joins the functions of a variant's parts to one function";
  let description = [{
    The workgroups of a launch are divided among the parts in order: the first part gets as many as it needs in the
    largest step of the variant, and so on. Each workgroup branches once, on its number, to its part. The arguments of
    the parts follow each other; all parts share the control block. The LDS arrays of all parts share the same memory. A
    workgroup has as many waves as the part with the most waves; in other parts the excess waves end at once.
    `systolic.launch` of the function, and of the variant, maps the arguments to the kernel's operands and results. The
    function of a single part stays unchanged.

    Preconditions: systolic-to-gpu-lower-kernels ran on every part; a variant of several parts has one range of tokens.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def ConvertGPUToROCDLPass : Pass<"systolic-to-gpu-convert-gpu-to-rocdl", "::mlir::gpu::GPUModuleOp"> {
  let summary = "converts gpu, vector, memref, math and amdgpu operations to LLVM and ROCDL, without any library call";
  let description = [{
    Like upstream's `convert-gpu-to-rocdl`, with these differences:

    - exp2, log2, sin, cos, floor, ceil, rsqrt and similar functions become LLVM intrinsics that the AMDGPU back end
      selects itself, instead of calls of ROCm's device library.
    - The chip comes from the attribute `nstf.target` around the module.
    - Operations on which LLVM would abort are errors: a matrix instruction that the chip's row does not list, and a
      math function or element type that no instruction computes.
    - Workgroup memory is aligned to 16 bytes, so that 128-bit LDS accesses can be used.
    - Arguments of kernels are `inreg`: the launch preloads as many of them as there are free scalar registers.
    - Any remaining operation outside LLVM and ROCDL is an error that names the operation.

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

def StoreThroughPass : Pass<"systolic-to-gpu-store-through", "::mlir::gpu::GPUModuleOp"> {
  let summary = "stores results to memory, past the L2, while the kernel runs";
  let description = [{
    On a chip with several L2s, the end of a kernel writes back all modified lines of the L2s, and the next kernel waits
    for that. The pass gives stores of a dword or more in each lane device scope (`sc1`), so they pass the L2 and reach
    memory while the kernel is still running. The cost: a later kernel does not find the results in the L2 of the XCD
    that wrote them, but further away, where every other XCD must fetch them anyway. With one L2 nothing changes.

    If another workgroup follows on the same compute unit, a workgroup stores into the L2 instead, which takes results
    faster than memory. Its registers are then free for the next workgroup sooner, and results that do not fit into the
    L2 go to memory during the next workgroup's products. `systolic.last_round` on the function gives the first
    workgroup without a successor. A branch around up to eight stores selects between the two.

    Precondition: `systolic-to-gpu-convert-gpu-to-rocdl` was run.

    (* example filepath=test/passes/systolic_to_gpu/store-through.mlir *)
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::ROCDL::ROCDLDialect"];
}

def AttachDebugInfoPass : Pass<"systolic-to-gpu-attach-debug-info"> {
  let summary = "turns locations into debug information: the layer, the line of the model, the line of the template";
  let description = [{
    Every llvm.func gets a subprogram. Its name is the layer's if the function's location has one (else the symbol), and
    its line is that of the model. A line of the kernel template becomes a function inlined into it, named after the
    template's file. An operation that fusion put into a slot becomes a function of its own name, inlined into the
    template where the slot is called. A debugger, a symboliser or the emulator then shows, from the inside out:

        model.layers.0.mlp_residual    templates/models/llama.yaml:100
        matmul                         templates/kernels/matmul.mlir:55
        model.layers.0.mlp.down_proj   templates/models/llama.yaml:99

    The pass adds only line tables and names of functions, no variables and no types. An operation with an unknown
    location gets the kernel's. Functions that have a subprogram stay unchanged.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // NSTF_PASSES_SYSTOLIC_TO_GPU
