// Two products of one x in a template for one: the second gets its own buffers, loads, sums and tiles.
// RUN: split-file %s %t
// DEFINE: %{of-one} = sed -e 's/^module {/module attributes {nstf.max_tokens = 1 : i64} {/'
// DEFINE: %{of-100} = sed -e 's/^module {/module attributes {nstf.max_tokens = 100 : i64} {/'
// DEFINE: %{kernels} = %root/templates/kernels
// DEFINE: %{fill} = nstf-opt -nstf-to-systolic-fill-template | FileCheck
// RUN: %{of-100} -e '/^module/r %t/matmul.mlir' %{kernels}/matmul.mlir | %{fill} %t/matmul.mlir
// RUN: %{of-one} -e '/^module/r %t/matvec.mlir' %{kernels}/matvec.mlir | %{fill} %t/matvec.mlir
// RUN: %{of-100} -e '/^module/r %t/codes.mlir' %{kernels}/matmul.mlir | %{fill} %t/codes.mlir
// RUN: %{of-100} \
// RUN:   -e 's/%w = systolic.load %W\[%n0, %k\] transposed/%w1 = systolic.load %W[%n0, %k] transposed : !W -> !wt\n&/' \
// RUN:   -e '/^module/r %t/matmul.mlir' %{kernels}/matmul.mlir \
// RUN:   | not nstf-opt -nstf-to-systolic-fill-template 2>&1 | FileCheck %t/errors.txt

//--- matmul.mlir
// CHECK: func.func private @epilogue(%[[GATE:.+]]: tensor<32x32xf32, {{.+}}, %{{.+}}: index, %{{.+}}: index, %[[UP:.+]]: tensor<32x32xf32, {{.+}}) ->
// CHECK-NOT: nstf
// CHECK: arith.mulf %{{.+}}, %[[UP]]
// CHECK: systolic.kernel @linear_0(%[[X:[^:]+]]: {{[^%]+}}, %[[W:[^:]+]]: memref<64x64xf16, #systolic.axes<N, K>>, %[[W2:[^:]+]]: memref<64x64xf16, #systolic.axes<N, K>>,
// CHECK-SAME: launch = #systolic.launch<[x = operand 0, w = operand 1, w2 = operand 2, y = result 0, control]
// CHECK: %[[SUMS:.+]]:2 = scf.for {{.+}} iter_args(%[[ACC:.+]] = %{{.+}}, %[[ACC2:.+]] = %{{.+}})
// CHECK: %[[A:.+]] = systolic.load %[[X]]
// CHECK: %[[B:.+]] = systolic.load %[[W]][%{{.+}}, %{{.+}}] transposed
// CHECK: %[[B2:.+]] = systolic.load %[[W2]][%{{.+}}, %{{.+}}] transposed
// CHECK: %[[NEXT:.+]] = systolic.mma %[[A]], %[[B]], %[[ACC]]
// CHECK: %[[NEXT2:.+]] = systolic.mma %[[A]], %[[B2]], %[[ACC2]]
// CHECK: scf.yield %[[NEXT]], %[[NEXT2]]
// CHECK: func.call @epilogue(%[[SUMS]]#0, %{{.+}}, %{{.+}}, %[[SUMS]]#1)
nstf.kernel @linear_0(%x: tensor<?x64xf16>, %gate: tensor<172x64xf16>, %up: tensor<172x64xf16>) -> tensor<?x172xf32> {
  %0 = nstf.linear %x, %gate : (tensor<?x64xf16>, tensor<172x64xf16>) -> tensor<?x172xf32>
  %1 = nstf.linear %x, %up : (tensor<?x64xf16>, tensor<172x64xf16>) -> tensor<?x172xf32>
  %2 = nstf.swiglu %0, %1 : tensor<?x172xf32>
  nstf.return %2 : tensor<?x172xf32>
}

//--- matvec.mlir
// The template's ops on the sums apply to both.
// CHECK: systolic.kernel @linear_0(
// CHECK: %[[SUMS:.+]]:2 = scf.for
// CHECK: systolic.dot
// CHECK: systolic.dot
// CHECK-DAG: %[[SUM:.+]] = systolic.reduce add %[[SUMS]]#0 along 1
// CHECK-DAG: %[[SUM2:.+]] = systolic.reduce add %[[SUMS]]#1 along 1
// CHECK-DAG: %[[TILE:.+]] = systolic.broadcast %[[SUM]] :
// CHECK-DAG: %[[TILE2:.+]] = systolic.broadcast %[[SUM2]] :
// CHECK: func.call @epilogue(%[[TILE]], %{{.+}}, %{{.+}}, %[[TILE2]])
nstf.kernel @linear_0(%x: tensor<?x64xf16>, %gate: tensor<172x64xf16>, %up: tensor<172x64xf16>) -> tensor<?x172xf32> {
  %0 = nstf.linear %x, %gate : (tensor<?x64xf16>, tensor<172x64xf16>) -> tensor<?x172xf32>
  %1 = nstf.linear %x, %up : (tensor<?x64xf16>, tensor<172x64xf16>) -> tensor<?x172xf32>
  %2 = nstf.swiglu %0, %1 : tensor<?x172xf32>
  nstf.return %2 : tensor<?x172xf32>
}

//--- codes.mlir
// Each matrix is decoded with its own planes, and each sum multiplied by its own scales.
// CHECK: systolic.kernel @linear_0(
// CHECK-SAME: launch = #systolic.launch<[x = operand 0, w = operand 1, w_scales = operand 2, w2 = operand 3, w2_scales = operand 4, y = result 0, control]
// CHECK: %[[SUMS:.+]]:2 = scf.for
// CHECK-DAG: arith.mulf %[[SUMS]]#0,
// CHECK-DAG: arith.mulf %[[SUMS]]#1,
// CHECK: func.call @epilogue
nstf.kernel @linear_0(%x: tensor<?x64xf16>, %gate: tensor<172x64xi8>, %gs: tensor<172x1xf16>, %up: tensor<172x64xi8>, %us: tensor<172x1xf16>) -> tensor<?x172xf32> {
  %g = nstf.dequantize %gate, %gs {format = #nstf.int<8, group = row, columns = 64>} : (tensor<172x64xi8>, tensor<172x1xf16>) -> tensor<172x64xf16>
  %u = nstf.dequantize %up, %us {format = #nstf.int<8, group = row, columns = 64>} : (tensor<172x64xi8>, tensor<172x1xf16>) -> tensor<172x64xf16>
  %0 = nstf.linear %x, %g : (tensor<?x64xf16>, tensor<172x64xf16>) -> tensor<?x172xf32>
  %1 = nstf.linear %x, %u : (tensor<?x64xf16>, tensor<172x64xf16>) -> tensor<?x172xf32>
  %2 = nstf.swiglu %0, %1 : tensor<?x172xf32>
  nstf.return %2 : tensor<?x172xf32>
}

//--- errors.txt
CHECK: error: expected one load of w in the template of a product
