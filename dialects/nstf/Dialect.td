// The nstf dialect and the operand types of its operations. Each type constraint is defined here once; the
// documentation and the verifiers are generated from it.
#ifndef NSTF_DIALECT
#define NSTF_DIALECT

include "mlir/IR/OpBase.td"

def NSTF_Dialect : Dialect {
  let name = "nstf";
  let cppNamespace = "::nstf";
  let summary = "the computations of a transformer, on tensors, independent of the machine";
  let description = [{
    Activations are rank-2 tensors [rows, features]. A dynamic leading dimension `?` always means *tokens of this
    step*: all `?` of a graph are the same number, so types compare by equality. Row i of a step has the absolute
    position `position + i`. `tokens` and `position` are scalars of a run, which a kernel reads from the control block;
    they are implicit in `rope`, `kv_append`, `attention` and `last_row`.

    Arithmetic on activations is f32. Memory may hold fewer bits: `linear`, `attention` and `kv_append` take operands of
    f16 or bf16 and codes of f8E4M3FNUZ or i8, tables may be of f16 or bf16, and `convert` marks where an activation is
    rounded to such a type. Importers make graphs in f32; nstf-set-precision makes them mixed-precision graphs.

    Discardable attributes:
    - `nstf.name` on arguments and results of a graph: the name under which an application finds the buffer.
    - `nstf.part_of` on a weight without a source: the tensor of the checkpoint that it would be a part of.
    - `nstf.model` on the module, a dictionary set by importers: `architecture` (string), `name` (string), `context`
      and `vocabulary` (i64), `bos` (i64), `eos` (array of i64), `tokenizer` (string, a path or empty). Optional
      entries: `dtype` (string), the type of the weights as config.json names it; `activations` (string, "i8"), if the
      checkpoint is made for linears whose inputs are codes; `sampling` (dictionary), the fields of manifest::Sampling
      that generation_config.json gives.
    - `nstf.max_tokens` on the module: the rows of the largest bucket, the value of `?` in memory planning.
    - `nstf.target` on the module: the chip, a dictionary (Target.h).
    - `nstf.arena_size` on the graph: the size of the arena in bytes, written by nstf-plan-memory.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    /// Names of the discardable attributes listed above.
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

// Arithmetic is f32. Only operands of matrix products, caches and tables may be narrower in memory.
def NSTF_Activation : NSTF_TensorOf<2, NSTF_LeadingDynamic, F32,
    "[rows, features] tensor of f32 with static features">;
def NSTF_Operand : NSTF_TensorOf<2, NSTF_LeadingDynamic, NSTF_Float,
    "[rows, features] tensor of f32, f16 or bf16 with static features">;
def NSTF_Matrix : NSTF_TensorOf<2, NSTF_AllStatic, NSTF_Float, "static [rows, columns] tensor of f32, f16 or bf16">;
// Operands of products, and the caches that hold them, may have 8 bits.
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
