// Operations that depend on a row's position in the text: rotary embedding, the KV cache and attention.
#ifndef NSTF_ATTENTION_OPS
#define NSTF_ATTENTION_OPS

include "dialects/nstf/Dialect.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def NSTF_RopeOp : NSTF_Op<"rope", [Pure, InferTypeOpAdaptor]> {
  let summary = "rotary position embedding of every head";
  let description = [{
    All importers emit this one canonical form, with one explicit frequency for each pair. With n = |inv_freq| and
    angle = (position + row)·inv_freq[i], pair i of each head, (a, b), becomes
    scale·(a·cos(angle) - b·sin(angle), b·cos(angle) + a·sin(angle)). Pair i consists of features i and i+n of the
    head, or of 2i and 2i+1 if `interleaved`. Features from 2n on pass through unchanged and unscaled.

    `table` [context, 2n] holds scale·cos and scale·sin of every position (see #nstf.rope_table);
    nstf-materialize-rope-tables adds it.

    - C1: head_size > 0, and the features of x are a multiple of it.
    - C2: 1 ≤ n and 2n ≤ head_size.
    - C3: inv_freq and scale are finite.
    - C4: table, where given, has 2n columns of f32.
    - C5: the result has the type of x.

    ```mlir
    func.func @rope(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
      %y = nstf.rope %x {head_size = 8 : i64, inv_freq = array<f64: 1.0, 0.1, 0.01, 0.001>, interleaved}
          : (tensor<?x64xf32>) -> tensor<?x64xf32>
      return %y : tensor<?x64xf32>
    }
    ```
  }];
  let arguments = (ins
    Arg<NSTF_Activation, "[M, heads·head_size]">:$x,
    Arg<Optional<NSTF_Matrix>, "[context, 2n] cosines and sines">:$table,
    I64Attr:$head_size,
    DenseF64ArrayAttr:$inv_freq,
    UnitAttr:$interleaved,
    DefaultValuedAttr<F64Attr, "1.0">:$scale);
  let results = (outs NSTF_Activation:$result);
  let assemblyFormat = "$x (`,` $table^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Number of rotated features of a head: 2n.
    int64_t getRotaryDim() { return 2 * getInvFreq().size(); }
  }];
}

