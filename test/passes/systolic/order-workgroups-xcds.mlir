// The order that shares most on an XCD: 8 XCDs of 38 compute units (gfx942), or one of 104 (gfx90a).
// test/passes/analysis/WorkgroupOrderTest.cpp checks that every order is one to one.
// RUN: nstf-opt %s -split-input-file \
// RUN:   --pass-pipeline='builtin.module(nstf-set-target{target=gfx942},systolic.kernel(systolic-order-workgroups))' \
// RUN:   --remark-format=emitRemark --remarks-filter=systolic-.* -verify-diagnostics | FileCheck %s

// 16 x 19 tiles: each XCD gets 38 consecutive ones in windows of 4 rows, instead of some of every row and column. All
// values are computed from the workgroup's number, are equal in all lanes, and are divided by constants only.
!X = memref<4096x4096xf16, #systolic.axes<M, K>>
!W = memref<4256x4096xf16, #systolic.axes<N, K>>
// CHECK-LABEL: systolic.kernel @product(
// CHECK-SAME: %[[WORK:[a-z0-9]+]]: index)
// CHECK-NEXT: %[[XCDS:.+]] = arith.constant 8 : index
// CHECK-NEXT: %[[XCD:.+]] = arith.remui %[[WORK]], %[[XCDS]]
// CHECK-NEXT: %[[LENGTH:.+]] = arith.constant 38 : index
// CHECK-NEXT: %[[BEGIN:.+]] = arith.muli %[[XCD]], %[[LENGTH]]
// CHECK-NEXT: arith.constant 8 : index
// CHECK-NEXT: %[[OWN:.+]] = arith.divui %[[WORK]],
// CHECK-NEXT: %[[PLACE:.+]] = arith.addi %[[BEGIN]], %[[OWN]]
// CHECK-NEXT: %[[WINDOW:.+]] = arith.constant 76 : index
// CHECK-NEXT: %[[NUMBER:.+]] = arith.divui %[[PLACE]], %[[WINDOW]]
// CHECK-NEXT: arith.constant 76 : index
// CHECK-NEXT: %[[REST:.+]] = arith.remui %[[PLACE]],
// CHECK-NEXT: %[[ROWS:.+]] = arith.constant 4 : index
// CHECK-NEXT: %[[ROW:.+]] = arith.remui %[[REST]], %[[ROWS]]
// CHECK-NEXT: arith.constant 4 : index
// CHECK-NEXT: %[[COLUMN:.+]] = arith.divui %[[REST]],
// CHECK-NEXT: arith.constant 4 : index
// CHECK-NEXT: %[[FIRST:.+]] = arith.muli %[[NUMBER]],
// CHECK-NEXT: %[[I:.+]] = arith.addi %[[FIRST]], %[[ROW]]
// CHECK: arith.muli %[[I]],
// CHECK: arith.muli %[[COLUMN]],
// expected-remark @+1 {{[Passed] Order | Category:systolic-order-workgroups | Function=product | Remark="windows of 4 rows along M, down each column; a run of its own for each of 8 XCDs", l2_hits=82, l2_hits_before=54}}
systolic.kernel @product(%X: !X, %W: !W, %i: index, %j: index)
    attributes {params = {M = 4096, N = 4256, K = 4096, BM = 256, BN = 224}, grid = ["M", "BM", "N", "BN"]} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c224 = arith.constant 224 : index
  %c256 = arith.constant 256 : index
  %c4096 = arith.constant 4096 : index
  %m = arith.muli %i, %c256 : index
  %n = arith.muli %j, %c224 : index
  scf.for %k = %c0 to %c4096 step %c32 {
    %x = systolic.load %X[%m, %k] : !X -> tensor<256x32xf16, #systolic.axes<BM, 32>>
    %w = systolic.load %W[%n, %k] : !W -> tensor<224x32xf16, #systolic.axes<BN, 32>>
  }
  systolic.return
}

// -----

