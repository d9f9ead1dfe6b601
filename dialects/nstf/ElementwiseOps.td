// Elementwise operations, which are fused into the kernels around them.
#ifndef NSTF_ELEMENTWISE_OPS
#define NSTF_ELEMENTWISE_OPS

include "dialects/nstf/Dialect.td"
include "dialects/nstf/Interfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// AllTypesMatch instead of SameOperandsAndResultType, which would accept [1, N] in place of [?, N].

class NSTF_UnaryOp<string mnemonic>
    : NSTF_Op<mnemonic, [Pure, AllTypesMatch<["x", "result"]>, DeclareOpInterfaceMethods<NSTF_ElementwiseOp>]> {
  let arguments = (ins Arg<NSTF_Activation, "[M, N]">:$x);
  let results = (outs NSTF_Activation:$result);
  let assemblyFormat = "$x attr-dict `:` type($result)";
}

class NSTF_BinaryOp<string mnemonic, list<Trait> traits = []>
    : NSTF_Op<mnemonic, !listconcat(traits, [Pure, AllTypesMatch<["a", "b", "result"]>,
                                             DeclareOpInterfaceMethods<NSTF_ElementwiseOp>])> {
  let arguments = (ins Arg<NSTF_Activation, "[M, N]">:$a, Arg<NSTF_Activation, "[M, N]">:$b);
  let results = (outs NSTF_Activation:$result);
  let assemblyFormat = "$a `,` $b attr-dict `:` type($result)";
}

def NSTF_ConvertOp : NSTF_Op<"convert", [Pure, InferTypeOpAdaptor, DeclareOpInterfaceMethods<NSTF_ElementwiseOp>]> {
  let summary = "the same numbers in another float type";
  let description = [{
    Rounds to nearest even; values beyond the largest number become infinity.

    - C1: `type` is f32, f16 or bf16.
    - C2: the result has the shape of x and elements of `type`.

    ```mlir
    func.func @convert(%x: tensor<?x64xf32>) -> tensor<?x64xf16> {
      %y = nstf.convert %x {type = f16} : (tensor<?x64xf32>) -> tensor<?x64xf16>
      return %y : tensor<?x64xf16>
    }
    ```
  }];
  let arguments = (ins Arg<NSTF_Operand, "[M, N]">:$x, TypeAttrOf<NSTF_Float>:$type);
  let results = (outs NSTF_Operand:$result);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
}

def NSTF_SiluOp : NSTF_UnaryOp<"silu"> {
  let summary = "x·sigmoid(x)";
  let description = [{
    result[i, j] = x[i, j] / (1 + exp(-x[i, j]))

    - C1: the result has the type of x.

    ```mlir
    func.func @silu(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
      %y = nstf.silu %x : tensor<?x64xf32>
      return %y : tensor<?x64xf32>
    }
    ```
  }];
}

def NSTF_GeluOp : NSTF_Op<"gelu", [Pure, AllTypesMatch<["x", "result"]>,
                                   DeclareOpInterfaceMethods<NSTF_ElementwiseOp>]> {
  let summary = "x times the standard normal distribution function of x";
  let description = [{
    Every element is x/2·(1 + erf(x/√2)), or with `tanh` the usual approximation
    x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))).

    - C1: the result has the type of x.

    ```mlir
    func.func @gelu(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
      %y = nstf.gelu %x : tensor<?x64xf32>
      %z = nstf.gelu %y {tanh} : tensor<?x64xf32>
      return %z : tensor<?x64xf32>
    }
    ```
  }];
  let arguments = (ins Arg<NSTF_Activation, "[M, N]">:$x, UnitAttr:$tanh);
  let results = (outs NSTF_Activation:$result);
  let assemblyFormat = "$x attr-dict `:` type($result)";
}

def NSTF_ReluOp : NSTF_UnaryOp<"relu"> {
  let summary = "the positive part";
  let description = [{
    result[i, j] = max(x[i, j], 0); NaN stays NaN.

    - C1: the result has the type of x.

    ```mlir
    func.func @relu(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
      %y = nstf.relu %x : tensor<?x64xf32>
      return %y : tensor<?x64xf32>
    }
    ```
  }];
}

def NSTF_TanhOp : NSTF_UnaryOp<"tanh"> {
  let summary = "hyperbolic tangent";
  let description = [{
    result[i, j] = tanh(x[i, j])

    - C1: the result has the type of x.

    ```mlir
    func.func @tanh(%x: tensor<?x64xf32>) -> tensor<?x64xf32> {
      %y = nstf.tanh %x : tensor<?x64xf32>
      return %y : tensor<?x64xf32>
    }
    ```
  }];
}

def NSTF_SwigluOp : NSTF_Op<"swiglu", [Pure, AllTypesMatch<["gate", "up", "result"]>,
                                       DeclareOpInterfaceMethods<NSTF_ElementwiseOp>]> {
  let summary = "the gated activation silu(gate)·up";
  let description = [{
    result[i, j] = gate[i, j] / (1 + exp(-gate[i, j]))·up[i, j]

    - C1: gate, up and the result have the same type.

    ```mlir
    func.func @swiglu(%gate: tensor<?x172xf32>, %up: tensor<?x172xf32>) -> tensor<?x172xf32> {
      %y = nstf.swiglu %gate, %up : tensor<?x172xf32>
      return %y : tensor<?x172xf32>
    }
    ```
  }];
  let arguments = (ins Arg<NSTF_Activation, "[M, N]">:$gate, Arg<NSTF_Activation, "[M, N]">:$up);
  let results = (outs NSTF_Activation:$result);
  let assemblyFormat = "$gate `,` $up attr-dict `:` type($result)";
}

def NSTF_AddOp : NSTF_BinaryOp<"add", [Commutative]> {
  let summary = "sum";
  let description = [{
    result[i, j] = a[i, j] + b[i, j]

    - C1: a, b and the result have the same type.

    ```mlir
    func.func @add(%a: tensor<?x64xf32>, %b: tensor<?x64xf32>) -> tensor<?x64xf32> {
      %y = nstf.add %a, %b : tensor<?x64xf32>
      return %y : tensor<?x64xf32>
    }
    ```
  }];
}

def NSTF_MulOp : NSTF_BinaryOp<"mul", [Commutative]> {
  let summary = "elementwise product";
  let description = [{
    result[i, j] = a[i, j]·b[i, j]

    - C1: a, b and the result have the same type.

    ```mlir
    func.func @mul(%a: tensor<?x64xf32>, %b: tensor<?x64xf32>) -> tensor<?x64xf32> {
      %y = nstf.mul %a, %b : tensor<?x64xf32>
      return %y : tensor<?x64xf32>
    }
    ```
  }];
}

#endif
