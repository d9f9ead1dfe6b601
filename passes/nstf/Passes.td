// Passes on whole models, in the order they run. File, class, flag and test share one name:
// FormKernels.cpp, FormKernelsPass, nstf-form-kernels, test/passes/nstf/form-kernels.mlir.
#ifndef NSTF_PASSES_NSTF_PASSES
#define NSTF_PASSES_NSTF_PASSES

include "mlir/Pass/PassBase.td"

def BatchRequestsPass : Pass<"nstf-batch-requests", "::mlir::ModuleOp"> {
  let summary = "lets a step take rows of several requests";
  let description = [{
    The graph gets `requests`, every `last_row` a row for each of them, and so does what is computed of these. Rows of a
    request stand one behind the other, with a position and a slot of the caches of their own. Of one request nothing
    changes.

    An error where the model has no cache, or an operation that takes all rows of a step as those of one text: attention without a
    cache, first_row, mean_rows, tensor code.

    Precondition: operations stand in the graph, not yet in kernels.
  }];
  let options = [Option<"requests", "requests", "int64_t", "1", "1 to 256">];
  let dependentDialects = ["::nstf::NSTFDialect"];
}

def MaterializeRopeTablesPass : Pass<"nstf-materialize-rope-tables", "::mlir::ModuleOp"> {
  let summary = "gives every rope a table of cosines and sines";
  let description = [{
    A table is a computed weight, tensor<context x 2n x f32>, shared by all ropes of equal frequencies and scale, also
    with one that is there already. Without it a kernel would need sines of large angles, which the chip does not reduce.

    Precondition: ropes stand in the graph, not yet in kernels.
  }];
  let dependentDialects = ["::nstf::NSTFDialect"];
}

def SetPrecisionPass : Pass<"nstf-set-precision", "::mlir::ModuleOp"> {
  let summary = "lets memory hold the operands of matrix products in fewer bits";
  let description = [{
    With `type` f16 or bf16, the operands of every matrix product (`linear`, `attention`; `MixedPrecisionOp` says it) become of that type: weights and caches where
    nothing else uses them, activations by a `convert` behind what makes them, one for all products that read it. Tables
    that `embedding` and `add_positions` read are held in the type too. All arithmetic stays f32: sums of products,
    residuals, norms. With f32 nothing changes.

    Operands that have another type than f32 already, because the model says so, stay as they are, and so do those of a
    product with the attribute `nstf.f32_product`.

    Precondition: operations stand in the graph, not yet in kernels.
  }];
  let options = [Option<"type", "type", "::nstf::Precision", "::nstf::Precision::F32", "f32, f16 or bf16",
                        "::nstf::getPrecisionValues()">];
  let dependentDialects = ["::nstf::NSTFDialect"];
}

def QuantizeWeightsPass : Pass<"nstf-quantize-weights", "::mlir::ModuleOp"> {
  let summary = "lets memory hold the matrices of linears as codes of a few bits";
  let description = [{
    The weight of every `linear` becomes planes, weights of their own, and a `dequantize` of them: `format` is a name like
    int8 or int4_g128_sym, or `plan` is a file that has one for each, as `nstfc compress` writes it; of that only formats
    are read, f32, f16 and bf16 leave a matrix as it is. What reads the weight otherwise, an embedding of tied weights, keeps
    it. The planes say which matrix they are of, and where its numbers are; rounding is for whoever writes their bytes.
    Without a format and a plan nothing changes.

    Precondition: operations stand in the graph, not yet in kernels.
  }];
  let options = [Option<"format", "format", "std::string", "", "int4, int5, int6 or int8, _g32, _g64 or _g128, _sym">,
                 Option<"plan", "plan", "std::string", "", "a plan.yaml: a format for each matrix">];
  let dependentDialects = ["::nstf::NSTFDialect"];
}

def QuantizeActivationsPass : Pass<"nstf-quantize-activations", "::mlir::ModuleOp"> {
  let summary = "lets products of quantised matrices read rows as codes too";
  let description = [{
    What a `linear` reads is quantised, each row with a scale of its own that is found when it runs, where the matrix is in
    codes of `type` with one scale a row: then codes are multiplied, and scales are the sums'. All linears that read a value
    share one `quantize` of it; a conversion before it is left out. Other linears stay as they are; that there is
    none is an error. Without a type nothing changes.

    Precondition: operations stand in the graph, not yet in kernels; matrices are quantised.
  }];
  let options = [Option<"type", "type", "std::string", "", "i8 or e4m3fnuz">];
  let dependentDialects = ["::nstf::NSTFDialect"];
}

def QuantizeCachesPass : Pass<"nstf-quantize-caches", "::mlir::ModuleOp"> {
  let summary = "lets caches of keys and values hold codes";
  let description = [{
    Where `attention` alone reads the caches that its keys and values are appended to, rows are quantised before they are
    appended, each head of them with a scale of its own, and beside each cache, which becomes one of codes of `type`, there
    is one of scales. A conversion before the append is left out. Other attention stays as it is; that there is none over
    caches is an error. Without a type nothing changes.

    Precondition: operations stand in the graph, not yet in kernels.
  }];
  let options = [Option<"type", "type", "std::string", "", "i8 or e4m3fnuz">];
  let dependentDialects = ["::nstf::NSTFDialect"];
}

def OrderCachesPass : Pass<"nstf-order-caches", "::mlir::ModuleOp"> {
  let summary = "lets caches of keys and values lie in the order of matrix operands";
  let description = [{
    Where `attention` alone reads the caches that its keys and values are appended to, and of codes those of their scales,
    the caches' types get `#nstf.operand_order`: what appends writes that order, and attention takes keys and values from
    memory as matrix cores multiply them. Caches that something else reads, one cache of keys and values, and heads of more
    than 256 columns stay row by row.

    Precondition: operations stand in the graph, not yet in kernels.
  }];
  let dependentDialects = ["::nstf::NSTFDialect"];
}

