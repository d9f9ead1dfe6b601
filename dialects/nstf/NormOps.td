// Normalisations of rows.
#ifndef NSTF_NORM_OPS
#define NSTF_NORM_OPS

include "dialects/nstf/Dialect.td"
include "dialects/nstf/Interfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def NSTF_RmsNormOp : NSTF_Op<"rms_norm", [Pure, InferTypeOpAdaptor,
                                         DeclareOpInterfaceMethods<NSTF_EpilogueOp, ["computesStepRows"]>]> {
  let summary = "normalisation by the root of the mean square";
  let description = [{
    Every group of D features of a row is normalised separately, where D is the length of the weight: the whole row if
    D = K, every head in a norm of queries or keys. With j = g·D + d:
    result[i, j] = x[i, j]·weight[d] / √(mean_d(x[i, g·D+d]²) + eps)

    - C1: weight is [D], and D divides K for x [M, K].
    - C2: eps is finite and ≥ 0.
    - C3: the result has the type of x.

    ```mlir
    func.func @rms_norm(%x: tensor<?x64xf32>, %weight: tensor<64xf32>) -> tensor<?x64xf32> {
      %y = nstf.rms_norm %x, %weight {eps = 1.0e-5 : f64} : (tensor<?x64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
      return %y : tensor<?x64xf32>
    }
    ```
  }];
  let arguments = (ins
    Arg<NSTF_Activation, "[M, K]">:$x,
    Arg<NSTF_Vector, "[D], a factor for every feature of a group">:$weight,
    F64Attr:$eps);
  let results = (outs NSTF_Activation:$result);
  let assemblyFormat = "$x `,` $weight attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def NSTF_LayerNormOp : NSTF_Op<"layer_norm", [Pure, InferTypeOpAdaptor,
                                             DeclareOpInterfaceMethods<NSTF_EpilogueOp, ["getEpilogueBias"]>]> {
  let summary = "normalisation by mean and variance";
  let description = [{
    result[i, j] = (x[i, j] - mean)·weight[j] / √(variance + eps) + bias[j], where mean = meanⱼ(x[i, j]) and
    variance = meanⱼ((x[i, j] - mean)²).

    - C1: weight and bias, where given, are [K] for x [M, K].
    - C2: eps is finite and ≥ 0.
    - C3: the result has the type of x.

    ```mlir
    func.func @layer_norm(%x: tensor<?x64xf32>, %weight: tensor<64xf32>, %bias: tensor<64xf32>) -> tensor<?x64xf32> {
      %y = nstf.layer_norm %x, %weight, %bias {eps = 1.0e-5 : f64}
          : (tensor<?x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<?x64xf32>
      return %y : tensor<?x64xf32>
    }
    ```
  }];
  let arguments = (ins
    Arg<NSTF_Activation, "[M, K]">:$x,
    Arg<NSTF_Vector, "[K], a factor for every feature">:$weight,
    Arg<Optional<NSTF_Vector>, "[K], added to every row">:$bias,
    F64Attr:$eps);
  let results = (outs NSTF_Activation:$result);
  let assemblyFormat = "$x `,` $weight (`,` $bias^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def NSTF_L2NormalizeOp : NSTF_Op<"l2_normalize", [Pure, InferTypeOpAdaptor, NSTF_EpilogueOp]> {
  let summary = "rows scaled to length one";
  let description = [{
    result[i, j] = x[i, j] / max(√(Σⱼ x[i, j]²), eps)

    - C1: eps is finite and > 0: a row of zeros stays zero.
    - C2: the result has the type of x.

    ```mlir
    func.func @l2_normalize(%x: tensor<1x384xf32>) -> tensor<1x384xf32> {
      %y = nstf.l2_normalize %x : (tensor<1x384xf32>) -> tensor<1x384xf32>
      return %y : tensor<1x384xf32>
    }
    ```
  }];
  let arguments = (ins
    Arg<NSTF_Activation, "[M, K]">:$x,
    DefaultValuedAttr<F64Attr, "1.0e-12">:$eps);
  let results = (outs NSTF_Activation:$result);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

#endif
