// Passes on whole models, in the order they run. File, class, flag and test share one name:
// FormKernels.cpp, FormKernelsPass, nstf-form-kernels, test/passes/nstf/form-kernels.mlir.
#ifndef NSTF_PASSES_NSTF_PASSES
#define NSTF_PASSES_NSTF_PASSES

include "mlir/Pass/PassBase.td"

def BatchRequestsPass : Pass<"nstf-batch-requests", "::mlir::ModuleOp"> {
  let summary = "lets a step take rows of several requests";
  let description = [{
    Sets `requests` of the graph. Every `last_row`, and every value computed from it, gets a row for each request. The
    rows of a request are contiguous, with the request's own position and its own slot of the caches. With one request
    nothing changes.

    It is an error if the model has no cache, or has an operation that treats all rows of a step as one text: attention
    without a cache, first_row, mean_rows, tensor code.

    Precondition: operations are in the graph, not yet in kernels.
  }];
  let options = [Option<"requests", "requests", "int64_t", "1", "1 to 256">];
  let dependentDialects = ["::nstf::NSTFDialect"];
}

def SetPrecisionPass : Pass<"nstf-set-precision", "::mlir::ModuleOp"> {
  let summary = "stores the operands of matrix products in fewer bits";
  let description = [{
    With `type` f16 or bf16, the operands of every matrix product (`linear` and `attention`, as `MixedPrecisionOp`
    declares) get that type. Weights and caches are stored in the type if they have no other use. An activation gets one
    `convert` after its definition, shared by all products that read it. Tables of `embedding` and `add_positions` are
    stored in the type too. All arithmetic stays f32: sums of products, residuals, norms. With f32 nothing changes.

    Operands to which the model gives another type than f32 stay unchanged, and so do those of a product with the
    attribute `nstf.f32_product`.

    Precondition: operations are in the graph, not yet in kernels.
  }];
  let options = [Option<"type", "type", "::nstf::Precision", "::nstf::Precision::F32", "f32, f16 or bf16",
                        "::nstf::getPrecisionValues()">];
  let dependentDialects = ["::nstf::NSTFDialect"];
}

def QuantizeWeightsPass : Pass<"nstf-quantize-weights", "::mlir::ModuleOp"> {
  let summary = "stores the matrices of linears as codes of a few bits";
  let description = [{
    The weight of every `linear` becomes planes, which are weights too, and a `dequantize` of these planes. `format` is
    a name such as int8 or int4_g128_sym. Alternatively `plan` is a file with a format for each matrix, as `nstfc
    compress` writes it; only its formats are read, and f32, f16 and bf16 leave a matrix unchanged. Other readers of the
    weight, such as an embedding of tied weights, keep the original. The planes record their matrix and the source of
    its numbers; the numbers are rounded later, when the planes' bytes are written. Without `format` and `plan` nothing
    changes.

    Precondition: operations are in the graph, not yet in kernels.
  }];
  let options = [Option<"format", "format", "std::string", "", "int4, int5, int6 or int8, _g32, _g64 or _g128, _sym">,
                 Option<"plan", "plan", "std::string", "", "a plan.yaml: a format for each matrix">];
  let dependentDialects = ["::nstf::NSTFDialect"];
}

def QuantizeActivationsPass : Pass<"nstf-quantize-activations", "::mlir::ModuleOp"> {
  let summary = "quantises the activations that products of quantised matrices read";
  let description = [{
    The input of a `linear` is quantised at run time, with one scale for each row, if its matrix has codes of `type`
    with one scale for each row. The product then multiplies codes, and the scales multiply the sums. All linears that
    read a value share one `quantize` of it; a conversion in front of it is removed. Other linears stay unchanged; it is
    an error if no linear qualifies. Without `type` nothing changes.

    Preconditions: operations are in the graph, not yet in kernels; matrices are quantised.
  }];
  let options = [Option<"type", "type", "std::string", "", "i8 or e4m3fnuz">];
  let dependentDialects = ["::nstf::NSTFDialect"];
}