def NormalizeTensorOpsPass : Pass<"nstf-normalize-tensor-ops", "::mlir::ModuleOp"> {
  let summary = "one way to write tensor code: linalg.generic";
  let description = [{
    Tensor code is what of a graph is not in the nstf dialect. Named linalg ops (map, reduce, transpose, broadcast, fill,
    matmul, pooling …) and elementwise arith and math ops on tensors become linalg.generic; linalg.softmax becomes the
    generics it is made of, and an `nstf.convert` of what tensor code computes becomes tensor code. A graph without tensor
    code stays as it is.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
                           "::mlir::tensor::TensorDialect", "::nstf::NSTFDialect"];
}

def FormTensorKernelsPass : Pass<"nstf-form-tensor-kernels", "::mlir::ModuleOp"> {
  let summary = "moves tensor code into kernels";
  let description = [{
    A tensor is stored, and the kernel that makes it is a kernel of its own, if an nstf op or the graph's return uses it,
    or if it is computed (not merely moved: slices, reshapes, concatenations, transposes, broadcasts) and some element of
    it is read more than once: several uses, a broadcast, a gather. A reduction is stored too unless elementwise code
    alone reads it. All else is computed where it is read, also twice.

    A kernel holds the ops between its inputs and its one result; a kernel of a linalg.generic of several results returns
    one of them. Its name is @tensor_ and a number. Afterwards the graph holds nstf ops only, some of them steps.

    Every `?` must mean the tokens of the step. What the generic template cannot compute is an error at the op.

    Precondition: nstf-normalize-tensor-ops ran.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect", "::nstf::NSTFDialect"];
}

def FormKernelsPass : Pass<"nstf-form-kernels", "::mlir::ModuleOp"> {
  let summary = "groups a graph's operations into launches";
  let description = [{
    Every op becomes a kernel of its own, but for
    - elementwise ops, which join the kernel that makes one of their operands, if that value has no other use and the
      kernel has a slot for them: the `epilogue` of its anchor. If several operands offer one, the last wins, and the
      others come in as inputs. Anchors with an epilogue: `linear`, `embedding`, the norms, `mean_rows`, and a chain of
      elementwise ops. `add_positions` counts as elementwise in its first operand, but does not join a norm of heads.
    - a chain of elementwise ops, of which each result has one use: one kernel, which then joins another the same way.
    - `convert` of a value with no other use, which joins the kernel that makes it: its store converts.
    - `kv_append` of a `rope` with no other use, which joins it.
    - ops that decode (`DecodeOp`): each reader's kernel has its own.
    - with `pairs`, two `linear` of one x without a bias, whose matrices have one type and format and whose results one
      elementwise op reads: it has both in its slot, so that the first isn't stored.

    A kernel's arguments are what its ops use from outside, its anchor's operands first. Its body holds what
    decodes operands of the anchor, the anchor, then the rest in their old order. Its name is that of its ops and a number: @linear_add_0. A step stands where the last op
    of its kernel stood, and has the location of the anchor: the name of the layer.

    Afterwards the graph holds `get`, `step` and `return` only, and every result of the graph is a result of a step,
    which no other result of the graph shares.

    Launches that are there already, of tensor code, stay.

    Precondition: the graph holds operations of the nstf dialect only.
  }];
  let options = [Option<"pairs", "pairs", "bool", "true", "two products of one x that one operation reads share a kernel">];
  let dependentDialects = ["::nstf::NSTFDialect"];
}

def JoinKernelsPass : Pass<"nstf-join-kernels", "::mlir::ModuleOp"> {
  let summary = "launches that need nothing of each other become one";
  let description = [{
    A launch stands behind all whose results it needs. Those that stand equally far behind the beginning of a step compute
    side by side: they become one step of one kernel, each of them a part of it (KernelOp::getParts). So products of one
    row matrix are one launch, and so is what turns and appends their results. Numbers are those of the kernels alone.
    A launch has at most 15 buffers: with more, their addresses alone would be too many scalar registers.

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
  let summary = "equal kernels become one, so that equal layers are compiled once";
  let description = [{
    Kernels are equal when their types, attributes and bodies are, but for names and locations. The first one stays. Names
    that end in a number, as nstf-form-kernels makes them, are numbered anew without gaps. The name in the location of one
    that stands for several says so: "model.layers.0.mlp.up_proj and 4 more".
  }];
}

def PlanMemoryPass : Pass<"nstf-plan-memory", "::mlir::ModuleOp"> {
  let summary = "gives every result of a step its place in one arena";
  let description = [{
    A result lives from its step to the last step that uses it. A leading `?` counts as `max-tokens` rows. Offsets are
    multiples of 256 bytes. Results of the graph (in output buffers) and states updated in place get -1. Writes `offsets`
    on the steps, and `nstf.arena_size` on the graph; passes/analysis/MemoryPlan.h has the algorithm. What it leaves is
    verified (passes/nstf/ArenaValues.h), and again by nstf-select-kernels, since it may have been edited: no two values
    share bytes while both live, and what is written in place is a state that nothing else needs as it was.

    Precondition: nstf-form-kernels ran.
  }];
  let options = [Option<"maxTokens", "max-tokens", "int64_t", "0",
                        "rows of a step at most; 0: the module's nstf.max_tokens, or the graph's context">];
}

#endif
