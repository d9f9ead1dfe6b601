// Where the bytes of a weight come from (bytes are never in the IR), and how a kernel was fitted to a template, and why.
#ifndef NSTF_ATTRIBUTES
#define NSTF_ATTRIBUTES

include "dialects/nstf/Dialect.td"
include "mlir/IR/AttrTypeBase.td"

class NSTF_Attr<string name, string attrMnemonic> : AttrDef<NSTF_Dialect, name> {
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

def NSTF_BindingAttr : NSTF_Attr<"Binding", "binding"> {
  let summary = "how a kernel region fits a kernel template";
  let description = [{
    Computed once, by nstf-select-kernels; tuning is looked up with it, and the template is filled from it.

    `parameters` are the template's numbers that the region decides: extents and switches, where `tokens` stands for a
    leading `?`. `per_token` names those that grow with the tokens of a step, and how many rows a token has. `buffers`
    says which value of the region lies in which buffer of the template, `tile` which one the template hands to its
    epilogue. Values are counted: the region's arguments, then the results of its operations in their order.
    `operand` is the type of matrix products' operands.

    - C1: the template has a name.
    - C2: `tokens` ≥ 1.
    - C3: `per_token` and `buffers` are dictionaries of i64 numbers ≥ 0.
    - C4: what `per_token` names is a parameter, and at least that number times `tokens`.

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
    OptionalParameter<"::mlir::Type">:$operandType
  );
  let assemblyFormat = [{
    `<` $templateName `,` `tokens` `=` $tokens `,` `parameters` `=` $parameters `,` `per_token` `=` $perToken
    `,` `buffers` `=` $buffers (`,` `tile` `=` $tile^)? (`,` `operand` `=` $operandType^)? `>`
  }];
  let genVerifyDecl = 1;
}

def NSTF_ChoiceAttr : NSTF_Attr<"Choice", "choice"> {
  let summary = "which tuning a kernel has, and why it has this template and this tuning";
  let description = [{
    `tuning` are parameters over the template's defaults. `why` says why the template was taken (empty: there is no
    other) and where the tuning comes from; `not` what was not taken of either, each with its reason.

    - C1: `tuning` is a dictionary of i64 numbers.

    ```mlir
    module attributes {nstf.example = #nstf.choice<{BM = 16 : i64},
        template why "up to 16 rows: matrix cores" not ["matvec: up to 16 rows: matrix cores"],
        tuning why "tuning/gfx942/matmul/f32.yaml row 1: one cell of rows" not []>} {}
    ```
  }];
  let parameters = (ins
    "::mlir::DictionaryAttr":$tuning,
    StringRefParameter<>:$templateReason,
    "::mlir::ArrayAttr":$rejectedTemplates,
    StringRefParameter<>:$tuningReason,
    "::mlir::ArrayAttr":$rejectedTuning
  );
  let assemblyFormat = [{
    `<` $tuning `,` `template` `why` $templateReason `not` $rejectedTemplates
    `,` `tuning` `why` $tuningReason `not` $rejectedTuning `>`
  }];
  let extraClassDeclaration = [{
    /// Both reasons in one sentence.
    std::string getReason() const;
  }];
  let genVerifyDecl = 1;
}

#endif
