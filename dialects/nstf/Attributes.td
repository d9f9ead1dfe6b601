// Where the bytes of a weight come from (bytes are never in the IR), what quantised ones mean, and how a kernel was fitted
// to a template, and why.
#ifndef NSTF_ATTRIBUTES
#define NSTF_ATTRIBUTES

include "dialects/nstf/Dialect.td"
include "dialects/nstf/Interfaces.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/TensorEncoding.td"

class NSTF_Attr<string name, string attrMnemonic, list<Trait> traits = []> : AttrDef<NSTF_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def NSTF_SourceAttr : NSTF_Attr<"Source", "source"> {
  let summary = "a tensor's bytes in a file";
  let description = [{
    Row-major, little-endian elements of type `storedType` that start `offset` bytes after the start of the file. With a
    view, `sizes` and `strides` (in elements), they may lie apart: element [i, j, …] of the view is the one i·strides[0] +
    j·strides[1] + … elements after the first, and the weight's elements in row-major order are the view's. So parts of
    packed tensors and transposed ones are weights without a copy.

    - C1: `path` is not empty.
    - C2: `offset` ≥ 0.
    - C3: `storedType` is a float or integer type of whole bytes.
    - C4: `sizes` and `strides` are of one length, and all numbers ≥ 1.
    - C5: the view ends within 2⁶³ bytes of the file's start.

    ```mlir
    nstf.weight @up : tensor<172x64xf32> from <"model.safetensors", offset = 1234, type = bf16>
    nstf.weight @down : tensor<64x172xf32>
        from <"model.safetensors", offset = 1234, type = bf16, sizes = [64, 172], strides = [1, 64]>
    ```
  }];
  let parameters = (ins
    StringRefParameter<"path of the file, absolute or relative to the working directory">:$path,
    "int64_t":$offset,
    "::mlir::Type":$storedType,
    OptionalArrayRefParameter<"int64_t">:$sizes,
    OptionalArrayRefParameter<"int64_t">:$strides
  );
  let assemblyFormat = [{
    `<` $path `,` `offset` `=` $offset `,` `type` `=` $storedType
    (`,` `sizes` `=` `[` $sizes^ `]` `,` `strides` `=` `[` $strides `]`)? `>`
  }];
  let builders = [AttrBuilder<(ins "::llvm::StringRef":$path, "int64_t":$offset, "::mlir::Type":$storedType), [{
    return $_get($_ctxt, path, offset, storedType, ::llvm::ArrayRef<int64_t>(), ::llvm::ArrayRef<int64_t>());
  }]>];
  let extraClassDeclaration = [{
    /// Elements apart from each other: `sizes` and `strides` say where.
    bool isView() const { return !getSizes().empty(); }
    /// Bytes from `offset` to the end of the last of `elements` elements; nothing where that is more than 2⁶³.
    std::optional<int64_t> getByteSpan(int64_t elements) const;
  }];
  let genVerifyDecl = 1;
}

def NSTF_CacheKind : I32EnumAttr<"CacheKind", "what a cache in operand order holds",
    [I32EnumAttrCase<"keys", 0>, I32EnumAttrCase<"values", 1>, I32EnumAttrCase<"scales", 2>]> {
  let cppNamespace = "::nstf";
}

