// Operations that reduce the rows of a step to one: the last row, the first row, or their mean.
#ifndef NSTF_ROW_OPS
#define NSTF_ROW_OPS

include "dialects/nstf/Dialect.td"
include "dialects/nstf/Interfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def NSTF_LastRowOp : NSTF_Op<"last_row", [Pure, InferTypeOpAdaptor]> {
  let summary = "the row of the step's last token";
  let description = [{
    result[0, j] = x[tokens-1, j], where tokens is M when x has a static M. If x has a single row, the op folds to x.
    With `requests` n, row i is the last row of request i of the step, or 0 if the step has no such request.

    - C1: the result is [n, F] for x [M, F], n = 1 without `requests`.

    ```mlir
    func.func @last_row(%x: tensor<?x64xf32>) -> tensor<1x64xf32> {
      %y = nstf.last_row %x : (tensor<?x64xf32>) -> tensor<1x64xf32>
      return %y : tensor<1x64xf32>
    }
    ```
  }];
  let arguments = (ins
    Arg<NSTF_Operand, "[M, F]">:$x,
    DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>, "1">:$requests);
  let results = (outs NSTF_Operand:$result);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def NSTF_FirstRowOp : NSTF_Op<"first_row", [Pure, InferTypeOpAdaptor]> {
  let summary = "the row of the step's first token";
  let description = [{
    result[0, j] = x[0, j]. If x has a single row, the op folds to x.

    - C1: the result is [1, F] for x [M, F].

    ```mlir
    func.func @first_row(%x: tensor<?x64xf32>) -> tensor<1x64xf32> {
      %y = nstf.first_row %x : (tensor<?x64xf32>) -> tensor<1x64xf32>
      return %y : tensor<1x64xf32>
    }
    ```
  }];
  let arguments = (ins Arg<NSTF_Activation, "[M, F]">:$x);
  let results = (outs NSTF_Activation:$result);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def NSTF_MeanRowsOp : NSTF_Op<"mean_rows", [Pure, InferTypeOpAdaptor, NSTF_EpilogueOp]> {
  let summary = "the mean of the step's rows";
  let description = [{
    result[0, j] = Σᵢ x[i, j] / tokens, where tokens is M when x has a static M. If x has a single row, the op folds to
    x.

    - C1: the result is [1, F] for x [M, F].

    ```mlir
    func.func @mean_rows(%x: tensor<?x64xf32>) -> tensor<1x64xf32> {
      %y = nstf.mean_rows %x : (tensor<?x64xf32>) -> tensor<1x64xf32>
      return %y : tensor<1x64xf32>
    }
    ```
  }];
  let arguments = (ins Arg<NSTF_Activation, "[M, F]">:$x);
  let results = (outs NSTF_Activation:$result);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

#endif
