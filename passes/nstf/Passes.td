// Passes on whole models, in the order they run. File, class, flag and test share one name:
// FormKernels.cpp, FormKernelsPass, nstf-form-kernels, test/passes/nstf/form-kernels.mlir.
#ifndef NSTF_PASSES_NSTF_PASSES
#define NSTF_PASSES_NSTF_PASSES

include "mlir/Pass/PassBase.td"

def MaterializeRopeTablesPass : Pass<"nstf-materialize-rope-tables", "::mlir::ModuleOp"> {
  let summary = "gives every rope a table of cosines and sines";
  let description = [{
    A table is a computed weight, tensor<context x 2n x f32>, shared by all ropes of equal frequencies and scale, also
    with one that is there already. Without it a kernel would need sines of large angles, which the chip does not reduce.

    Precondition: ropes stand in the graph, not yet in kernels.
  }];
  let dependentDialects = ["::nstf::NSTFDialect"];
}

def FormKernelsPass : Pass<"nstf-form-kernels", "::mlir::ModuleOp"> {
  let summary = "groups a graph's operations into launches";
  let description = [{
    Every op becomes a kernel of its own, but for
    - elementwise ops, which join the kernel that makes one of their operands, if that value has no other use and the
      kernel has a slot for them: the `epilogue` of its anchor. If several operands offer one, the last wins, and the
      others come in as inputs. Anchors with an epilogue: `linear`, and a chain of elementwise ops.
    - a chain of elementwise ops, of which each result has one use: one kernel, which then joins another the same way.
    - `kv_append` of a `rope` with no other use, which joins it.

    A kernel's arguments are what its ops use from outside, its anchor's operands first. Its body holds the anchor, then
    the rest in their old order. Its name is that of its ops and a number: @linear_add_0. A step stands where the last op
    of its kernel stood, and has the location of the anchor: the name of the layer.

    Afterwards the graph holds `get`, `step` and `return` only, and every result of the graph is a result of a step,
    which no other result of the graph shares.

    Precondition: the graph holds operations of the nstf dialect only, and no kernels yet.
  }];
  let dependentDialects = ["::nstf::NSTFDialect"];
}

def DeduplicateKernelsPass : Pass<"nstf-deduplicate-kernels", "::mlir::ModuleOp"> {
  let summary = "equal kernels become one, so that equal layers are compiled once";
  let description = [{
    Kernels are equal when their types, attributes and bodies are, but for names and locations. The first one stays. Names
    that end in a number, as nstf-form-kernels makes them, are numbered anew without gaps.
  }];
}

def PlanMemoryPass : Pass<"nstf-plan-memory", "::mlir::ModuleOp"> {
  let summary = "gives every result of a step its place in one arena";
  let description = [{
    A result lives from its step to the last step that uses it. A leading `?` counts as `max-tokens` rows. Offsets are
    multiples of 256 bytes. Results of the graph (in output buffers) and states updated in place get -1. Writes `offsets`
    on the steps, and `nstf.arena_size` on the graph; passes/analysis/MemoryPlan.h has the algorithm.

    Precondition: nstf-form-kernels ran.
  }];
  let options = [Option<"maxTokens", "max-tokens", "int64_t", "0",
                        "rows of a step at most; 0: the module's nstf.max_tokens, or the graph's context">];
}

#endif