def NSTF_KvAppendOp : NSTF_Op<"kv_append", [Pure, InferTypeOpAdaptor]> {
  let summary = "a cache with the rows of this step written into it";
  let description = [{
    result[position + i, :] = rows[i, :], and result = cache everywhere else.

    As a value, the op is pure. In memory the result *is* the storage of `cache`, written in place, so appending costs
    only the new rows. The cache therefore has no other use (graph_c5). A consumer that reads the cache through the
    result is ordered after the write.

    - C1: rows [M, F] and cache [context, F] have the same F and element type.
    - C2: the result has the type of the cache.
    - C3: rows are stored row by row; the cache may be stored in operand order (#nstf.operand_order).

    ```mlir
    func.func @kv_append(%rows: tensor<?x32xf32>, %cache: tensor<512x32xf32>) -> tensor<512x32xf32> {
      %y = nstf.kv_append %rows, %cache : (tensor<?x32xf32>, tensor<512x32xf32>) -> tensor<512x32xf32>
      return %y : tensor<512x32xf32>
    }
    ```
  }];
  let arguments = (ins
    Arg<NSTF_FactorRows, "[M, kv_heads·head_size], the keys or values of this step">:$rows,
    Arg<NSTF_FactorMatrix, "[context, kv_heads·head_size]">:$cache);
  let results = (outs NSTF_FactorMatrix:$result);
  let assemblyFormat = "$rows `,` $cache attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def NSTF_AttentionOp : NSTF_Op<"attention", [Pure, InferTypeOpAdaptor,
                                            DeclareOpInterfaceMethods<NSTF_MixedPrecisionOp, ["isProductOperand"]>]> {
  let summary = "softmax(scale·q·kᵀ)·v for every head";
  let description = [{
    With D = features(q) / heads, query head h takes the features h·D … h·D+D-1 of q and reads the key and value head
    g = h / (heads / kv_heads):
    s[i, t] = scale·Σ_d q[i, h·D+d]·k[t, g·D+d], result[i, h·D+d] = Σₜ softmaxₜ(s[i, t])·v[t, g·D+d].

    k and v are either rows of this step or caches [context, kv_heads·D]. Rows of this step have the leading dimension
    of q; then t runs over all rows, or over 0 … i if `causal`. For caches, t runs over 0 … position+i. `window` limits
    t to the last `window` positions: a row at position p sees key t if p - t < window.

    If k and v are codes, `scales` holds two tensors: the scales of k, then those of v, one for each row and head.
    k[t, g·D+d] then stands for scales[0][t, g]·k[t, g·D+d]. A key's scale multiplies its score, and a value's scale
    multiplies its softmax weight, so no single element of k or v is scaled.

    - C1: heads > 0, kv_heads > 0, and heads is a multiple of kv_heads.
    - C2: the features of q are a multiple of heads.
    - C3: k and v have the same type except for their encodings. Either neither has an encoding, or k has
      #nstf.operand_order of keys and v that of values, both with kv_heads.
    - C4: k has kv_heads·D features. Its element type is that of q, or with scales i8 or f8E4M3FNUZ.
    - C5: a cache needs `causal`: rows behind the last position have no meaning.
    - C6: scale is finite.
    - C7: the result has the shape of q and is f32.
    - C8: window, where given, is ≥ 1, and needs `causal`.
    - C9: there are two scales or none. Each has a row for each row of k and a column for each head of k. Scales have
      the operand order of scales if k has that of keys.

    ```mlir
    func.func @attention(%q: tensor<?x64xf32>, %k: tensor<512x32xf32>, %v: tensor<512x32xf32>) -> tensor<?x64xf32> {
      %y = nstf.attention %q, %k, %v {heads = 8 : i64, kv_heads = 4 : i64, causal, scale = 0.35355339059327373 : f64}
          : (tensor<?x64xf32>, tensor<512x32xf32>, tensor<512x32xf32>) -> tensor<?x64xf32>
      return %y : tensor<?x64xf32>
    }
    func.func @of_codes(%q: tensor<?x64xf16>, %k: tensor<512x32xi8>, %v: tensor<512x32xi8>,
                        %k_scales: tensor<512x4xf32>, %v_scales: tensor<512x4xf32>) -> tensor<?x64xf32> {
      %y = nstf.attention %q, %k, %v scales %k_scales, %v_scales
          {heads = 8 : i64, kv_heads = 4 : i64, causal, scale = 0.5 : f64}
          : (tensor<?x64xf16>, tensor<512x32xi8>, tensor<512x32xi8>, tensor<512x4xf32>, tensor<512x4xf32>)
          -> tensor<?x64xf32>
      return %y : tensor<?x64xf32>
    }
    ```
  }];
  let arguments = (ins
    Arg<NSTF_Operand, "[M, heads·D]">:$q,
    Arg<NSTF_FactorRows, "[T, kv_heads·D]">:$k,
    Arg<NSTF_FactorRows, "[T, kv_heads·D]">:$v,
    Arg<Variadic<NSTF_Activation>, "[T, kv_heads], the scales of k and those of v, if k and v are codes">:$scales,
    I64Attr:$heads,
    I64Attr:$kv_heads,
    UnitAttr:$causal,
    F64Attr:$scale,
    OptionalAttr<I64Attr>:$window);
  let results = (outs NSTF_Activation:$result);
  let assemblyFormat = [{
    $q `,` $k `,` $v (`scales` $scales^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// D, the features of one head.
    int64_t getHeadSize() { return getQ().getType().getDimSize(1) / static_cast<int64_t>(getHeads()); }
    /// Whether k and v are codes, which have scales.
    bool readsCodes() { return !getScales().empty(); }
    /// Whether k and v are caches instead of rows of this step.
    bool readsCache() { return getK().getType().getDimSize(0) != getQ().getType().getDimSize(0); }
  }];
}

#endif
