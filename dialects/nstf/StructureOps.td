// The structure of a module: one graph, its weights and states, and the kernels that passes form and the graph
// launches.
#ifndef NSTF_STRUCTURE_OPS
#define NSTF_STRUCTURE_OPS

include "dialects/nstf/Attrs.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

defvar NSTF_FunctionArguments = (ins
    SymbolNameAttr:$sym_name,
    TypeAttrOf<FunctionType>:$function_type,
    OptionalAttr<StrAttr>:$sym_visibility,
    OptionalAttr<DictArrayAttr>:$arg_attrs,
    OptionalAttr<DictArrayAttr>:$res_attrs);

class NSTF_FunctionOp<string mnemonic, list<Trait> traits = []>
    : NSTF_Op<mnemonic, !listconcat(traits, [IsolatedFromAbove, FunctionOpInterface, OpAsmOpInterface])> {
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  code functionDeclarations = [{
    /// FunctionOpInterface and CallableOpInterface.
    llvm::ArrayRef<mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    llvm::ArrayRef<mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    mlir::Region *getCallableRegion() { return &getBody(); }
    /// The terminator. Precondition: the op verifies.
    nstf::ReturnOp getReturn();
  }];
}

def NSTF_GraphOp : NSTF_FunctionOp<"graph"> {
  let summary = "one step of a model, from its inputs to its outputs";
  let description = [{
    Before nstf-form-kernels the body holds the operations of the model; afterwards it holds only `get`, `step` and
    `return`.

    - C1: the body is one block.
    - C2: every argument and result has an attribute `nstf.name`, and no two arguments or two results share one.
    - C3: arguments and results are ranked tensors of rank 1 or more, static but for the leading dimension.
    - C4: `context`, the number of positions a run can have, is > 0.
    - C5: a cache that `kv_append` writes in place is a state or an argument, has no other use, and no other `get`.
    - C6: it is the only graph of its module.
    - C7: `requests`, where given, is ≥ 1.

    With `requests` a step takes rows of up to that many requests. The rows of each request are contiguous; the control
    block (support/ControlBlock.h) gives each request's position and slot. The type of a state is that of one slot;
    memory holds as many slots of it as there are requests, contiguously. `last_row` returns a row for each request.

    ```mlir
    nstf.graph @mlp(%x: tensor<?x64xf32> {nstf.name = "x"}) -> (tensor<?x64xf32> {nstf.name = "y"})
        attributes {context = 512 : i64} {
      %y = nstf.silu %x : tensor<?x64xf32>
      nstf.return %y : tensor<?x64xf32>
    }
    ```
  }];
  let arguments = !con(NSTF_FunctionArguments, (ins I64Attr:$context, OptionalAttr<I64Attr>:$requests));
  let hasRegionVerifier = 1;
  let builders = [OpBuilder<(ins "llvm::StringRef":$name, "mlir::FunctionType":$type, "int64_t":$context)>];
  let extraClassDeclaration = functionDeclarations # [{
    // getContext() is the attribute `context`, a number of positions; the MLIRContext is graph->getContext().

    /// The largest number of requests in a step.
    int64_t getMaxRequests() { return getRequests().value_or(1); }
    /// The name (`nstf.name`) of an argument or result.
    llvm::StringRef getInputName(unsigned index);
    llvm::StringRef getOutputName(unsigned index);
    void setInputName(unsigned index, llvm::StringRef name);
    void setOutputName(unsigned index, llvm::StringRef name);
    /// The size of the arena in bytes; nullopt before nstf-plan-memory has run.
    std::optional<int64_t> getArenaSize();
  }];
}

def NSTF_KernelOp : NSTF_FunctionOp<"kernel"> {
  let summary = "the computation of one launch";
  let description = [{
    nstf-form-kernels makes kernels. Weights and states are arguments, so equal layers share a kernel. A kernel that
    nstf-join-kernels made of several kernels has several parts, which the workgroups of one launch compute side by
    side.

    - C1: the body is one block.
    - C2: the body holds no `get` and no `step`: a kernel accesses only its arguments and the control block.
    - C3: arguments and results are ranked tensors, static but for the leading dimension.
    - C4: it has at least one result.
    - C5: a cache that `kv_append` writes in place is an argument, and has no other use.

    ```mlir
    nstf.kernel @linear_silu_0(%x: tensor<?x64xf32>, %w: tensor<172x64xf32>) -> tensor<?x172xf32> {
      %y = nstf.linear %x, %w : (tensor<?x64xf32>, tensor<172x64xf32>) -> tensor<?x172xf32>
      %z = nstf.silu %y : tensor<?x172xf32>
      nstf.return %z : tensor<?x172xf32>
    }
    ```
  }];
  let arguments = NSTF_FunctionArguments;
  let hasRegionVerifier = 1;
  let builders = [OpBuilder<(ins "llvm::StringRef":$name, "mlir::FunctionType":$type)>];
  let extraClassDeclaration = functionDeclarations # [{
    /// The op that the template of a kernel of one part computes: the first op that is not a DecodeOp.
    mlir::Operation *getAnchor();
    /// Operations that are independent of all others, in the order of the body, and the results they compute,
    /// ascending.
    struct Part {
      llvm::SmallVector<mlir::Operation *> ops;
      llvm::SmallVector<int64_t> results;
    };
    /// The parts, in the order of their first operations.
    std::vector<Part> getParts();
    /// Clones one part as a kernel with all of this kernel's arguments, at the builder's insertion point.
    nstf::KernelOp clonePart(mlir::OpBuilder &builder, const Part &part);
    /// The argument whose storage result `index` shares, because kv_append writes it in place; nullopt if the result
    /// has storage of its own.
    std::optional<unsigned> getInPlaceArgument(unsigned index);
  }];
}

