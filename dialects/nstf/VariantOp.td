// What a model's module holds for a target: its kernels as they are compiled, each beside the template it was fitted to.
#ifndef NSTF_VARIANT_OP
#define NSTF_VARIANT_OP

include "dialects/nstf/Attributes.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"

def NSTF_VariantOp : NSTF_Op<"variant", [
    AffineScope, IsolatedFromAbove, HasParent<"::mlir::ModuleOp">, NoRegionArguments, SymbolTable, Symbol,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>] # GraphRegionNoTerminator.traits> {
  let summary = "a kernel as it is compiled for steps of so many tokens";
  let description = [{
    Made by nstf-select-kernels inside the module of a target, which stands inside the model's module. It begins with a
    copy of the kernel and the template chosen for it; everything after works inside it, on one variant beside another,
    and leaves there what it makes: tile program, gpu.module, code. So names inside (`@epilogue`) never meet.

    The steps that launch `kernel` with a number of tokens in one of the ranges of `tokens` launch this. Steps with equal
    choices share a variant, which has several ranges then.

    - C1: `tokens` has at least one range, each [min, max] with 1 ≤ min ≤ max, in ascending order without overlap.
    - C2: `kernel` names an nstf.kernel of the module around the target's.
    - C3: no range goes past the binding's `tokens`.
    - C4: `buffers` and `tile` of the binding are values of the kernel, and buffers arguments or results.

    ```mlir
    nstf.kernel @linear_0(%x: tensor<?x64xf32>, %w: tensor<172x64xf32>) -> tensor<?x172xf32> {
      %y = nstf.linear %x, %w : (tensor<?x64xf32>, tensor<172x64xf32>) -> tensor<?x172xf32>
      nstf.return %y : tensor<?x172xf32>
    }
    module @gfx942 {
      nstf.variant @linear_0_t16 of @linear_0 tokens [2, 16]
          binding <"matmul", tokens = 64, parameters = {K = 64 : i64, M = 64 : i64, N = 172 : i64},
                   per_token = {M = 1 : i64}, buffers = {w = 1 : i64, x = 0 : i64}, tile = 2, operand = f32>
          choice <{}, template why "up to 16 rows: matrix cores" not [], tuning why "the template's defaults" not []> {
      }
    }
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    FlatSymbolRefAttr:$kernel,
    DenseI64ArrayAttr:$tokens,
    NSTF_BindingAttr:$binding,
    NSTF_ChoiceAttr:$choice,
    OptionalAttr<StrAttr>:$sym_visibility);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `of` $kernel `tokens` custom<TokenRanges>($tokens) `binding` $binding `choice` $choice
    attr-dict-with-keyword $body
  }];
  let builders = [OpBuilder<(ins "llvm::StringRef":$name, "llvm::StringRef":$kernel, "nstf::BindingAttr":$binding,
                                 "nstf::ChoiceAttr":$choice)>];
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let extraClassDeclaration = [{
    /// The ranges of `tokens`, ascending.
    llvm::SmallVector<std::pair<int64_t, int64_t>> getTokenRanges();
    void addTokenRange(int64_t min, int64_t max);
    /// The kernel of the model that it is a variant of. Precondition: the op verifies.
    nstf::KernelOp getModelKernel();
  }];
}

#endif
