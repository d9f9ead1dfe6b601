// Attributes of weights and kernels: where a weight's bytes are stored (the IR never holds them), how quantised
// matrices are encoded, and how and why a kernel was matched to a template.
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
    Row-major, little-endian elements of type `storedType` that start `offset` bytes after the start of the file. A view
    has `sizes` and `strides` (in elements), and its elements need not be contiguous: element [i, j, …] of the view is
    i·strides[0] + j·strides[1] + … elements after the first one. The weight's elements in row-major order are the
    view's elements in row-major order. Views make weights of parts of packed tensors and of transposed tensors without
    a copy.

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
    /// Whether the elements are placed by `sizes` and `strides`.
    bool isView() const { return !getSizes().empty(); }
    /// Bytes from `offset` to the end of the last of `elements` elements; nullopt if that exceeds 2⁶³.
    std::optional<int64_t> getByteSpan(int64_t elements) const;
  }];
  let genVerifyDecl = 1;
}

def NSTF_CacheKind : I32EnumAttr<"CacheKind", "the contents of a cache in operand order",
    [I32EnumAttrCase<"keys", 0>, I32EnumAttrCase<"values", 1>, I32EnumAttrCase<"scales", 2>]> {
  let cppNamespace = "::nstf";
}

def NSTF_OperandOrderAttr
    : NSTF_Attr<"OperandOrder", "operand_order", [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "a cache stored in the order in which matrix cores read it";
  let description = [{
    The encoding of the type of a cache [context, heads·D]. It changes only the order in memory; the value stays the
    same. In memory the cache is a matrix in which context is rounded up to 64. Matrices of keys and values are stored
    in blocks of 16 rows and 64 bytes of each row (#systolic.packed<16 x 64 bytes, by 4>); attention's products sum
    along these rows. With E elements in 64 bytes the matrix has the shape:
    - keys: [context, heads·D'] with D' = D rounded up to E;
    - values: [heads·D', context], transposed, with D' = D rounded up to 16;
    - scales of codes, one for each position and head: [heads, context], transposed, row by row.
    The padding is zero at the start of a run, and only zeros are ever written to it.

    - C1: `heads` ≥ 1.
    - C2: the type is a static matrix whose columns `heads` divides.
    - C3: an element has 1, 2 or 4 bytes.
    - C4: scales have as many columns as heads.

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
    /// The matrix that holds a tensor of this type in memory.
    ::nstf::support::OperandOrder::Matrix getMatrix(::mlir::RankedTensorType type) const;
    /// The operand order of a tensor type; null if the tensor is stored row by row.
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
  let summary = "a matrix of integer codes of a few bits, with scales";
  let description = [{
    Element (n, k) of a matrix [N, K] is scale(n, g)·(code(n, k) - zero(n, g)) with g = k / group. Codes and zeros are
    unsigned integers of `bits` bits. Without a plane of zeros, every zero is 2^(bits-1). `group = row` makes each row
    one group.

    The planes, with G = ⌈K / group⌉ groups:
    - `codes`: for 8 bits [N, K] of i8, each code - 128; else [N, ⌈K / 8⌉] of i32, the low four bits of eight codes;
    - `high`: for 5 and 6 bits [N, ⌈K·(bits-4) / 32⌉] of i32, the remaining bits of each code;
    - `scales`: [N, G] of f16, or of f32 if the scales of a checkpoint need it;
    - `zeros`: [⌈N / Z⌉, G] of i32 with Z = ⌊32 / bits⌋: word (i, g) holds the zeros of rows i·Z … i·Z + Z-1, the first
      in its low bits.

    A group consists of adjacent columns. If the groups of a checkpoint are not of adjacent columns, the columns are
    sorted by group, and one more plane, `order`, [1, K] of i32, gives the input of the product that each column belongs
    to. Every format can have this plane.

    In a word with b bits of each code, code j starts at bit b·⌊j / 2⌋ + 16·(j mod 2): two adjacent codes are in the two
    halves of the word, so one shift and one mask give a pair of 16-bit numbers.

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
  let summary = "a matrix of 8-bit float codes, with scales";
  let description = [{
    Element (n, k) of a matrix [N, K] is scale(n, g)·code(n, k), g = k / group. `group = row` makes each row one group.

    The planes, with G = ⌈K / group⌉ groups:
    - `codes`: [N, K] of the type, without NaN and negative zero;
    - `scales`: [N, G] of f16, or of f32 if the scales of a checkpoint need it.

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

def NSTF_CodeLayout : I32EnumAttr<"CodeLayout", "the layout of codes in the tensors of a checkpoint",
    [I32EnumAttrCase<"pack", 0>, I32EnumAttrCase<"pack_loose", 1>, I32EnumAttrCase<"bytes", 2>,
     I32EnumAttrCase<"awq", 3>, I32EnumAttrCase<"gptq", 4>, I32EnumAttrCase<"gptq_v2", 5>,
     I32EnumAttrCase<"floats", 6>]> {
  let cppNamespace = "::nstf";
}

def NSTF_StoredCodesAttr : NSTF_Attr<"StoredCodes", "stored_codes"> {
  let summary = "a quantised matrix in a checkpoint";
  let description = [{
    `codes`, `scales` and `zeros`, if there are any, are tensors of the checkpoint. `layout` gives the position of each
    bit in them (compiler/quantize/StoredCodes.h):
    - `pack`: pack-quantized of compressed-tensors, all bits of a word used;
    - `pack_loose`: pack-quantized as older writers of compressed-tensors store it, with whole codes only in a word;
    - `bytes`: int-quantized of compressed-tensors;
    - `awq`: AWQ's gemm;
    - `gptq` and `gptq_v2`: GPTQ's, which differ in how zeros are stored;
    - `floats`: numbers of f8E4M3FN.

    With `bytes` and `floats` several rows may share a scale and a zero. `grouped by` is a tensor of i32 with the group
    of each input; it is given if the groups are not of adjacent inputs.

    - C1: each scale is of at least one row, and of more than one only with `bytes` and `floats`.

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
  let summary = "one plane of a quantised matrix, computed when its bytes are written";
  let description = [{
    The matrix `of` has `rows` rows. `stored` says where the checkpoint keeps its codes. Otherwise the codes are
    computed from the matrix's numbers, and `from` says where these are. With neither, the package's weight mode
    decides.

    To compute codes, each group is rounded to nearest with a scale of its own, an f16. With `zeros` the scale spans the
    smallest and the largest element of the group, and 0. Without `zeros` the element of largest magnitude becomes code
    0, or in a float format 224: the bits of 240 are NaN in f8E4M3FN, the type of checkpoints.

    - C1: `rows` ≥ 1.
    - C2: a plane `zeros` needs `zeros`, a plane `high` a format that has one, and a plane `order` codes that are
      `stored` in groups.
    - C3: at most one of `from` and `stored` is given, and `stored` has zeros exactly if the format has.

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
    nstf-select-kernels computes the binding once. The tuning is looked up with it, and the template is filled from it.

    `parameters` holds the template's parameters that the region determines: extents and switches; `tokens` replaces a
    leading `?`. `per_token` names the parameters that grow with the tokens of a step and gives their rows for each
    token. `buffers` maps each buffer of the template to a value of the region; `tile` is the value that the template
    passes to its epilogue. Values are numbered: the region's arguments, then the results of its operations in order.
    `operand` is the type of the operands of matrix products. With `requests` over 1 the binding describes one request;
    a launch serves that many requests, each with its own workgroups.

    - C1: the template has a name.
    - C2: `tokens` ≥ 1.
    - C3: `per_token` and `buffers` are dictionaries of i64 numbers ≥ 0.
    - C4: each name in `per_token` is a parameter whose value is at least that number times `tokens`.
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
    `<` $templateName (`of` $requests^ `requests`)? `,` `tokens` `=` $tokens `,` `parameters` `=` $parameters
    `,` `per_token` `=` $perToken `,` `buffers` `=` $buffers (`,` `tile` `=` $tile^)?
    (`,` `operand` `=` $operandType^)? `>`
  }];
  let genVerifyDecl = 1;
}

def NSTF_ChoiceAttr : NSTF_Attr<"Choice", "choice"> {
  let summary = "the tuning of a kernel, and why this template and this tuning were chosen";
  let description = [{
    `tuning` holds parameters that override the template's defaults. `schedule`, a #systolic.schedule, overrides fields
    of the template's schedule. `why` gives the reason for the template (empty: there was no other) and the source of
    the tuning. `not` lists the rejected templates and tuning rows, each with its reason.

    - C1: `tuning` is a dictionary of i64 numbers.

    ```mlir
    module attributes {nstf.example = #nstf.choice<{BM = 16 : i64} schedule #systolic.schedule<waves = 1x4>,
        template why "up to 16 rows: matrix cores" not ["matvec: up to 16 rows: matrix cores"],
        tuning why "tuning/gfx942/matmul/f32.yaml row 1: one cell of rows" not []>} {}
    ```
  }];
  let parameters = (ins
    "::mlir::DictionaryAttr":$tuning,
    OptionalParameter<"::mlir::Attribute">:$schedule, // an Attribute, because the systolic dialect is below this one
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