def NSTF_OperandOrderAttr
    : NSTF_Attr<"OperandOrder", "operand_order", [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "a cache that lies in the order in which matrix cores read it";
  let description = [{
    The encoding of the type of a cache [context, heads·D], which stays what it is as a value. In memory it is a matrix, for
    which context is rounded up to 64. Keys and values are one in blocks of 16 rows and 64 bytes of each
    (#systolic.packed<16 x 64 bytes, by 4>), along whose rows attention's products sum. With E elements in 64 bytes:
    - keys: [context, heads·D'] with D' = D rounded up to E;
    - values: [heads·D', context], transposed, with D' = D rounded up to 16;
    - scales, of codes, one for each position and head: [heads, context], transposed, row by row.
    What fills up is zero from the start, and is never written but with zeros.

    - operand_order_c1: `heads` ≥ 1.
    - operand_order_c2: the type is a static matrix whose columns `heads` divides.
    - operand_order_c3: an element has 1, 2 or 4 bytes.
    - operand_order_c4: scales have as many columns as heads.

    ```mlir
    nstf.state @k_cache : tensor<512x256xf16, #nstf.operand_order<keys, heads = 2>>
    nstf.state @k_codes : tensor<512x256xi8, #nstf.operand_order<keys, heads = 2>>
    nstf.state @k_scales : tensor<512x2xf32, #nstf.operand_order<scales, heads = 2>>
    ```
  }];
  let parameters = (ins EnumParameter<NSTF_CacheKind>:$kind, "int64_t":$heads);
  let assemblyFormat = "`<` $kind `,` `heads` `=` $heads `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    static OperandOrderAttr get(::mlir::MLIRContext *context, const ::nstf::support::OperandOrder &order);
    ::nstf::support::OperandOrder getOrder() const;
    /// The matrix that a tensor of this type is in memory.
    ::nstf::support::OperandOrder::Matrix getMatrix(::mlir::RankedTensorType type) const;
    /// The order of a tensor's type; null: row by row.
    static OperandOrderAttr find(::mlir::Type type);
  }];
}

def NSTF_RopeTableAttr : NSTF_Attr<"RopeTable", "rope_table"> {
  let summary = "cosines and sines of rotary position embedding";
  let description = [{
    With n = |invFreq| and angle(p, i) = p·invFreq[i], row p of a table [context, 2n] holds scale·cos(angle(p, i)) in
    columns 0 … n-1 and scale·sin(angle(p, i)) in columns n … 2n-1, computed in float64 and rounded once.

    - C1: `invFreq` is not empty, and all its numbers are finite.
    - C2: `scale` is finite.

    ```mlir
    nstf.weight @table : tensor<512x8xf32> computed <inv_freq = [1.0, 0.1, 0.01, 0.001], scale = 1.0>
    ```
  }];
  let parameters = (ins "::mlir::DenseF64ArrayAttr":$invFreq, "::mlir::FloatAttr":$scale);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [AttrBuilder<(ins "::llvm::ArrayRef<double>":$invFreq, "double":$scale), [{
    return $_get($_ctxt, ::mlir::DenseF64ArrayAttr::get($_ctxt, invFreq),
                 ::mlir::FloatAttr::get(::mlir::Float64Type::get($_ctxt), scale));
  }]>];
  let extraClassDeclaration = [{
    /// Columns of the table: two for every frequency.
    int64_t getWidth() const { return 2 * getInvFreq().size(); }
    /// Row `position` of the table, getWidth() numbers in float64.
    void fillRow(int64_t position, llvm::MutableArrayRef<double> row) const;
  }];
}

def NSTF_Plane : I32EnumAttr<"Plane", "a tensor of a quantised matrix",
    [I32EnumAttrCase<"codes", 0>, I32EnumAttrCase<"high", 1>, I32EnumAttrCase<"scales", 2>,
     I32EnumAttrCase<"zeros", 3>, I32EnumAttrCase<"order", 4>]> {
  let cppNamespace = "::nstf";
}

def NSTF_IntFormatAttr : NSTF_Attr<"IntFormat", "int", [NSTF_CodeFormat]> {
  let summary = "a matrix as whole numbers of a few bits, with scales";
  let description = [{
    Of a matrix [N, K] element (n, k) is scale(n, g)·(code(n, k) - zero(n, g)) with g = k / group: a code has `bits` bits
    and no sign, and so has a zero; where there are no zeros, all are 2^(bits-1). `group = row` is one group a row.

    The planes, with G = ⌈K / group⌉ groups:
    - `codes`: of 8 bits [N, K] of i8, code - 128; else [N, ⌈K / 8⌉] of i32, the low four bits of eight codes;
    - `high`: of 5 and 6 bits [N, ⌈K·(bits-4) / 32⌉] of i32, the other bits;
    - `scales`: [N, G] of f16, or where a checkpoint's scales need it of f32;
    - `zeros`: [⌈N / Z⌉, G] of i32 with Z = ⌊32 / bits⌋: word (i, g) holds the zeros of rows i·Z … i·Z + Z-1, the first in
      its low bits.

    Groups are of neighbouring columns. Where a checkpoint has others, columns stand in the order of their groups, and one
    more plane of whatever format, `order`, [1, K] of i32, says which input of the product each of them belongs to.

    Of a word of b bits a code, code j stands at bit b·⌊j / 2⌋ + 16·(j mod 2): two neighbours lie in the halves, so that
    one shift and mask makes a pair of 16-bit numbers.

    - C1: `bits` is 4, 5, 6 or 8, and scales are f16 or f32.
    - C2: `group` is 32, 64, 128 or `row`.
    - C3: `columns`, which is K, is at least 1.

    ```mlir
    module attributes {nstf.example = #nstf.int<4, group = 128, columns = 4096>} {}
    module attributes {nstf.example = #nstf.int<8, group = row, columns = 172, scales = f32>} {}
    ```
  }];
  let parameters = (ins "int64_t":$bits, "int64_t":$group, "int64_t":$columns, // group 0: the row
                        "::mlir::FloatType":$scaleType);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    ::mlir::FloatType getNumberType() const { return {}; }
    ::mlir::Type getElementType(Plane plane) const;
  }];
}

