// Long sums of products are split into parts.
// RUN: nstf-opt %s -split-input-file --pass-pipeline='builtin.module(systolic.kernel(systolic-split-sums))' | FileCheck %s
// RUN: nstf-opt %s -split-input-file --pass-pipeline='builtin.module(systolic.kernel(systolic-split-sums))' --remark-format=emitRemark --remarks-filter=systolic-.* -verify-diagnostics -o %t

// Five blocks of 16, two per part: the last part ends with the loop.
!a = tensor<16x16xf32, #systolic.axes<BM, BK>>
// CHECK-LABEL: systolic.kernel @parts(
// CHECK: %[[INIT:.+]] = arith.constant dense<1.0{{.*}}>
// CHECK: %[[COLUMNS:.+]] = arith.constant 32 : index
// CHECK: %[[ZERO:.+]] = arith.constant dense<0.0{{.*}}>
// CHECK: %[[SUM:.+]] = scf.for %[[K0:.+]] = %c0 to %c80 step %[[COLUMNS]] iter_args(%[[TOTAL:.+]] = %[[INIT]])
// CHECK-NEXT: %[[END:.+]] = arith.addi %[[K0]], %[[COLUMNS]]
// CHECK-NEXT: %[[UNTIL:.+]] = arith.minui %[[END]], %c80
// CHECK-NEXT: %[[PART:.+]] = scf.for %[[K:.+]] = %[[K0]] to %[[UNTIL]] step %c16 iter_args(%[[ACC:.+]] = %[[ZERO]])
// CHECK-NEXT: systolic.load %{{.+}}[%c0, %[[K]]]
// CHECK-NEXT: %[[NEXT:.+]] = systolic.mma %{{.+}}, %{{.+}}, %[[ACC]]
// CHECK-NEXT: scf.yield %[[NEXT]]
// CHECK: %[[MORE:.+]] = arith.addf %[[TOTAL]], %[[PART]]
// CHECK-NEXT: scf.yield %[[MORE]]
// CHECK: systolic.store %[[SUM]]
!X = memref<16x80xf32, #systolic.axes<M, K>>
systolic.kernel @parts(%X: !X, %Y: !X, %work: index) attributes {params = {}, schedule = #systolic.schedule<sum = 2>, grid = []} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c80 = arith.constant 80 : index
  %one = arith.constant dense<1.0> : !a
  // expected-remark @+1 {{[Passed] Sum | Category:systolic-split-sums | Function=parts | Remark="parts are summed up by themselves", blocks_of_part=2}}
  %sum = scf.for %k = %c0 to %c80 step %c16 iter_args(%acc = %one) -> (!a) {
    %x = systolic.load %X[%c0, %k] : !X -> !a
    %next = systolic.mma %x, %x, %acc : !a, !a -> !a
    scf.yield %next : !a
  }
  systolic.store %sum, %Y[%c0, %c0] : !a, !X
  systolic.return
}

// -----

// If the parts divide the sum, no part computes its end, even if the work item may be outside.
!a = tensor<16x16xf32, #systolic.axes<BM, BK>>
!X = memref<16x64xf32, #systolic.axes<M, K>>
// CHECK-LABEL: systolic.kernel @even(
// CHECK: scf.for %[[K0:.+]] = %c0 to %[[CHOICE:.+]] step
// CHECK-NEXT: %[[END:.+]] = arith.addi %[[K0]]
// CHECK-NEXT: scf.for %{{.+}} = %[[K0]] to %[[END]] step
systolic.kernel @even(%X: !X, %work: index) attributes {params = {}, schedule = #systolic.schedule<sum = 2>, grid = []} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %inside = arith.cmpi ult, %work, %c16 : index
  %end = arith.select %inside, %c64, %c0 : index
  %zero = arith.constant dense<0.0> : !a
  // expected-remark @+1 {{blocks_of_part=2}}
  %sum = scf.for %k = %c0 to %end step %c16 iter_args(%acc = %zero) -> (!a) {
    %x = systolic.load %X[%c0, %k] : !X -> !a
    %next = systolic.mma %x, %x, %acc : !a, !a -> !a
    scf.yield %next : !a
  }
  systolic.store %sum, %X[%c0, %c0] : !a, !X
  systolic.return
}