def QuantizeCachesPass : Pass<"nstf-quantize-caches", "::mlir::ModuleOp"> {
  let summary = "stores caches of keys and values as codes";
  let description = [{
    If `attention` is the only reader of the caches that its keys and values are appended to, rows are quantised before
    they are appended, with one scale for each row and head. Each cache becomes one of codes of `type`, and gets a
    second cache for its scales. A conversion before the append is removed. Other attention stays unchanged; it is an
    error if no attention over caches qualifies. Without `type` nothing changes.

    Precondition: operations are in the graph, not yet in kernels.
  }];
  let options = [Option<"type", "type", "std::string", "", "i8 or e4m3fnuz">];
  let dependentDialects = ["::nstf::NSTFDialect"];
}

def OrderCachesPass : Pass<"nstf-order-caches", "::mlir::ModuleOp"> {
  let summary = "stores caches of keys and values in the order of matrix operands";
  let description = [{
    If `attention` is the only reader of the caches that its keys and values, and the scales of codes, are appended to,
    the types of these caches get `#nstf.operand_order`. `kv_append` then writes in that order, and attention loads keys
    and values in the order in which matrix cores multiply them. Caches with other readers, a single cache of both keys
    and values, and caches with heads of more than 256 columns stay row by row.

    Precondition: operations are in the graph, not yet in kernels.
  }];
  let dependentDialects = ["::nstf::NSTFDialect"];
}

def MaterializeRopeTablesPass : Pass<"nstf-materialize-rope-tables", "::mlir::ModuleOp"> {
  let summary = "gives every rope a table of cosines and sines";
  let description = [{
    A table is a computed weight, tensor<context x 2n x f32>. All ropes of equal frequencies and scale share one table,
    which may exist already. Without the table a kernel would compute sines of large angles, for which the chip has no
    range reduction.

    Precondition: ropes are in the graph, not yet in kernels.
  }];
  let dependentDialects = ["::nstf::NSTFDialect"];
}

