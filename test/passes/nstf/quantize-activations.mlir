// RUN: nstf-opt %s -split-input-file -nstf-quantize-activations=type=i8 --remark-format=emitRemark \
// RUN:   --remarks-filter=nstf-quantize-activations -verify-diagnostics | FileCheck %s
// RUN: nstf-opt %s -split-input-file -nstf-quantize-activations | FileCheck %s --check-prefix=NONE
// RUN: not nstf-opt %s -split-input-file -nstf-quantize-activations=type=f16 2>&1 | FileCheck %s --check-prefix=NAME

// NAME: expected a type of codes (i8 or e4m3fnuz) but got 'f16'
// NONE-NOT: nstf.quantize

// Two products share the codes of their input, and the conversion disappears. A product with groups, and one with plain
// weights, keep their rows.
nstf.weight @q : tensor<44x64xi8>
nstf.weight @q.scales : tensor<44x1xf16>
nstf.weight @g : tensor<44x64xi8>
nstf.weight @g.scales : tensor<44x2xf16>
nstf.weight @w : tensor<44x64xf16>
// CHECK-LABEL: nstf.graph @main
// CHECK: %[[CODES:.+]], %[[SCALES:.+]] = nstf.quantize %[[Y:.+]] {group = 64 : i64, type = i8} : tensor<?x64xf32> -> tensor<?x64xi8>, tensor<?x1xf32>
// CHECK-NEXT: %[[CONVERTED:.+]] = nstf.convert %[[X:.+]] {type = f16}
// CHECK-NOT: nstf.convert
// CHECK: %[[W:.+]] = nstf.dequantize
// CHECK: %[[A:.+]] = nstf.dequantize_rows %[[CODES]], %[[SCALES]] : (tensor<?x64xi8>, tensor<?x1xf32>) -> tensor<?x64xf16>
// CHECK-NEXT: nstf.linear %[[A]], %[[W]]
// CHECK: %[[B:.+]] = nstf.dequantize_rows %[[CODES]], %[[SCALES]]
// CHECK-NEXT: nstf.linear %[[B]], %[[W]]
// CHECK: nstf.linear %[[CONVERTED]]
// CHECK: nstf.linear %[[CONVERTED]]
// expected-remark @+1 {{"rows that products read, in codes of i8", products=2, values=1}}
nstf.graph @main(%x: tensor<?x64xf32> {nstf.name = "x"}, %y: tensor<?x64xf32> {nstf.name = "y"})
    -> (tensor<?x44xf32> {nstf.name = "a"}, tensor<?x44xf32> {nstf.name = "b"}, tensor<?x44xf32> {nstf.name = "c"},
        tensor<?x44xf32> {nstf.name = "d"}) attributes {context = 16 : i64} {
  %cx = nstf.convert %x {type = f16} : (tensor<?x64xf32>) -> tensor<?x64xf16>
  %cy = nstf.convert %y {type = f16} : (tensor<?x64xf32>) -> tensor<?x64xf16>
  %codes = nstf.get @q : tensor<44x64xi8>
  %scales = nstf.get @q.scales : tensor<44x1xf16>
  %q = nstf.dequantize %codes, %scales {format = #nstf.int<8, group = row, columns = 64>}
      : (tensor<44x64xi8>, tensor<44x1xf16>) -> tensor<44x64xf16>
  %group_codes = nstf.get @g : tensor<44x64xi8>
  %group_scales = nstf.get @g.scales : tensor<44x2xf16>
  %g = nstf.dequantize %group_codes, %group_scales {format = #nstf.int<8, group = 32, columns = 64>}
      : (tensor<44x64xi8>, tensor<44x2xf16>) -> tensor<44x64xf16>
  %w = nstf.get @w : tensor<44x64xf16>
  %a = nstf.linear %cy, %q : (tensor<?x64xf16>, tensor<44x64xf16>) -> tensor<?x44xf32>
  %b = nstf.linear %cy, %q : (tensor<?x64xf16>, tensor<44x64xf16>) -> tensor<?x44xf32>
  // expected-remark @+1 {{its matrix is not in codes of i8 with one scale a row}}
  %c = nstf.linear %cx, %g : (tensor<?x64xf16>, tensor<44x64xf16>) -> tensor<?x44xf32>
  // expected-remark @+1 {{its matrix is not in codes of i8 with one scale a row}}
  %d = nstf.linear %cx, %w : (tensor<?x64xf16>, tensor<44x64xf16>) -> tensor<?x44xf32>
  nstf.return %a, %b, %c, %d : tensor<?x44xf32>, tensor<?x44xf32>, tensor<?x44xf32>, tensor<?x44xf32>
}

// -----

// expected-error @+1 {{expected a linear whose matrix is in codes of i8 with one scale a row but got none}}
nstf.graph @none(%x: tensor<?x64xf32> {nstf.name = "x"}, %w: tensor<44x64xf32> {nstf.name = "w"})
    -> (tensor<?x44xf32> {nstf.name = "y"}) attributes {context = 16 : i64} {
  // expected-remark @+1 {{its matrix is not in codes of i8 with one scale a row}}
  %y = nstf.linear %x, %w : (tensor<?x64xf32>, tensor<44x64xf32>) -> tensor<?x44xf32>
  nstf.return %y : tensor<?x44xf32>
}
