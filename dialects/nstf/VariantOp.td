// The content of a target's module inside the model's module: compiled variants of kernels, and the template of each
// part.
#ifndef NSTF_VARIANT_OP
#define NSTF_VARIANT_OP

include "dialects/nstf/Attrs.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"

class NSTF_TableOp<string mnemonic, list<Trait> traits = []> : NSTF_Op<mnemonic,
    [AffineScope, IsolatedFromAbove, NoRegionArguments, SymbolTable] # GraphRegionNoTerminator.traits # traits>;

def NSTF_VariantOp : NSTF_TableOp<"variant", [
    HasParent<"::mlir::ModuleOp">, Symbol, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a kernel as it is compiled for certain numbers of tokens";
  let description = [{
    nstf-select-kernels makes variants in the module of a target, which is nested in the model's module. A variant holds
    the parts of the kernel. Code is generated for each part separately; systolic-to-gpu-join-parts then joins them to
    one gpu.module.

    A step launches this variant if its number of tokens is in one of the ranges of `tokens`. Ranges with equal choices
    share a variant; if the kernel has several parts, each range has its own variant.

    - C1: `tokens` has at least one range, each [min, max] with 1 ≤ min ≤ max, in ascending order without overlap.
    - C2: `kernel` names an nstf.kernel of the module around the target's.
    - C3: no range exceeds the `tokens` of a part's binding.
    - C4: it holds the kernel's parts, in their order.

    ```mlir
    nstf.kernel @linear_0(%x: tensor<?x64xf32>, %w: tensor<172x64xf32>) -> tensor<?x172xf32> {
      %y = nstf.linear %x, %w : (tensor<?x64xf32>, tensor<172x64xf32>) -> tensor<?x172xf32>
      nstf.return %y : tensor<?x172xf32>
    }
    module @gfx942 {
      nstf.variant @linear_0_t16 of @linear_0 tokens [2, 16] {
        nstf.part results [0]
            binding <"matmul", tokens = 64, parameters = {K = 64 : i64, M = 64 : i64, N = 172 : i64},
                     per_token = {M = 1 : i64}, buffers = {w = 1 : i64, x = 0 : i64}, tile = 2, operand = f32>
            choice <{}, template why "up to 16 rows: matrix cores" not [],
                    tuning why "the template's defaults" not []> {
        }
      }
    }
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    FlatSymbolRefAttr:$kernel,
    DenseI64ArrayAttr:$tokens,
    OptionalAttr<StrAttr>:$sym_visibility);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name `of` $kernel `tokens` custom<TokenRanges>($tokens) attr-dict-with-keyword $body";
  let builders = [OpBuilder<(ins "llvm::StringRef":$name, "llvm::StringRef":$kernel)>];
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let extraClassDeclaration = [{
    /// The ranges of `tokens`, ascending.
    llvm::SmallVector<std::pair<int64_t, int64_t>> getTokenRanges();
    void addTokenRange(int64_t min, int64_t max);
    /// The kernel of the model that this is a variant of. Precondition: the op verifies.
    nstf::KernelOp getModelKernel();
    llvm::SmallVector<nstf::PartOp> getParts();
  }];
}

def NSTF_PartOp : NSTF_TableOp<"part", [HasParent<"VariantOp">]> {
  let summary = "a part of a kernel, with the template chosen for it";
  let description = [{
    A part consists of operations of the kernel that are independent of its other operations (KernelOp::getParts);
    `results` are the kernel's results that they compute. A share of a launch's workgroups computes the part.

    At first the part holds a kernel of these operations, with all of the kernel's arguments, and the template chosen
    for it. Later passes run on each part separately and leave their output in it: the tile program, then the
    gpu.module. Symbols inside (`@epilogue`) therefore never clash.

    - C1: `results` are results of the kernel, ascending: those of one of its parts.
    - C2: `buffers` and `tile` of the binding are values of that part, and buffers arguments or results.
  }];
  let arguments = (ins DenseI64ArrayAttr:$results, NSTF_BindingAttr:$binding, NSTF_ChoiceAttr:$choice);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`results` $results `binding` $binding `choice` $choice attr-dict-with-keyword $body";
  let builders = [OpBuilder<(ins "llvm::ArrayRef<int64_t>":$results, "nstf::BindingAttr":$binding,
                                 "nstf::ChoiceAttr":$choice)>];
  let skipDefaultBuilders = 1;
}

#endif
