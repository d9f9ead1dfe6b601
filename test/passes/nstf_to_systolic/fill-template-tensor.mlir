// A kernel of tensor code in the template `generic`: its extents, a flat buffer for each argument, its ops in @compute.
// RUN: rm -rf %t && split-file %s %t
// RUN: sed -n '/^#/p' %t/rows.mlir > %t/kernel.mlir
// RUN: sed -n '/^!/p' %root/templates/kernels/generic.mlir >> %t/kernel.mlir
// RUN: echo 'module attributes {nstf.max_tokens = 16 : i64} {' >> %t/kernel.mlir
// RUN: sed -e '/^#/d' %t/rows.mlir >> %t/kernel.mlir
// RUN: sed -n '/func.func private/,$p' %root/templates/kernels/generic.mlir >> %t/kernel.mlir
// RUN: nstf-opt %t/kernel.mlir -nstf-to-systolic-fill-template | FileCheck %s
// RUN: nstf-opt %t/kernel.mlir -nstf-to-systolic-fill-template -systolic-instantiate -inline -canonicalize -cse | FileCheck %s --check-prefix=TILES

// The sum of each row of 128, a bias, and an op that uses the number of tokens. An argument that only another part of
// the launch reads gets no buffer here.
// CHECK-LABEL: func.func private @compute(
// CHECK-SAME: %[[INDEX:.+]]: tensor<256xi32, #systolic.axes<BN>>, %[[FIRST:.+]]: index, %[[TOKENS:.+]]: index, %[[X:.+]]: memref<2048xf32, #systolic.axes<2048>>, %[[B:.+]]: memref<16xf16, #systolic.axes<16>>)
// CHECK-SAME: -> tensor<256xf32, #systolic.axes<BN>>
// The bias is indexed like the result, so its load is a plain one.
// CHECK: systolic.load %[[B]][%[[FIRST]]] : memref<16xf16, #systolic.axes<16>> -> tensor<256xf32, #systolic.axes<BN>>
// CHECK: systolic.param "BR"
// CHECK: scf.for
// CHECK: systolic.load %[[X]][%{{.+}}] at(%{{.+}} : tensor<256x64xi32, #systolic.axes<BN, BR>>)
// CHECK: systolic.reduce add %{{.+}} along 1
// CHECK-LABEL: systolic.kernel @sums(
// CHECK-SAME: systolic.per_token = 1 : i64}
// CHECK-SAME: memref<2048xf32, #systolic.axes<2048>> {systolic.per_token = 128 : i64}
// CHECK-SAME: memref<16xf16, #systolic.axes<16>> {systolic.per_token = 1 : i64}
// CHECK-SAME: launch = #systolic.launch<[y = result 0, x0 = operand 0, x2 = operand 2, control], per_token = {N = 1 : i64}>
// CHECK-SAME: params = {BN = 4 : i64, BR = 64 : i64, E = 1 : i64, N = 16 : i64, ROWS = 0 : i64

// TILES: systolic.load %{{.+}}[%{{.+}}] at(%{{.+}} : tensor<4x64xi32, #systolic.axes<BN, BR>>) : memref<2048xf32, #systolic.axes<2048>> -> tensor<4x64xf32, #systolic.axes<BN, BR>>
// TILES: systolic.reduce add %{{.+}} along 1 : tensor<4x64xf32, #systolic.axes<BN, BR>> -> tensor<4xf32, #systolic.axes<BN>>

//--- rows.mlir
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
nstf.kernel @sums(%x: tensor<?x128xf32>, %others: tensor<4xf32>, %b: tensor<?xf16>) -> tensor<?xf32>
    attributes {nstf.tuning = {BN = 4 : i64, BR = 64 : i64}, nstf.schedule = #systolic.schedule<waves = 1x1>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %tokens = tensor.dim %x, %c0 : tensor<?x128xf32>
  %e = tensor.empty(%tokens) : tensor<?xf32>
  %zeros = linalg.generic {indexing_maps = [affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%zero : f32) outs(%e : tensor<?xf32>) {
  ^bb0(%p: f32, %o: f32):
    linalg.yield %p : f32
  } -> tensor<?xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x128xf32>) outs(%zeros : tensor<?xf32>) {
  ^bb0(%p: f32, %acc: f32):
    %1 = arith.addf %p, %acc : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%s, %b : tensor<?xf32>, tensor<?xf16>) outs(%e : tensor<?xf32>) {
  ^bb0(%p: f32, %q: f16, %o: f32):
    %1 = arith.extf %q : f16 to f32
    %2 = arith.addf %p, %1 : f32
    %n = arith.index_cast %tokens : index to i32
    %f = arith.sitofp %n : i32 to f32
    %3 = arith.divf %2, %f : f32
    linalg.yield %3 : f32
  } -> tensor<?xf32>
  nstf.return %y : tensor<?xf32>
}