def NSTF_WeightOp : NSTF_Op<"weight", [Symbol]> {
  let summary = "a named constant tensor";
  let description = [{
    Its bytes come from a file (`from`), from a formula (`computed`) or from a quantised matrix (`plane`); with none of
    them the package's weight mode (`--weights=random|none`) decides. Elements are converted from the stored type to the
    element type of `type` when the package is written.

    - C1: `type` is a static ranked tensor.
    - C2: at most one of `source`, `generator` and `plane`.
    - C3: a computed table has the width that its generator gives and a float element type.
    - C4: a view has as many elements as `type`.
    - C5: a plane has the type that its format gives.

    ```mlir
    nstf.weight @"model.norm.weight" : tensor<64xf32> from <"model.safetensors", offset = 4096, type = f32>
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    TypeAttrOf<AnyRankedTensor>:$type,
    OptionalAttr<NSTF_SourceAttr>:$source,
    OptionalAttr<NSTF_RopeTableAttr>:$generator,
    OptionalAttr<NSTF_PlaneSourceAttr>:$plane,
    OptionalAttr<StrAttr>:$sym_visibility);
  let assemblyFormat = "$sym_name attr-dict `:` $type (`from` $source^)? (`computed` $generator^)? (`plane` $plane^)?";
  let builders = [OpBuilder<(ins "llvm::StringRef":$name, "mlir::RankedTensorType":$type,
                                 CArg<"nstf::SourceAttr", "{}">:$source)>];
  let hasVerifier = 1;
}

def NSTF_StateOp : NSTF_Op<"state", [Symbol]> {
  let summary = "device memory that persists from step to step";
  let description = [{
    A KV cache is tensor<context x (kv_heads·head_size)>. A state is all zero when a run starts. If the graph has
    `requests`, each request has its own copy.

    - C1: `type` is a static ranked tensor.

    ```mlir
    nstf.state @"layers.0.k_cache" : tensor<512x32xf32>
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    TypeAttrOf<AnyRankedTensor>:$type,
    OptionalAttr<StrAttr>:$sym_visibility);
  let assemblyFormat = "$sym_name attr-dict `:` $type";
  let builders = [OpBuilder<(ins "llvm::StringRef":$name, "mlir::RankedTensorType":$type)>];
  let hasVerifier = 1;
}

def NSTF_GetOp : NSTF_Op<"get", [Pure, HasParent<"GraphOp">, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the value of a weight or state";
  let description = [{
    The value of a state is the one that the previous step left in it.

    - C1: `symbol` names a weight or a state of the module.
    - C2: the result has the type of that weight or state.
    - C3: a weight is never the `cache` of a kv_append, because weights are not written.

    ```mlir
    nstf.weight @norm : tensor<64xf32>
    nstf.graph @main() -> (tensor<64xf32> {nstf.name = "y"}) attributes {context = 1 : i64} {
      %w = nstf.get @norm : tensor<64xf32>
      nstf.return %w : tensor<64xf32>
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$symbol);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$symbol attr-dict `:` type($result)";
}

def NSTF_StepOp : NSTF_Op<"step", [Pure, HasParent<"GraphOp">, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "one launch of a kernel";
  let description = [{
    After nstf-plan-memory `offsets` holds the byte offset of each result in the arena, or -1 for a result with other
    storage: an output of the graph or a state updated in place.

    - C1: `kernel` names a kernel of the module.
    - C2: operand and result types are the kernel's.
    - C3: `offsets`, where given, has a number ≥ -1 for every result.

    ```mlir
    nstf.kernel @silu_0(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
      %y = nstf.silu %x : tensor<?x64xf32>
      nstf.return %y : tensor<?x64xf32>
    }
    nstf.graph @main(%x: tensor<?x64xf32> {nstf.name = "x"}) -> (tensor<?x64xf32> {nstf.name = "y"})
        attributes {context = 512 : i64} {
      %0 = nstf.step @silu_0(%x) {offsets = array<i64: 0>} : (tensor<?x64xf32>) -> tensor<?x64xf32>
      %1 = nstf.step @silu_0(%0) {offsets = array<i64: -1>} : (tensor<?x64xf32>) -> tensor<?x64xf32>
      nstf.return %1 : tensor<?x64xf32>
    }
    ```
  }];
  let arguments = (ins
    FlatSymbolRefAttr:$kernel,
    Variadic<AnyRankedTensor>:$inputs,
    OptionalAttr<DenseI64ArrayAttr>:$offsets);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let assemblyFormat = "$kernel `(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs)";
}

def NSTF_ReturnOp : NSTF_Op<"return", [Pure, ParentOneOf<["GraphOp", "KernelOp"]>, ReturnLike, Terminator]> {
  let summary = "the results of a graph or kernel";
  let description = [{
    - C1: operand types are the result types of the graph or kernel.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let hasVerifier = 1;
}

#endif