def NSTF_FloatFormatAttr : NSTF_Attr<"FloatFormat", "float", [NSTF_CodeFormat]> {
  let summary = "a matrix as floats of 8 bits, with scales";
  let description = [{
    Of a matrix [N, K] element (n, k) is scale(n, g)·code(n, k), g = k / group. `group = row` is one group a row.

    The planes, with G = ⌈K / group⌉ groups:
    - `codes`: [N, K] of the type, without NaN and negative zero;
    - `scales`: [N, G] of f16, or where a checkpoint's scales need it of f32.

    - C1: the type is f8E4M3FNUZ, and scales are f16 or f32.
    - C2: `group` is 32, 64, 128 or `row`.
    - C3: `columns`, which is K, is at least 1.

    ```mlir
    module attributes {nstf.example = #nstf.float<f8E4M3FNUZ, group = row, columns = 172>} {}
    module attributes {nstf.example = #nstf.float<f8E4M3FNUZ, group = 128, columns = 4096, scales = f32>} {}
    ```
  }];
  let parameters = (ins "::mlir::FloatType":$numberType, "int64_t":$group, "int64_t":$columns,
                        "::mlir::FloatType":$scaleType);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getBits() const { return 8; }
    ::mlir::Type getElementType(Plane plane) const;
  }];
}

def NSTF_CodeLayout : I32EnumAttr<"CodeLayout", "where codes stand in the tensors of a checkpoint",
    [I32EnumAttrCase<"pack", 0>, I32EnumAttrCase<"pack_loose", 1>, I32EnumAttrCase<"bytes", 2>,
     I32EnumAttrCase<"awq", 3>, I32EnumAttrCase<"gptq", 4>, I32EnumAttrCase<"gptq_v2", 5>,
     I32EnumAttrCase<"floats", 6>]> {
  let cppNamespace = "::nstf";
}

def NSTF_StoredCodesAttr : NSTF_Attr<"StoredCodes", "stored_codes"> {
  let summary = "a quantised matrix in a checkpoint";
  let description = [{
    `codes`, `scales` and, where it has them, `zeros` are tensors of the checkpoint; `layout` says which bit is where in
    them (compiler/quantize/StoredCodes.h): `pack`, `pack_loose` and `bytes` are compressed-tensors' pack-quantized, in
    words that are full and, as older ones are, of whole codes, and its int-quantized; `awq` is AWQ's gemm; `gptq` and
    `gptq_v2` are GPTQ's, which differ in their zeros; `floats` are numbers of f8E4M3FN. Of `bytes` and `floats` a scale and
    a zero may count for several rows. `grouped by` is a tensor of i32 that says of each input which group it is in, where that are not neighbours.

    - C1: a scale counts for at least one row, and for more of `bytes` and `floats` only.

    ```mlir
    nstf.weight @"up.scales" : tensor<172x2xf16> plane <scales of "up", rows = 172,
        format = <4, group = 32, columns = 64>, stored = <pack, codes = <"m.safetensors", offset = 1234, type = i32>,
        scales = <"m.safetensors", offset = 6738, type = f16>>>
    ```
  }];
  let parameters = (ins
    EnumParameter<NSTF_CodeLayout>:$layout,
    "::nstf::SourceAttr":$codes,
    "::nstf::SourceAttr":$scales,
    OptionalParameter<"::nstf::SourceAttr">:$zeros,
    DefaultValuedParameter<"int64_t", "1", "rows of a scale">:$scaleRows,
    OptionalParameter<"::nstf::SourceAttr">:$groups
  );
  let assemblyFormat = [{
    `<` $layout `,` `codes` `=` $codes `,` `scales` `=` $scales (`of` $scaleRows^ `rows`)? (`,` `zeros` `=` $zeros^)?
    (`grouped` `by` $groups^)? `>`
  }];
  let genVerifyDecl = 1;
}

