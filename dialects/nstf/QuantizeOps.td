// Matrices in fewer bits than numbers: ordinary tensors and what they mean.
#ifndef NSTF_QUANTIZE_OPS
#define NSTF_QUANTIZE_OPS

include "dialects/nstf/Attributes.td"
include "dialects/nstf/Interfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def NSTF_Codes : NSTF_TensorOf<2, NSTF_AllStatic, AnyTypeOf<[I<8>, I<32>]>, "static [rows, words] tensor of i8 or i32">;
def NSTF_Words : NSTF_TensorOf<2, NSTF_AllStatic, I<32>, "static [rows, words] tensor of i32">;
def NSTF_Scales : NSTF_TensorOf<2, NSTF_AllStatic, F16, "static [rows, groups] tensor of f16">;

def NSTF_DequantizeOp : NSTF_Op<"dequantize", [Pure, AttrSizedOperandSegments, NSTF_DecodeOp]> {
  let summary = "the matrix that planes of codes stand for";
  let description = [{
    result[n, k] = scale(n, g)·(code(n, k) - zero(n, g)), g = k / group: `#nstf.int` says where in the planes they are.

    - C1: `codes` has the type of the format's plane for the result's rows.
    - C2: `high` is there where the format has it, of the plane's type.
    - C3: `scales` has the plane's type.
    - C4: `zeros`, where given, has the plane's type.
    - C5: the result has the format's columns.

    ```mlir
    func.func @dequantize(%codes: tensor<172x8xi32>, %scales: tensor<172x2xf16>, %zeros: tensor<22x2xi32>)
        -> tensor<172x64xf16> {
      %w = nstf.dequantize %codes, %scales, %zeros {format = #nstf.int<4, group = 32, columns = 64>}
          : (tensor<172x8xi32>, tensor<172x2xf16>, tensor<22x2xi32>) -> tensor<172x64xf16>
      return %w : tensor<172x64xf16>
    }
    func.func @of_six_bits(%codes: tensor<172x8xi32>, %high: tensor<172x4xi32>, %scales: tensor<172x1xf16>)
        -> tensor<172x64xf32> {
      %w = nstf.dequantize %codes high %high, %scales {format = #nstf.int<6, group = row, columns = 64>}
          : (tensor<172x8xi32>, tensor<172x4xi32>, tensor<172x1xf16>) -> tensor<172x64xf32>
      return %w : tensor<172x64xf32>
    }
    ```
  }];
  let arguments = (ins
    Arg<NSTF_Codes, "codes, or their low four bits">:$codes,
    Arg<Optional<NSTF_Words>, "the other bits of codes of 5 and 6">:$high,
    Arg<NSTF_Scales, "one for each row and group">:$scales,
    Arg<Optional<NSTF_Words>, "the codes that stand for 0">:$zeros,
    NSTF_IntFormatAttr:$format);
  let results = (outs NSTF_Matrix:$result);
  let assemblyFormat = "$codes (`high` $high^)? `,` $scales (`,` $zeros^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The operand that is this plane; null where there is none.
    mlir::Value getPlane(nstf::Plane plane);
  }];
}

#endif
