// Where the bytes of a weight come from: a range of a file, or a formula. Bytes are never in the IR.
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

#endif
