// One refusal for every numbered constraint of #nstf.int, #nstf.plane and dialects/nstf/QuantizeOps.td.
// RUN: nstf-opt %s -split-input-file -verify-diagnostics

// int_c1
// expected-error @+1 {{expected 4, 5, 6 or 8 bits but got 3}}
module attributes {nstf.example = #nstf.int<3, group = 128, columns = 64>} {}

// -----

// int_c1
// expected-error @+1 {{expected scales of f16 or f32 but got 'bf16'}}
module attributes {nstf.example = #nstf.int<4, group = row, columns = 64, scales = bf16>} {}

// -----

// int_c2
// expected-error @+1 {{expected groups of 32, 64, 128 or row but got 0}}
module attributes {nstf.example = #nstf.int<4, group = 0, columns = 64>} {}

// -----

// int_c2
// expected-error @+1 {{expected groups of 32, 64, 128 or row but got 48}}
module attributes {nstf.example = #nstf.int<4, group = 48, columns = 64>} {}

// -----

// int_c3
// expected-error @+1 {{expected at least 1 column but got 0}}
module attributes {nstf.example = #nstf.int<4, group = row, columns = 0>} {}

// -----

// float_c1
// expected-error @+1 {{expected numbers of f8E4M3FNUZ but got 'f8E4M3FN'}}
module attributes {nstf.example = #nstf.float<f8E4M3FN, group = row, columns = 64>} {}

// -----

// float_c1
// expected-error @+1 {{expected scales of f16 or f32 but got 'bf16'}}
module attributes {nstf.example = #nstf.float<f8E4M3FNUZ, group = row, columns = 64, scales = bf16>} {}

// -----

// float_c2
// expected-error @+1 {{expected groups of 32, 64, 128 or row but got 48}}
module attributes {nstf.example = #nstf.float<f8E4M3FNUZ, group = 48, columns = 64>} {}

// -----

// float_c3
// expected-error @+1 {{expected at least 1 column but got 0}}
module attributes {nstf.example = #nstf.float<f8E4M3FNUZ, group = row, columns = 0>} {}

// -----

// stored_codes_c1
// expected-error @+2 {{expected a scale for each row, or of bytes and floats for several, but got 128}}
nstf.weight @stored_codes_c1 : tensor<4x64xi8> plane <codes of "w", rows = 4, format = <8, group = row, columns = 64>,
    stored = <pack, codes = <"a", offset = 0, type = i32>, scales = <"a", offset = 256, type = f16> of 128 rows>>

// -----

// expected-error @+1 {{expected a format of codes but got 8 : i64}}
nstf.weight @format : tensor<4x64xi8> plane <codes of "w", rows = 4, format = 8>

// -----

// plane_c1
// expected-error @+1 {{expected at least 1 row but got 0}}
nstf.weight @plane_c1 : tensor<1x8xi32> plane <codes of "w", rows = 0, format = <4, group = row, columns = 64>>

// -----

// plane_c2
// expected-error @+1 {{expected a plane of the format but got zeros of #nstf.int<4, group = row, columns = 64> without zeros}}
nstf.weight @plane_c2 : tensor<1x1xi32> plane <zeros of "w", rows = 4, format = <4, group = row, columns = 64>>

// -----

// plane_c2
// expected-error @+1 {{expected a plane of the format but got high of #nstf.int<8, group = 32, columns = 64> with zeros}}
nstf.weight @plane_c2 : tensor<4x2xi32> plane <high of "w", rows = 4, format = <8, group = 32, columns = 64>, zeros>

// -----

// plane_c2
// expected-error @+1 {{expected a plane of the format but got order of #nstf.int<4, group = 32, columns = 64> without zeros}}
nstf.weight @plane_c2 : tensor<1x64xi32> plane <order of "w", rows = 4, format = <4, group = 32, columns = 64>,
    stored = <gptq, codes = <"a", offset = 0, type = i32>, scales = <"a", offset = 256, type = f16>>>

// -----

// plane_c3
// expected-error @+1 {{expected stored codes with zeros but got some without them}}
nstf.weight @plane_c3 : tensor<4x8xi32> plane <codes of "w", rows = 4, format = <4, group = row, columns = 64>, zeros,
    stored = <pack, codes = <"a", offset = 0, type = i32>, scales = <"a", offset = 128, type = f16>>>

// -----

// plane_c3
// expected-error @+1 {{expected stored codes without zeros but got some with them}}
nstf.weight @plane_c3 : tensor<4x8xi32> plane <codes of "w", rows = 4, format = <4, group = row, columns = 64>,
    stored = <gptq, codes = <"a", offset = 0, type = i32>, scales = <"a", offset = 128, type = f16>,
    zeros = <"a", offset = 136, type = i32>>>

// -----

// weight_c5
// expected-error @+1 {{expected the type 'tensor<4x22xi32>' for codes but got 'tensor<4x21xi32>'}}
nstf.weight @weight_c5 : tensor<4x21xi32> plane <codes of "w", rows = 4, format = <4, group = row, columns = 172>>

// -----

func.func @dequantize_c1(%codes: tensor<4x8xi8>, %scales: tensor<4x1xf16>) {
  // expected-error @+1 {{expected codes of type 'tensor<4x8xi32>' but got 'tensor<4x8xi8>'}}
  %w = nstf.dequantize %codes, %scales {format = #nstf.int<4, group = row, columns = 64>}
      : (tensor<4x8xi8>, tensor<4x1xf16>) -> tensor<4x64xf16>
  return
}

// -----

func.func @dequantize_c2(%codes: tensor<4x8xi32>, %scales: tensor<4x1xf16>) {
  // expected-error @+1 {{expected high bits for codes of 5 and 6 bits only but got none for 5}}
  %w = nstf.dequantize %codes, %scales {format = #nstf.int<5, group = row, columns = 64>}
      : (tensor<4x8xi32>, tensor<4x1xf16>) -> tensor<4x64xf16>
  return
}

// -----

func.func @dequantize_c2(%codes: tensor<4x8xi32>, %high: tensor<4x2xi32>, %scales: tensor<4x1xf16>) {
  // expected-error @+1 {{expected high of type 'tensor<4x4xi32>' but got 'tensor<4x2xi32>'}}
  %w = nstf.dequantize %codes high %high, %scales {format = #nstf.int<6, group = row, columns = 64>}
      : (tensor<4x8xi32>, tensor<4x2xi32>, tensor<4x1xf16>) -> tensor<4x64xf16>
  return
}

// -----

func.func @dequantize_c3(%codes: tensor<4x9xi32>, %scales: tensor<4x2xf16>) {
  // expected-error @+1 {{expected scales of type 'tensor<4x3xf16>' but got 'tensor<4x2xf16>'}}
  %w = nstf.dequantize %codes, %scales {format = #nstf.int<4, group = 32, columns = 70>}
      : (tensor<4x9xi32>, tensor<4x2xf16>) -> tensor<4x70xf16>
  return
}

// -----

func.func @dequantize_c3(%codes: tensor<4x64xf8E4M3FNUZ>, %scales: tensor<4x1xf16>) {
  // expected-error @+1 {{expected scales of type 'tensor<4x1xf32>' but got 'tensor<4x1xf16>'}}
  %w = nstf.dequantize %codes, %scales {format = #nstf.float<f8E4M3FNUZ, group = row, columns = 64, scales = f32>}
      : (tensor<4x64xf8E4M3FNUZ>, tensor<4x1xf16>) -> tensor<4x64xf16>
  return
}

// -----

func.func @dequantize_c4(%codes: tensor<9x8xi32>, %scales: tensor<9x2xf16>, %zeros: tensor<1x2xi32>) {
  // expected-error @+1 {{expected zeros of type 'tensor<2x2xi32>' but got 'tensor<1x2xi32>'}}
  %w = nstf.dequantize %codes, %scales, %zeros {format = #nstf.int<4, group = 32, columns = 64>}
      : (tensor<9x8xi32>, tensor<9x2xf16>, tensor<1x2xi32>) -> tensor<9x64xf16>
  return
}

// -----

func.func @dequantize_c5(%codes: tensor<4x8xi32>, %scales: tensor<4x1xf16>) {
  // expected-error @+1 {{expected a result of 64 columns but got 'tensor<4x60xf16>'}}
  %w = nstf.dequantize %codes, %scales {format = #nstf.int<4, group = row, columns = 64>}
      : (tensor<4x8xi32>, tensor<4x1xf16>) -> tensor<4x60xf16>
  return
}

// -----

func.func @quantize_c1(%x: tensor<?x64xf32>) {
  // expected-error @+1 {{attribute 'type' failed to satisfy constraint: type attribute of i8 or f8E4M3FNUZ}}
  %codes, %scales = "nstf.quantize"(%x) {type = f16, group = 64 : i64} : (tensor<?x64xf32>) -> (tensor<?x64xi8>, tensor<?x1xf32>)
  return
}

// -----

func.func @quantize_c2(%x: tensor<?x64xf32>) {
  // expected-error @+2 {{expected groups of at least 1 column that divide the 64 of x but got 48}}
  // expected-error @+1 {{failed to infer returned types}}
  %codes, %scales = nstf.quantize %x {type = i8, group = 48} : tensor<?x64xf32> -> tensor<?x64xi8>, tensor<?x1xf32>
  return
}

// -----

func.func @quantize_c2(%x: tensor<?x64xf32>) {
  // expected-error @+2 {{expected groups of at least 1 column that divide the 64 of x but got 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %codes, %scales = nstf.quantize %x {type = i8, group = 0} : tensor<?x64xf32> -> tensor<?x64xi8>, tensor<?x1xf32>
  return
}

// -----

func.func @quantize_c3(%x: tensor<?x64xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x64xf8E4M3FNUZ>', 'tensor<?x2xf32>' are incompatible with return type(s) of operation 'tensor<?x64xi8>', 'tensor<?x2xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %codes, %scales = nstf.quantize %x {type = f8E4M3FNUZ, group = 32} : tensor<?x64xf32> -> tensor<?x64xi8>, tensor<?x2xf32>
  return
}

// -----

func.func @dequantize_rows_c1(%codes: tensor<?x64xi8>, %scales: tensor<?x3xf32>) {
  // expected-error @+1 {{expected a scale for each row and group of columns of 'tensor<?x64xi8>' but got 'tensor<?x3xf32>'}}
  %x = nstf.dequantize_rows %codes, %scales : (tensor<?x64xi8>, tensor<?x3xf32>) -> tensor<?x64xf32>
  return
}

// -----

func.func @dequantize_rows_c1(%codes: tensor<?x64xi8>, %scales: tensor<1x1xf32>) {
  // expected-error @+1 {{expected a scale for each row and group of columns of 'tensor<?x64xi8>' but got 'tensor<1x1xf32>'}}
  %x = nstf.dequantize_rows %codes, %scales : (tensor<?x64xi8>, tensor<1x1xf32>) -> tensor<?x64xf32>
  return
}

// -----

func.func @dequantize_rows_c2(%codes: tensor<?x64xi8>, %scales: tensor<?x1xf32>) {
  // expected-error @+1 {{expected a result of the shape of 'tensor<?x64xi8>' but got 'tensor<?x32xf32>'}}
  %x = nstf.dequantize_rows %codes, %scales : (tensor<?x64xi8>, tensor<?x1xf32>) -> tensor<?x32xf32>
  return
}
