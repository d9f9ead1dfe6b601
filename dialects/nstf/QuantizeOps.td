// Quantisation: ops between float tensors and tensors of codes and scales.
#ifndef NSTF_QUANTIZE_OPS
#define NSTF_QUANTIZE_OPS

include "dialects/nstf/Attrs.td"
include "dialects/nstf/Interfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def NSTF_Codes : NSTF_TensorOf<2, NSTF_AllStatic, AnyTypeOf<[I<8>, I<32>, F8E4M3FNUZ]>,
    "static [rows, words] tensor of i8, i32 or f8E4M3FNUZ">;
def NSTF_Words : NSTF_TensorOf<2, NSTF_AllStatic, I<32>, "static [rows, words] tensor of i32">;
def NSTF_CodeRows : NSTF_TensorOf<2, NSTF_LeadingDynamic, AnyTypeOf<[I8, F8E4M3FNUZ]>,
    "[rows, features] tensor of i8 or f8E4M3FNUZ with static features">;
def NSTF_Scales : NSTF_TensorOf<2, NSTF_AllStatic, AnyTypeOf<[F16, F32]>, "static [rows, groups] tensor of f16 or f32">;

def NSTF_DequantizeOp : NSTF_Op<"dequantize", [Pure, AttrSizedOperandSegments, NSTF_DecodeOp]> {
  let summary = "decodes a matrix from its planes of codes";
  let description = [{
    result[n, k] = scale(n, g)·(code(n, k) - zero(n, g)), g = k / group. The format, `#nstf.int` or `#nstf.float`,
    defines where each of them is stored in the planes.

    - C1: `codes` has the type of the format's plane for the result's rows.
    - C2: `high` is given exactly if the format has it, and has the plane's type.
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
    func.func @of_floats(%codes: tensor<172x64xf8E4M3FNUZ>, %scales: tensor<172x1xf16>) -> tensor<172x64xf16> {
      %w = nstf.dequantize %codes, %scales {format = #nstf.float<f8E4M3FNUZ, group = row, columns = 64>}
          : (tensor<172x64xf8E4M3FNUZ>, tensor<172x1xf16>) -> tensor<172x64xf16>
      return %w : tensor<172x64xf16>
    }
    ```
  }];
  let arguments = (ins
    Arg<NSTF_Codes, "codes, or their low four bits">:$codes,
    Arg<Optional<NSTF_Words>, "the remaining bits of codes of 5 and 6 bits">:$high,
    Arg<NSTF_Scales, "one for each row and group">:$scales,
    Arg<Optional<NSTF_Words>, "the codes of the number 0">:$zeros,
    NSTF_CodeFormat:$format);
  let results = (outs NSTF_Matrix:$result);
  let assemblyFormat = "$codes (`high` $high^)? `,` $scales (`,` $zeros^)? attr-dict "
                       "`:` functional-type(operands, results)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The operand that is this plane; null if there is none.
    mlir::Value getPlane(nstf::Plane plane);
    /// Whether every number is an element of `codes` times the scale of its row.
    bool hasPlainRows() { return !getFormat().isPacked() && getFormat().getGroups() == 1 && !getZeros(); }
  }];
}

def NSTF_QuantizeOp : NSTF_Op<"quantize", [Pure, InferTypeOpAdaptor]> {
  let summary = "rows as 8-bit codes, with a scale for each row and group of columns";
  let description = [{
    For each row i and the columns j of a group g = j / group, with max = 127 for i8 and 240 for f8E4M3FNUZ:

    scales[i, g] = maxⱼ |x[i, j]| / max, an f32;
    codes[i, j] = x[i, j] / scales[i, g], an f32, rounded to the nearest number of `type`, ties to even, and clamped to
    max.

    If the scale is 0, because every element of the group is 0 or below 2⁻¹⁴³, the codes are 0. If a group has a NaN or
    an infinity, its scale is that value; its codes are unspecified, and the numbers they stand for are not finite.

    - C1: `type` is i8 or f8E4M3FNUZ.
    - C2: `group` is at least 1 and divides the columns of x.
    - C3: for x [M, K] codes are [M, K] of `type`, scales [M, K / group] of f32.

    ```mlir
    func.func @quantize(%x: tensor<?x64xf32>) -> (tensor<?x64xi8>, tensor<?x2xf32>) {
      %codes, %scales = nstf.quantize %x {type = i8, group = 32 : i64}
          : tensor<?x64xf32> -> tensor<?x64xi8>, tensor<?x2xf32>
      return %codes, %scales : tensor<?x64xi8>, tensor<?x2xf32>
    }
    ```
  }];
  let arguments = (ins
    Arg<NSTF_Operand, "[M, K]">:$x,
    TypeAttrOf<AnyTypeOf<[I8, F8E4M3FNUZ], "i8 or f8E4M3FNUZ">>:$type,
    I64Attr:$group);
  let results = (outs
    Res<NSTF_CodeRows, "[M, K]">:$codes,
    Res<NSTF_Activation, "[M, K / group]">:$scales);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($codes) `,` type($scales)";
  let extraClassDeclaration = [{
    /// The largest code.
    double getMaxCode() { return getMaxCode(getType()); }
    static double getMaxCode(mlir::Type type) { return type.isInteger() ? 127 : 240; }
  }];
}

def NSTF_DequantizeRowsOp : NSTF_Op<"dequantize_rows", [Pure, NSTF_DecodeOp]> {
  let summary = "decodes rows from codes and scales";
  let description = [{
    result[i, j] = scales[i, g]·codes[i, j], g = j / group: the inverse of `quantize`, except for the rounding error.
    For codes [M, K] and scales [M, G] a group has K / G columns.

    - C1: the scales have as many rows as the codes, and a number of columns that divides theirs.
    - C2: the result has the shape of the codes.

    ```mlir
    func.func @dequantize_rows(%codes: tensor<?x64xi8>, %scales: tensor<?x2xf32>) -> tensor<?x64xf16> {
      %x = nstf.dequantize_rows %codes, %scales : (tensor<?x64xi8>, tensor<?x2xf32>) -> tensor<?x64xf16>
      return %x : tensor<?x64xf16>
    }
    ```
  }];
  let arguments = (ins Arg<NSTF_CodeRows, "[M, K]">:$codes, Arg<NSTF_Activation, "[M, G]">:$scales);
  let results = (outs NSTF_Operand:$result);
  let assemblyFormat = "$codes `,` $scales attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

#endif