def NormalizeTensorOpsPass : Pass<"nstf-normalize-tensor-ops", "::mlir::ModuleOp"> {
  let summary = "rewrites all tensor code as linalg.generic";
  let description = [{
    Tensor code consists of the operations of a graph outside the nstf dialect. Named linalg ops (map, reduce,
    transpose, broadcast, fill, matmul, pooling …) and elementwise arith and math ops on tensors become linalg.generic.
    linalg.softmax is decomposed into generics. An `nstf.convert` of a value that tensor code computes becomes tensor
    code. A graph without tensor code stays unchanged.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect", "::nstf::NSTFDialect"];
}

def FormTensorKernelsPass : Pass<"nstf-form-tensor-kernels", "::mlir::ModuleOp"> {
  let summary = "moves tensor code into kernels";
  let description = [{
    A tensor is stored, and computed by a kernel of its own, if an nstf op or the graph's return uses it, or if it is
    computed (not merely moved by slices, reshapes, concatenations, transposes, broadcasts) and some element of it is
    read more than once: by several uses, a broadcast, a gather. A reduction is also stored unless only elementwise code
    reads it. Every other tensor is computed where it is read, more than once if necessary.

    A kernel holds the ops between its inputs and its one result; a kernel of a linalg.generic of several results
    returns one of them. Its name is @tensor_ and a number. Afterwards the graph holds only nstf ops, some of them
    steps.

    Every `?` must be the tokens of the step. It is an error, reported at the op, if the generic template cannot compute
    an op.

    Precondition: nstf-normalize-tensor-ops ran.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect", "::nstf::NSTFDialect"];
}

def FormKernelsPass : Pass<"nstf-form-kernels", "::mlir::ModuleOp"> {
  let summary = "groups a graph's operations into launches";
  let description = [{
    Every op becomes a kernel of its own, with these exceptions:
    - An elementwise op joins the kernel that computes one of its operands, if that value has no other use and the
      kernel has a slot for it: the `epilogue` of its anchor. If several operands qualify, the op joins the kernel of
      the last one, and the others become inputs. These anchors have an epilogue: `linear`, `embedding`, the norms,
      `mean_rows`, and a chain of elementwise ops. `add_positions` counts as elementwise in its first operand, but does
      not join a norm of heads.
    - A chain of elementwise ops, in which each result has one use, becomes one kernel, which may then join another one
      in the same way.
    - A `convert` of a value with no other use joins the kernel that computes the value, whose store then converts.
    - A `kv_append` of a `rope` with no other use joins its kernel.
    - An op that decodes (`DecodeOp`) is copied into the kernel of each reader.
    - With `pairs`, two `linear` of the same x without a bias share a kernel if their matrices have the same type and
      format, and one elementwise op reads both results. That op joins the slot, so the first result is not stored.

    A kernel's arguments are the values from outside that its ops use, the anchor's operands first. Its body holds the
    ops that decode operands of the anchor, the anchor, then the remaining ops in their old order. Its name is made of
    its ops' names and a number: @linear_add_0. The step takes the place of the last op of the kernel, and the location
    of the anchor, which is the name of the layer.

    Afterwards the graph holds only `get`, `step` and `return`. Every result of the graph is a result of a step, and no
    two results of the graph are the same value.

    Existing launches of tensor code stay unchanged.

    Precondition: the graph holds operations of the nstf dialect only.
  }];
  let options = [Option<"pairs", "pairs", "bool", "true",
                        "two products of one x that one operation reads share a kernel">];
  let dependentDialects = ["::nstf::NSTFDialect"];
}

def JoinKernelsPass : Pass<"nstf-join-kernels", "::mlir::ModuleOp"> {
  let summary = "joins independent launches to one";
  let description = [{
    The depth of a launch is one more than that of the deepest launch whose results it needs. Launches of equal depth
    are independent: they become one step of one kernel with each of them as a part (KernelOp::getParts). For example,
    all products of one row matrix become one launch, and so do the ropes and appends of their results. The numbers do
    not change. A launch has at most 15 buffers, because the addresses of more would take too many scalar registers.

    BEFORE
    ```mlir
    %q = nstf.step @linear_0(%x, %wq) : (tensor<?x64xf32>, tensor<64x64xf32>) -> tensor<?x64xf32>
    %k = nstf.step @linear_1(%x, %wk) : (tensor<?x64xf32>, tensor<32x64xf32>) -> tensor<?x32xf32>
    ```
    AFTER
    ```mlir
    %q, %k = nstf.step @linear_linear_0(%x, %wq, %wk) : (…) -> (tensor<?x64xf32>, tensor<?x32xf32>)
    ```

    Precondition: nstf-form-kernels ran.
  }];
  let dependentDialects = ["::nstf::NSTFDialect"];
}

def DeduplicateKernelsPass : Pass<"nstf-deduplicate-kernels", "::mlir::ModuleOp"> {
  let summary = "merges equal kernels, so that equal layers are compiled once";
  let description = [{
    Kernels are equal if their types, attributes and bodies are equal; names and locations may differ. The first one is
    kept. Names that end in a number, as nstf-form-kernels makes them, are renumbered without gaps. The location of a
    kernel that replaces several names their number: "model.layers.0.mlp.up_proj and 4 more".
  }];
}

def PlanMemoryPass : Pass<"nstf-plan-memory", "::mlir::ModuleOp"> {
  let summary = "assigns every result of a step an offset in one arena";
  let description = [{
    A result is live from its step to the last step that uses it. A leading `?` counts as `max-tokens` rows. Offsets are
    multiples of 256 bytes. Results of the graph (in output buffers) and states updated in place get -1. The pass writes
    `offsets` on the steps and `nstf.arena_size` on the graph; passes/analysis/MemoryPlan.h describes the algorithm. The
    plan is verified (passes/nstf/ArenaValues.h), and again by nstf-select-kernels, because it may have been edited: no
    two values that are live at the same time share bytes, and a state is updated in place only if no later step needs
    its old value.

    Precondition: nstf-form-kernels ran.
  }];
  let options = [Option<"maxTokens", "max-tokens", "int64_t", "0",
                        "rows of a step at most; 0: the module's nstf.max_tokens, or the graph's context">];
}

#endif
