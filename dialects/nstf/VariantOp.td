// What a model's module holds for a target: its kernels as they are compiled, each beside the template it was fitted to.
#ifndef NSTF_VARIANT_OP
#define NSTF_VARIANT_OP

include "dialects/nstf/Attributes.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"

class NSTF_TableOp<string mnemonic, list<Trait> traits = []> : NSTF_Op<mnemonic,
    [AffineScope, IsolatedFromAbove, NoRegionArguments, SymbolTable] # GraphRegionNoTerminator.traits # traits>;

def NSTF_VariantOp : NSTF_TableOp<"variant", [
    HasParent<"::mlir::ModuleOp">, Symbol, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a kernel as it is compiled for steps of so many tokens";
  let description = [{
    Made by nstf-select-kernels inside the module of a target, which stands inside the model's module. It holds the parts
    of the kernel, which are made into code each by itself and then joined to one gpu.module (systolic-to-gpu-join-parts).

    The steps that launch `kernel` with a number of tokens in one of the ranges of `tokens` launch this. Steps with equal
    choices share a variant, which has several ranges then; of a kernel of several parts each range has its own.

    - C1: `tokens` has at least one range, each [min, max] with 1 ≤ min ≤ max, in ascending order without overlap.
    - C2: `kernel` names an nstf.kernel of the module around the target's.
    - C3: no range goes past the `tokens` of a part's binding.
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
            choice <{}, template why "up to 16 rows: matrix cores" not [], tuning why "the template's defaults" not []> {
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
    /// The kernel of the model that it is a variant of. Precondition: the op verifies.
    nstf::KernelOp getModelKernel();
    llvm::SmallVector<nstf::PartOp> getParts();
  }];
}

def NSTF_PartOp : NSTF_TableOp<"part", [HasParent<"VariantOp">]> {
  let summary = "a part of a kernel, beside the template it was fitted to";
  let description = [{
    What a share of a launch's workgroups computes: operations of the kernel that need none of its others
    (KernelOp::getParts), and which of its results they make. It begins with a kernel of these, which has all of the
    kernel's arguments, and the template chosen for it; everything after works inside it, on one part beside another, and leaves
    there what it makes: tile program, then gpu.module. So names inside (`@epilogue`) never meet.

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
