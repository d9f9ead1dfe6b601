// All compute units share one L2 (gfx90a), so only windows matter. 37 rows are not a multiple of the window; the last
// window has its own divisions, by a constant too.
// RUN: nstf-opt %s \
// RUN:   --pass-pipeline='builtin.module(nstf-set-target{target=gfx90a},systolic.kernel(systolic-order-workgroups))' \
// RUN:   --remark-format=emitRemark --remarks-filter=systolic-.* -verify-diagnostics | FileCheck %s
!X = memref<1184x64xf16, #systolic.axes<M, K>>
!W = memref<2048x64xf16, #systolic.axes<N, K>>
// CHECK-LABEL: systolic.kernel @product(
// CHECK-SAME: %[[WORK:[a-z0-9]+]]: index)
// CHECK-NOT: arith.minui
// CHECK: arith.divui %[[WORK]],
// CHECK: arith.select
// CHECK: arith.select
// expected-remark @+1 {{rows along M, down each column", l2_hits=}}
systolic.kernel @product(%X: !X, %W: !W, %i: index, %j: index)
    attributes {params = {M = 1184, N = 2048, BM = 32, BN = 32}, grid = ["M", "BM", "N", "BN"]} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %m = arith.muli %i, %c32 : index
  %n = arith.muli %j, %c32 : index
  scf.for %k = %c0 to %c64 step %c32 {
    %x = systolic.load %X[%m, %k] : !X -> tensor<32x32xf16, #systolic.axes<BM, 32>>
    %w = systolic.load %W[%n, %k] : !W -> tensor<32x32xf16, #systolic.axes<BN, 32>>
  }
  systolic.return
}