def NSTF_PlaneSourceAttr : NSTF_Attr<"PlaneSource", "plane"> {
  let summary = "which plane of which matrix, made when its bytes are written";
  let description = [{
    The matrix `of` has `rows` rows. Its codes are where `stored` says; or else they are made of its numbers, which are
    where `from` says; without either, the package's weight mode decides. Each group of numbers is rounded to nearest by
    itself: the scale, an f16, reaches from the smallest to the largest of its elements and 0 with `zeros`; else it makes
    the element of largest magnitude code 0, or of floats the largest number that f8E4M3FN writes so too.

    - C1: `rows` ≥ 1.
    - C2: `zeros` goes with a plane of zeros, `high` with a format that has it, `order` with codes `stored` in groups.
    - C3: at most one of `from` and `stored`, which has zeros where the format has.

    ```mlir
    nstf.weight @"up.scales" : tensor<172x2xf16> plane <scales of "up", rows = 172,
        format = <4, group = 32, columns = 64>, zeros, from = <"model.safetensors", offset = 1234, type = bf16>>
    ```
  }];
  let parameters = (ins
    EnumParameter<NSTF_Plane>:$plane,
    StringRefParameter<"name of the matrix">:$matrix,
    "int64_t":$rows,
    "::nstf::CodeFormat":$format,
    DefaultValuedParameter<"bool", "false">:$zeros,
    OptionalParameter<"::nstf::SourceAttr">:$source,
    OptionalParameter<"::nstf::StoredCodesAttr">:$stored
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def NSTF_BindingAttr : NSTF_Attr<"Binding", "binding"> {
  let summary = "how a kernel region fits a kernel template";
  let description = [{
    Computed once, by nstf-select-kernels; tuning is looked up with it, and the template is filled from it.

    `parameters` are the template's numbers that the region decides: extents and switches, where `tokens` stands for a
    leading `?`. `per_token` names those that grow with the tokens of a step, and how many rows a token has. `buffers`
    says which value of the region lies in which buffer of the template, `tile` which one the template hands to its
    epilogue. Values are counted: the region's arguments, then the results of its operations in their order.
    `operand` is the type of matrix products' operands. With `requests` over 1 all this is of one request, and a launch
    serves so many, each with workgroups of its own.

    - C1: the template has a name.
    - C2: `tokens` ≥ 1.
    - C3: `per_token` and `buffers` are dictionaries of i64 numbers ≥ 0.
    - C4: what `per_token` names is a parameter, and at least that number times `tokens`.
    - C5: `requests` ≥ 1.

    ```mlir
    module attributes {nstf.example = #nstf.binding<"matmul", tokens = 64, parameters = {K = 64 : i64, M = 64 : i64},
        per_token = {M = 1 : i64}, buffers = {w = 1 : i64, x = 0 : i64}, tile = 2, operand = f16>} {}
    ```
  }];
  let parameters = (ins
    StringRefParameter<"file of templates/kernels">:$templateName,
    "int64_t":$tokens,
    "::mlir::DictionaryAttr":$parameters,
    "::mlir::DictionaryAttr":$perToken,
    "::mlir::DictionaryAttr":$buffers,
    DefaultValuedParameter<"int64_t", "-1", "-1: there is none">:$tile,
    OptionalParameter<"::mlir::Type">:$operandType,
    DefaultValuedParameter<"int64_t", "1">:$requests
  );
  let assemblyFormat = [{
    `<` $templateName (`of` $requests^ `requests`)? `,` `tokens` `=` $tokens `,` `parameters` `=` $parameters `,` `per_token` `=` $perToken
    `,` `buffers` `=` $buffers (`,` `tile` `=` $tile^)? (`,` `operand` `=` $operandType^)? `>`
  }];
  let genVerifyDecl = 1;
}

def NSTF_ChoiceAttr : NSTF_Attr<"Choice", "choice"> {
  let summary = "which tuning a kernel has, and why it has this template and this tuning";
  let description = [{
    `tuning` are parameters over the template's defaults, `schedule`, a #systolic.schedule, has fields over those of the
    template's. `why` says why the template was taken (empty: there is no
    other) and where the tuning comes from; `not` what was not taken of either, each with its reason.

    - C1: `tuning` is a dictionary of i64 numbers.

    ```mlir
    module attributes {nstf.example = #nstf.choice<{BM = 16 : i64} schedule #systolic.schedule<waves = 1x4>,
        template why "up to 16 rows: matrix cores" not ["matvec: up to 16 rows: matrix cores"],
        tuning why "tuning/gfx942/matmul/f32.yaml row 1: one cell of rows" not []>} {}
    ```
  }];
  let parameters = (ins
    "::mlir::DictionaryAttr":$tuning,
    OptionalParameter<"::mlir::Attribute">:$schedule, // that dialect is below this one
    StringRefParameter<>:$templateReason,
    "::mlir::ArrayAttr":$rejectedTemplates,
    StringRefParameter<>:$tuningReason,
    "::mlir::ArrayAttr":$rejectedTuning
  );
  let assemblyFormat = [{
    `<` $tuning (`schedule` $schedule^)? `,` `template` `why` $templateReason `not` $rejectedTemplates
    `,` `tuning` `why` $tuningReason `not` $rejectedTuning `>`
  }];
  let extraClassDeclaration = [{
    /// Both reasons in one sentence.
    std::string getReason() const;
  }];
  let genVerifyDecl = 1;
}

#endif