// The launch determines the number of rows, two per token. The order is the same, and its runs and last window end with
// the rows. Workgroups beyond them have no row.
!X = memref<4096x4096xf16, #systolic.axes<M, K>>
!W = memref<4256x4096xf16, #systolic.axes<N, K>>
// CHECK-LABEL: systolic.kernel @tokens(
// CHECK-SAME: %[[WORK:[a-z0-9]+]]: index)
// CHECK-NEXT: %[[TOKENS:.+]] = systolic.control tokens
// CHECK: %[[EXTENT:.+]] = arith.muli %[[TOKENS]], %c2
// CHECK: %[[UP:.+]] = arith.addi %[[EXTENT]], %c255
// CHECK: %[[ROWS:.+]] = arith.divui %[[UP]], %c256
// CHECK: %[[ITEMS:.+]] = arith.muli %[[ROWS]], %c19
// CHECK: %[[LAST:.+]] = arith.subi %[[ITEMS]], %c1
// CHECK: %[[INSIDE:.+]] = arith.minui %[[WORK]], %[[LAST]]
// CHECK: %[[XCD:.+]] = arith.remui %[[INSIDE]],
// CHECK: %[[LENGTH:.+]] = arith.divui %[[ITEMS]],
// CHECK: %[[BEGIN:.+]] = arith.muli %[[XCD]], %[[LENGTH]]
// CHECK: %[[OWN:.+]] = arith.divui %[[INSIDE]],
// CHECK: %[[PLACE:.+]] = arith.addi %[[BEGIN]], %[[OWN]]
// CHECK: %[[MORE:.+]] = arith.remui %[[ITEMS]],
// CHECK: %[[LONGER:.+]] = arith.minui %[[XCD]], %[[MORE]]
// CHECK: %[[POSITION:.+]] = arith.addi %[[PLACE]], %[[LONGER]]
// CHECK: %[[NUMBER:.+]] = arith.divui %[[POSITION]], %c76
// CHECK: %[[REST:.+]] = arith.remui %[[POSITION]], %c76
// CHECK: %[[FIRST:.+]] = arith.muli %[[NUMBER]], %c4
// CHECK: %[[LEFT:.+]] = arith.subi %[[ROWS]], %[[FIRST]]
// CHECK: %[[HEIGHT:.+]] = arith.minui %[[LEFT]], %c4
// CHECK: %[[IN_WINDOW:.+]] = arith.remui %[[REST]], %[[HEIGHT]]
// CHECK: %[[ROW:.+]] = arith.addi %[[FIRST]], %[[IN_WINDOW]]
// CHECK: %[[J:.+]] = arith.divui %[[REST]], %[[HEIGHT]]
// CHECK: %[[IS_ONE:.+]] = arith.cmpi ult, %[[WORK]], %[[ITEMS]]
// CHECK: %[[I:.+]] = arith.select %[[IS_ONE]], %[[ROW]], %[[ROWS]]
// CHECK: arith.muli %[[I]],
// CHECK: arith.muli %[[J]],
// expected-remark @+1 {{windows of 4 rows along M, down each column; a run of its own for each of 8 XCDs; how many rows there are the launch says", l2_hits=82, l2_hits_before=54}}
systolic.kernel @tokens(%X: !X, %W: !W, %control: !systolic.control, %i: index, %j: index)
    attributes {launch = #systolic.launch<[x = result 0, w = operand 0, control], per_token = {M = 2 : i64}>,
                params = {M = 4096, N = 4256, K = 4096, BM = 256, BN = 224}, grid = ["M", "BM", "N", "BN"]} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c224 = arith.constant 224 : index
  %c256 = arith.constant 256 : index
  %c4096 = arith.constant 4096 : index
  %m = arith.muli %i, %c256 : index
  %n = arith.muli %j, %c224 : index
  scf.for %k = %c0 to %c4096 step %c32 {
    %x = systolic.load %X[%m, %k] : !X -> tensor<256x32xf16, #systolic.axes<BM, 32>>
    %w = systolic.load %W[%n, %k] : !W -> tensor<224x32xf16, #systolic.axes<BN, 32>>
  }
  systolic.return
}

// -----

// Tiles that each work item reads alone are shared in no order, so work items go row by row.
!X = memref<4096x4096xf16, #systolic.axes<M, N>>
// expected-remark @+1 {{[Passed] Order | Category:systolic-order-workgroups | Function=own | Remark="work items: 64 along N, then M", l2_hits=0, l2_hits_before=0}}
systolic.kernel @own(%X: !X, %i: index, %j: index)
    attributes {params = {M = 4096, N = 4096, BM = 64, BN = 64}, grid = ["M", "BM", "N", "BN"]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %c1 step %c1 {
    %x = systolic.load %X[%i, %j] : !X -> tensor<64x64xf16, #systolic.axes<BM, BN>>
  }
  systolic.return
}
