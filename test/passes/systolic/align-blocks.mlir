// The last block of a sum of products ends with the sum.
// RUN: nstf-opt %s -split-input-file --pass-pipeline='builtin.module(systolic.kernel(systolic-align-blocks))' | FileCheck %s
// RUN: nstf-opt %s -split-input-file --pass-pipeline='builtin.module(systolic.kernel(systolic-align-blocks))' --remark-format=emitRemark --remarks-filter=systolic-.* -verify-diagnostics -o %t

// 70 columns in blocks of 16: the five blocks begin 10 columns early. A work item without work still runs no round.
!x = tensor<16x16xf16, #systolic.axes<BM, BK>>
!y = tensor<16x16xf32, #systolic.axes<BM, BN>>
!X = memref<16x70xf16, #systolic.axes<M, K>>
!Y = memref<16x16xf32, #systolic.axes<M, N>>
// CHECK-LABEL: systolic.kernel @ragged(
// CHECK: %[[END:.+]] = arith.select %{{.+}}, %c80, %c0
// CHECK: scf.for %[[K:.+]] = %c0 to %[[END]] step %c16
// CHECK-NEXT: %[[COLUMN:.+]] = arith.subi %[[K]], %c10
// CHECK-NEXT: systolic.load %{{.+}}[%c0, %[[COLUMN]]] :
// CHECK-NEXT: systolic.load %{{.+}}[%c0, %[[COLUMN]]] transposed
systolic.kernel @ragged(%X: !X, %Y: !Y, %work: index) attributes {params = {}, grid = []} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c70 = arith.constant 70 : index
  %zero = arith.constant dense<0.0> : !y
  %is_inside = arith.cmpi ult, %work, %c16 : index
  %end = arith.select %is_inside, %c70, %c0 : index
  // expected-remark @+1 {{[Passed] Blocks | Category:systolic-align-blocks | Function=ragged | Remark="of the first block only the last columns are there, of all others all", columns=16, columns_of_first=6}}
  %sum = scf.for %k = %c0 to %end step %c16 iter_args(%acc = %zero) -> (!y) {
    %x = systolic.load %X[%c0, %k] : !X -> !x
    %w = systolic.load %X[%c0, %k] transposed : !X -> !x
    %next = systolic.mma %x, %w, %acc : !x, !x -> !y
    scf.yield %next : !y
  }
  systolic.store %sum, %Y[%c0, %c0] : !y, !Y
  systolic.return
}

// -----

// Blocks that divide the sum stay. So does a loop that carries more than sums of products, because the zeros in front
// could change it.
!x = tensor<16x16xf32, #systolic.axes<BM, BK>>
!X = memref<16x64xf32, #systolic.axes<M, K>>
// CHECK-LABEL: systolic.kernel @whole(
// CHECK-NOT: arith.subi
systolic.kernel @whole(%X: !X, %work: index) attributes {params = {}, grid = []} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c24 = arith.constant 24 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : !x
  %sum = scf.for %k = %c0 to %c64 step %c16 iter_args(%acc = %zero) -> (!x) {
    %x = systolic.load %X[%c0, %k] : !X -> !x
    %next = systolic.mma %x, %x, %acc : !x, !x -> !x
    scf.yield %next : !x
  }
  %more = scf.for %k = %c0 to %c64 step %c24 iter_args(%acc = %sum) -> (!x) {
    %x = systolic.load %X[%c0, %k] : !X -> !x
    %next = arith.maximumf %x, %acc : !x
    scf.yield %next : !x
  }
  systolic.store %more, %X[%c0, %c0] : !x, !X
  systolic.return
}

// -----

// Loops stay whose column index is used in other computations, or whose buffers end elsewhere or are in blocks.
!x = tensor<16x16xf16, #systolic.axes<BM, BK>>
!y = tensor<16x16xf32, #systolic.axes<BM, BN>>
!X = memref<16x40xf16, #systolic.axes<M, K>>
!Z = memref<16x64xf16, #systolic.axes<M, L>>
// CHECK-LABEL: systolic.kernel @refused(
// CHECK-NOT: arith.subi
systolic.kernel @refused(%X: !X, %Z: !Z, %P: !Z {systolic.packed = #systolic.packed<16 x 64 bytes>}, %work: index) attributes {params = {}, grid = []} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c40 = arith.constant 40 : index
  %c48 = arith.constant 48 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : !y
  // expected-remark @+1 {{[Missed] Blocks | Category:systolic-align-blocks | Function=refused | Remark="the last block is ragged: its column is more than a place to load from"}}
  %a = scf.for %k = %c0 to %c40 step %c16 iter_args(%acc = %zero) -> (!y) {
    %half = arith.divui %k, %c2 : index
    %x = systolic.load %X[%c0, %half] : !X -> !x
    %next = systolic.mma %x, %x, %acc : !x, !x -> !y
    scf.yield %next : !y
  }
  // expected-remark @+1 {{its loads end elsewhere than the sum}}
  %b = scf.for %k = %c0 to %c40 step %c16 iter_args(%acc = %a) -> (!y) {
    %x = systolic.load %Z[%c0, %k] : !Z -> !x
    %next = systolic.mma %x, %x, %acc : !x, !x -> !y
    scf.yield %next : !y
  }
  // expected-remark @+1 {{memory holds blocks}}
  %c = scf.for %k = %c0 to %c64 step %c48 iter_args(%acc = %b) -> (!y) {
    %x = systolic.load %P[%c0, %k] : !Z -> !x
    %next = systolic.mma %x, %x, %acc : !x, !x -> !y
    scf.yield %next : !y
  }
  // expected-remark @+1 {{its loads are not parts of a buffer as they are}}
  %d = scf.for %k = %c0 to %c40 step %c16 iter_args(%acc = %c) -> (!y) {
    %x = systolic.load %X[%c0, %k] limit [%c2, %c40] : !X -> !x
    %next = systolic.mma %x, %x, %acc : !x, !x -> !y
    scf.yield %next : !y
  }
  systolic.store %d, %X[%c0, %c0] : !y, !X
  systolic.return
}
