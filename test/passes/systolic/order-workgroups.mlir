// One work index for all axes of the grid. Without a target the last axis changes fastest; orders for a target are in
// order-workgroups-xcds.mlir.
// RUN: nstf-opt %s --pass-pipeline='builtin.module(systolic.kernel(systolic-order-workgroups))' --remark-format=emitRemark --remarks-filter=systolic-.* -verify-diagnostics | FileCheck %s

!X = memref<64x64xf32, #systolic.axes<M, N>>
!x = tensor<16x16xf32, #systolic.axes<BM, BN>>

// CHECK-LABEL: systolic.kernel @three(
// CHECK-SAME: memref<64x64xf32, #systolic.axes<M, N>>, %[[WORK:.+]]: index, %{{.+}}: !systolic.lds
// CHECK-DAG: %[[ROW:.+]] = arith.constant 12 : index
// CHECK-DAG: %[[I:.+]] = arith.divui %[[WORK]], %[[ROW]]
// CHECK-DAG: %[[NH:.+]] = arith.remui %[[WORK]], %{{.+}}
// CHECK-DAG: %[[HEADS:.+]] = arith.constant 3 : index
// CHECK-DAG: %[[K:.+]] = arith.remui %[[NH]], %[[HEADS]]
// CHECK-DAG: %[[J:.+]] = arith.divui %[[NH]], %{{.+}}
// CHECK: systolic.load %{{.+}}[%[[I]], %[[J]]]
// CHECK: systolic.load %{{.+}}[%[[K]], %[[K]]]
// expected-remark @+1 {{work items: 3 along HEADS, then 4 along N, then M}}
systolic.kernel @three(%X: !X, %i: index, %j: index, %k: index, %lds: !systolic.lds<1 x 16xf32, unit, #systolic.axes<BM>>)
    attributes {params = {M = 64, N = 50, BM = 16, BN = 16, HEADS = 3}, grid = ["M", "BM", "N", "BN", "HEADS", 1],
                wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %a = systolic.load %X[%i, %j] : !X -> !x
  %b = systolic.load %X[%k, %k] : !X -> !x
  systolic.return
}

// A grid of one axis, or one that has an order already, stays.
// CHECK-LABEL: systolic.kernel @one(%{{.+}}: index)
// CHECK-NEXT: systolic.return
systolic.kernel @one(%work: index) attributes {params = {M = 64, N = 50}, grid = ["M", 16, "N", 16]} {
  systolic.return
}
