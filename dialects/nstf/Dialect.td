// The nstf dialect and the types its operations take. Every type constraint stands here once; documents and verifiers
// both come from it.
#ifndef NSTF_DIALECT
#define NSTF_DIALECT

include "mlir/IR/OpBase.td"

def NSTF_Dialect : Dialect {
  let name = "nstf";
  let cppNamespace = "::nstf";
  let summary = "what a transformer computes, on tensors, with nothing of the machine";
  let description = [{
    Activations are rank-2 tensors [rows, features]. A dynamic leading dimension `?` always means *tokens of this
    step*: all `?` of a graph are the same number, so types compare by equality. Row i of a step stands at the absolute
    position `position + i`. `tokens` and `position` are scalars of a run, which a kernel reads from the control block;
    they are implicit in `rope`, `kv_append`, `attention` and `last_row`.

    Arithmetic on activations is f32. Memory may hold fewer bits: `linear`, `attention` and `kv_append` take operands of
    f16 or bf16, and codes of f8E4M3FNUZ or i8, tables may be of f16 or bf16, and `convert` says where an activation becomes one. A graph is imported in f32;
    nstf-set-precision makes it such a mixed one.

    Discardable attributes:
    - `nstf.name` on arguments and results of a graph: the name under which an application finds the buffer.
    - `nstf.part_of` on a weight without a source: the tensor of the checkpoint that it would be a part of.
    - `nstf.model` on the module, a dictionary set by importers: `architecture` (string), `name` (string), `context`
      and `vocabulary` (i64), `bos` (i64), `eos` (array of i64), `tokenizer` (string, a path or empty), and
      where config.json names the type of its weights `dtype` (string, as there), where the checkpoint is for codes of what
      linears read `activations` (string, "i8"), and where generation_config.json says how text is sampled `sampling`
      (dictionary, with the fields of manifest::Sampling that it gives).
    - `nstf.max_tokens` on the module: the rows the largest bucket holds, what `?` counts as when memory is planned.
    - `nstf.target` on the module: the chip, a dictionary (Target.h).
    - `nstf.arena_size` on the graph: bytes of the arena, written by nstf-plan-memory.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    /// Names of the discardable attributes above.
    static constexpr llvm::StringLiteral nameAttributeName = "nstf.name";
    static constexpr llvm::StringLiteral partOfAttributeName = "nstf.part_of";
    static constexpr llvm::StringLiteral modelAttributeName = "nstf.model";
    static constexpr llvm::StringLiteral maxTokensAttributeName = "nstf.max_tokens";
    static constexpr llvm::StringLiteral arenaSizeAttributeName = "nstf.arena_size";
  }];
}

// Types

def NSTF_Float : AnyTypeOf<[F32, F16, BF16], "f32, f16 or bf16">;

// Only the leading dimension may be dynamic: it is the tokens of the step.
def NSTF_LeadingDynamic : CPred<
    "::llvm::all_of(::llvm::cast<::mlir::ShapedType>($_self).getShape().drop_front(),"
    " [](int64_t size) { return !::mlir::ShapedType::isDynamic(size); })">;
def NSTF_AllStatic : CPred<"::llvm::cast<::mlir::ShapedType>($_self).hasStaticShape()">;

class NSTF_TensorOf<int rank, Pred shape, TypeConstraint element, string description> : Type<
    And<[IsRankedTensorTypePred, HasAnyRankOfPred<[rank]>, shape,
         SubstLeaves<"$_self", "::llvm::cast<::mlir::ShapedType>($_self).getElementType()", element.predicate>]>,
    description, "::mlir::RankedTensorType">;

// Arithmetic is f32. What memory holds in fewer bits are the operands of matrix products, caches and tables.
def NSTF_Activation : NSTF_TensorOf<2, NSTF_LeadingDynamic, F32,
    "[rows, features] tensor of f32 with static features">;
def NSTF_Operand : NSTF_TensorOf<2, NSTF_LeadingDynamic, NSTF_Float,
    "[rows, features] tensor of f32, f16 or bf16 with static features">;
def NSTF_Matrix : NSTF_TensorOf<2, NSTF_AllStatic, NSTF_Float, "static [rows, columns] tensor of f32, f16 or bf16">;
// Factors of a product, and the caches that hold them, may be of 8 bits.
def NSTF_Factor : AnyTypeOf<[F32, F16, BF16, F8E4M3FNUZ, I8], "f32, f16, bf16, f8E4M3FNUZ or i8">;
def NSTF_FactorRows : NSTF_TensorOf<2, NSTF_LeadingDynamic, NSTF_Factor,
    "[rows, features] tensor of f32, f16, bf16, f8E4M3FNUZ or i8 with static features">;
def NSTF_FactorMatrix : NSTF_TensorOf<2, NSTF_AllStatic, NSTF_Factor,
    "static [rows, columns] tensor of f32, f16, bf16, f8E4M3FNUZ or i8">;
def NSTF_Product : NSTF_TensorOf<2, NSTF_LeadingDynamic, AnyTypeOf<[F32, I32]>,
    "[rows, features] tensor of f32 or i32 with static features">;
def NSTF_Vector : NSTF_TensorOf<1, NSTF_AllStatic, F32, "static [features] tensor of f32">;
def NSTF_Ids : Type<And<[IsRankedTensorTypePred, HasAnyRankOfPred<[1]>,
    CPred<"::llvm::cast<::mlir::ShapedType>($_self).getElementType().isSignlessInteger(32)">]>,
    "[rows] tensor of i32", "::mlir::RankedTensorType">;
def NSTF_Value : Type<And<[IsRankedTensorTypePred,
    CPred<"::llvm::cast<::mlir::ShapedType>($_self).getRank() > 0">, NSTF_LeadingDynamic]>,
    "ranked tensor, static but for its leading dimension", "::mlir::RankedTensorType">;

// The base of every op

class NSTF_Op<string mnemonic, list<Trait> traits = []> : Op<NSTF_Dialect, mnemonic, traits>;

#endif
