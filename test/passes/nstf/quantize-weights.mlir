// RUN: nstf-opt %s -split-input-file -nstf-quantize-weights=format=int4_g32 --remark-format=emitRemark \
// RUN:   --remarks-filter=nstf-quantize-weights -verify-diagnostics | FileCheck %s
// RUN: nstf-opt %s -split-input-file -nstf-quantize-weights=format=int8 | FileCheck %s --check-prefix=INT8
// RUN: nstf-opt %s -split-input-file -nstf-quantize-weights | FileCheck %s --check-prefix=NONE
// RUN: nstf-opt %s -split-input-file -nstf-quantize-weights=format=e4m3fnuz | FileCheck %s --check-prefix=FLOAT
// RUN: not nstf-opt %s -split-input-file -nstf-quantize-weights=format=e4m3fnuz_g64 2>&1 | FileCheck %s --check-prefix=GROUP
// RUN: not nstf-opt %s -split-input-file -nstf-quantize-weights=format=int3 2>&1 | FileCheck %s --check-prefix=NAME

// NAME: expected a format of weights (int4, int5, int6 or int8, {{.*}}) but got 'int3'
// GROUP: expected groups of at most the 44 columns of weight 'q' for e4m3fnuz_g64 but got 64
// NONE-NOT: dequantize

// Planes replace each matrix; only the embedding's table stays. Two readers of a matrix share its planes. A matrix that
// another op computes with stays unquantised.
// CHECK-DAG: nstf.weight @table.codes : tensor<54x6xi32> plane <codes of "table", rows = 54, format = <4, group = 32, columns = 44>, zeros, from = <"model.safetensors", offset = 8, type = f32>>
// CHECK-DAG: nstf.weight @table.scales : tensor<54x2xf16> plane <scales of "table"
// CHECK-DAG: nstf.weight @table.zeros : tensor<7x2xi32> plane <zeros of "table"
// CHECK-DAG: nstf.weight @table : tensor<54x44xf32> from
// CHECK-NOT: nstf.weight @q :
// CHECK: %[[CODES:.+]] = nstf.get @q.codes : tensor<44x6xi32>
// CHECK: %[[SCALES:.+]] = nstf.get @q.scales
// CHECK: %[[ZEROS:.+]] = nstf.get @q.zeros
// CHECK: %[[Q:.+]] = nstf.dequantize %[[CODES]], %[[SCALES]], %[[ZEROS]] {format = #nstf.int<4, group = 32, columns = 44>} : {{.+}} -> tensor<44x44xf32>
// CHECK: nstf.linear %{{.+}}, %[[Q]]
// CHECK: nstf.linear %{{.+}}, %[[Q]]
// INT8: nstf.weight @q.codes : tensor<44x44xi8> plane <codes of "q", rows = 44, format = <8, group = row, columns = 44>>
// INT8-NOT: zeros
// FLOAT: nstf.weight @q.codes : tensor<44x44xf8E4M3FNUZ> plane <codes of "q", rows = 44, format = #nstf.float<f8E4M3FNUZ, group = row, columns = 44>>
// FLOAT: nstf.dequantize {{.+}} {format = #nstf.float<f8E4M3FNUZ, group = row, columns = 44>} : (tensor<44x44xf8E4M3FNUZ>, tensor<44x1xf16>)
nstf.weight @table : tensor<54x44xf32> from <"model.safetensors", offset = 8, type = f32>
nstf.weight @q : tensor<44x44xf32>
// expected-remark @+1 {{"matrices of linears in int4_g32", bytes=2848, bytes_before=17248, matrices=2}}
nstf.graph @main(%ids: tensor<?xi32> {nstf.name = "ids"}) -> (tensor<?x54xf32> {nstf.name = "y"})
    attributes {context = 16 : i64} {
  %table = nstf.get @table : tensor<54x44xf32>
  %q = nstf.get @q : tensor<44x44xf32>
  %x = nstf.embedding %ids, %table : (tensor<?xi32>, tensor<54x44xf32>) -> tensor<?x44xf32>
  %a = nstf.linear %x, %q : (tensor<?x44xf32>, tensor<44x44xf32>) -> tensor<?x44xf32>
  %b = nstf.linear %a, %q : (tensor<?x44xf32>, tensor<44x44xf32>) -> tensor<?x44xf32>
  %y = nstf.linear %b, %table : (tensor<?x44xf32>, tensor<54x44xf32>) -> tensor<?x54xf32>
  nstf.return %y : tensor<?x54xf32>
}