// -----

// A sum of one part stays, as does a loop that does more than sum products.
!a = tensor<16x16xf32, #systolic.axes<BM, BK>>
!X = memref<16x80xf32, #systolic.axes<M, K>>
// CHECK-LABEL: systolic.kernel @whole(
// CHECK-COUNT-2: scf.for
// CHECK-NOT: scf.for
systolic.kernel @whole(%X: !X, %work: index) attributes {params = {}, schedule = #systolic.schedule<sum = 5>, grid = []} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c80 = arith.constant 80 : index
  %zero = arith.constant dense<0.0> : !a
  // expected-remark @+1 {{[Missed] Sum | Category:systolic-split-sums | Function=whole | Remark="one level: all of it is 5 blocks"}}
  %sum = scf.for %k = %c0 to %c80 step %c16 iter_args(%acc = %zero) -> (!a) {
    %x = systolic.load %X[%c0, %k] : !X -> !a
    %next = systolic.mma %x, %x, %acc : !a, !a -> !a
    scf.yield %next : !a
  }
  %other = scf.for %k = %c0 to %work step %c16 iter_args(%acc = %sum) -> (!a) {
    %x = systolic.load %X[%c0, %k] : !X -> !a
    %scaled = arith.mulf %acc, %acc : !a
    %next = systolic.mma %x, %x, %scaled : !a, !a -> !a
    scf.yield %next : !a
  }
  systolic.store %other, %X[%c0, %c0] : !a, !X
  systolic.return
}

// -----

// No split is requested.
!a = tensor<16x16xf32, #systolic.axes<BM, BK>>
!X = memref<16x80xf32, #systolic.axes<M, K>>
// CHECK-LABEL: systolic.kernel @none(
// CHECK-COUNT-1: scf.for
// CHECK-NOT: scf.for
systolic.kernel @none(%X: !X, %work: index) attributes {params = {}, schedule = #systolic.schedule<sum = all>, grid = []} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : !a
  %sum = scf.for %k = %c0 to %work step %c16 iter_args(%acc = %zero) -> (!a) {
    %x = systolic.load %X[%c0, %k] : !X -> !a
    %next = systolic.mma %x, %x, %acc : !a, !a -> !a
    scf.yield %next : !a
  }
  systolic.store %sum, %X[%c0, %c0] : !a, !X
  systolic.return
}

// -----

// Sums of integers are exact in any order.
!a = tensor<16x16xi8, #systolic.axes<BM, BK>>
!sum = tensor<16x16xi32, #systolic.axes<BM, BM>>
!X = memref<16x80xi8, #systolic.axes<M, K>>
!Y = memref<16x16xi32, #systolic.axes<M, M>>
// CHECK-LABEL: systolic.kernel @integers(
// CHECK-COUNT-1: scf.for
// CHECK-NOT: scf.for
// expected-remark @+1 {{[Missed] Sum | Category:systolic-split-sums | Function=integers | Remark="no loop carries nothing but sums of products of floats"}}
systolic.kernel @integers(%X: !X, %Y: !Y, %work: index) attributes {params = {}, schedule = #systolic.schedule<sum = 2>, grid = []} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c80 = arith.constant 80 : index
  %zero = arith.constant dense<0> : !sum
  %sum = scf.for %k = %c0 to %c80 step %c16 iter_args(%acc = %zero) -> (!sum) {
    %x = systolic.load %X[%c0, %k] : !X -> !a
    %next = systolic.mma %x, %x, %acc : !a, !a -> !sum
    scf.yield %next : !sum
  }
  systolic.store %sum, %Y[%c0, %c0] : !sum, !Y
  systolic.return
}
