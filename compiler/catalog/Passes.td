// Kernel selection as a pass: the kernels that a model needs on each target.
#ifndef NSTF_COMPILER_CATALOG_PASSES
#define NSTF_COMPILER_CATALOG_PASSES

include "mlir/Pass/PassBase.td"

def SelectKernelsPass : Pass<"nstf-select-kernels", "::mlir::ModuleOp"> {
  let summary = "adds, for each target, the kernels to compile, each with its template";
  let description = [{
    For each target the pass adds a module of the target's name beside the graph, with the chip's facts (`nstf.target`)
    and an `nstf.variant` for each kernel that the graph launches and each bucket of tokens
    (templates/tuning/buckets.yaml). A module without a graph gets variants of all its kernels.

    The variant holds an `nstf.part` for each part of the kernel, with the text of the template that the catalog chose
    and a copy of the part. The part's binding describes how the two fit; its choice records the tuning and the reasons.
    Buckets with equal choices share a variant if the kernel has one part.

    `max-tokens` is the number of rows of the largest step. If memory is planned (nstf-plan-memory), the module has this
    number (`nstf.max_tokens`), and the option can only reduce it.

    Preconditions: kernels are formed, and ropes have their tables.

    (* example filepath=test/compiler/catalog/select-kernels.mlir *)
  }];
  let options = [
    ListOption<"targets", "targets", "std::string", "names, aliases or .yaml files; none: gfx942">,
    Option<"maxTokens", "max-tokens", "int64_t", "0", "rows of the largest step; 0: the module's nstf.max_tokens">,
    Option<"oneBucket", "one-bucket", "bool", "false", "one kernel for every number of rows, chosen for the most">,
    Option<"batchInvariant", "batch-invariant", "bool", "false",
           "one row has the kernels of the next bucket, so a row's bits do not depend on the number of rows in it">,
    Option<"symbol", "symbol", "std::string", "\"\"", "of a module's only kernel; empty: <kernel>_t<rows>">,
    Option<"templates", "templates", "std::string", "\"\"", "folder of kernels and tuning of one's own">,
    ListOption<"tuning", "tuning", "std::string",
               "parameters and fields of the schedule over the catalog's, NAME=VALUE">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::nstf::NSTFDialect", "::nstf::systolic::SystolicDialect",
  ];
}

#endif
