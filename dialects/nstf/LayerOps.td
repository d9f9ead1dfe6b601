// Layers that work row by row: embedding, learned positions, linear, softmax and argmax.
#ifndef NSTF_LAYER_OPS
#define NSTF_LAYER_OPS

include "dialects/nstf/Dialect.td"
include "dialects/nstf/Interfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def NSTF_EmbeddingOp : NSTF_Op<"embedding", [Pure, InferTypeOpAdaptor, NSTF_EpilogueOp,
                                            DeclareOpInterfaceMethods<NSTF_MixedPrecisionOp, ["readsAnyFloat"]>]> {
  let summary = "rows of a table, chosen by ids";
  let description = [{
    result[i, j] = table[ids[i], j]

    Ids must be in 0 … V-1; the runtime checks them before a step.

    - C1: the result is [M, H] of f32 for ids [M] and a table [V, H] of any float type.

    ```mlir
    func.func @embedding(%ids: tensor<?xi32>, %table: tensor<512x64xf32>) -> tensor<?x64xf32> {
      %x = nstf.embedding %ids, %table : (tensor<?xi32>, tensor<512x64xf32>) -> tensor<?x64xf32>
      return %x : tensor<?x64xf32>
    }
    ```
  }];
  let arguments = (ins
    Arg<NSTF_Ids, "token ids, one for each row">:$ids,
    Arg<NSTF_Matrix, "one row for each id">:$table);
  let results = (outs NSTF_Activation:$result);
  let assemblyFormat = "$ids `,` $table attr-dict `:` functional-type(operands, results)";
}

def NSTF_AddPositionsOp : NSTF_Op<"add_positions", [Pure, InferTypeOpAdaptor,
                                                   DeclareOpInterfaceMethods<NSTF_ElementwiseOp,
                                                                             ["isByElement", "getTableOffset"]>,
                                                   DeclareOpInterfaceMethods<NSTF_MixedPrecisionOp,
                                                                             ["readsAnyFloat"]>]> {
  let summary = "adds a learned position vector to every row";
  let description = [{
    result[i, j] = x[i, j] + table[position + i + offset, j]

    - C1: table is [P, K] for x [M, K], of any float type.
    - C2: offset ≥ 0.
    - C3: in a graph, P ≥ context + offset: every position has a row.
    - C4: the result has the type of x.

    ```mlir
    func.func @add_positions(%x: tensor<?x64xf32>, %table: tensor<514x64xf32>) -> tensor<?x64xf32> {
      %y = nstf.add_positions %x, %table {offset = 2 : i64} : (tensor<?x64xf32>, tensor<514x64xf32>) -> tensor<?x64xf32>
      return %y : tensor<?x64xf32>
    }
    ```
  }];
  let arguments = (ins
    Arg<NSTF_Activation, "[M, K]">:$x,
    Arg<NSTF_Matrix, "[P, K], one row for each position">:$table,
    DefaultValuedAttr<I64Attr, "0">:$offset);
  let results = (outs NSTF_Activation:$result);
  let assemblyFormat = "$x `,` $table attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def NSTF_LinearOp : NSTF_Op<"linear", [Pure, InferTypeOpAdaptor,
                                      DeclareOpInterfaceMethods<NSTF_EpilogueOp, ["getEpilogueBias"]>,
                                      DeclareOpInterfaceMethods<NSTF_MixedPrecisionOp, ["isProductOperand"]>]> {
  let summary = "product with a weight matrix, with an optional bias";
  let description = [{
    result[i, n] = Σₖ x[i, k]·w[n, k] + bias[n]

    The output dimension of the weight is the outer one, as Hugging Face stores it.

    - C1: x [M, K] and w [N, K] have the same K.
    - C2: bias, where given, is [N].
    - C3: x and w have the same element type; bias is f32.
    - C4: the result is [M, N], of f32, or of i32 if x and w are of i8; then sums are modulo 2³².
    - C5: a product of i8 has no bias.

    ```mlir
    func.func @linear(%x: tensor<?x64xf32>, %w: tensor<172x64xf32>, %bias: tensor<172xf32>) -> tensor<?x172xf32> {
      %y = nstf.linear %x, %w, %bias
          : (tensor<?x64xf32>, tensor<172x64xf32>, tensor<172xf32>) -> tensor<?x172xf32>
      return %y : tensor<?x172xf32>
    }
    func.func @whole(%x: tensor<?x64xi8>, %w: tensor<172x64xi8>) -> tensor<?x172xi32> {
      %y = nstf.linear %x, %w : (tensor<?x64xi8>, tensor<172x64xi8>) -> tensor<?x172xi32>
      return %y : tensor<?x172xi32>
    }
    ```
  }];
  let arguments = (ins
    Arg<NSTF_FactorRows, "[M, K]">:$x,
    Arg<NSTF_FactorMatrix, "[N, K]">:$w,
    Arg<Optional<NSTF_Vector>, "[N], added to every row">:$bias);
  let results = (outs NSTF_Product:$result);
  let assemblyFormat = "$x `,` $w (`,` $bias^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def NSTF_SoftmaxOp : NSTF_Op<"softmax", [Pure, AllTypesMatch<["x", "result"]>]> {
  let summary = "softmax over the features of each row";
  let description = [{
    result[i, j] = exp(x[i, j] - maxⱼ x[i, j]) / Σⱼ exp(x[i, j] - maxⱼ x[i, j])

    - C1: the result has the type of x.

    ```mlir
    func.func @softmax(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
      %y = nstf.softmax %x : tensor<?x64xf32>
      return %y : tensor<?x64xf32>
    }
    ```
  }];
  let arguments = (ins Arg<NSTF_Activation, "[M, N]">:$x);
  let results = (outs NSTF_Activation:$result);
  let assemblyFormat = "$x attr-dict `:` type($result)";
}

def NSTF_ArgmaxOp : NSTF_Op<"argmax", [Pure, InferTypeOpAdaptor]> {
  let summary = "index of the largest feature of each row";
  let description = [{
    result[i] = the smallest j with x[i, j] = maxⱼ x[i, j]

    - C1: the result is [M] of i32 for x [M, N].

    ```mlir
    func.func @argmax(%x: tensor<1x512xf32>) -> tensor<1xi32> {
      %y = nstf.argmax %x : (tensor<1x512xf32>) -> tensor<1xi32>
      return %y : tensor<1xi32>
    }
    ```
  }];
  let arguments = (ins Arg<NSTF_Activation, "[M, N]">:$x);
  let results = (outs NSTF_Ids:$result);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
}

#endif
