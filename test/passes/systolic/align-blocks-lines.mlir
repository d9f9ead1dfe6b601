// Rows of 32 f16 are half a line of gfx942's L1. With many blocks, loading them in pairs is worth an empty block, even
// if no block is ragged. gfx90a's L1 has lines of 64 bytes.
// RUN: nstf-opt %s --pass-pipeline='builtin.module(nstf-set-target{target=gfx942},systolic.kernel(systolic-align-blocks))' | FileCheck %s
// RUN: nstf-opt %s \
// RUN:   --pass-pipeline='builtin.module(nstf-set-target{target=gfx942},systolic.kernel(systolic-align-blocks))' \
// RUN:   --remark-format=emitRemark --remarks-filter=systolic-.* -verify-diagnostics -o %t
// RUN: nstf-opt %s --pass-pipeline='builtin.module(nstf-set-target{target=gfx90a},systolic.kernel(systolic-align-blocks))' | FileCheck %s --check-prefix=WHOLE

!x = tensor<32x32xf16, #systolic.axes<BM, BK>>
!y = tensor<32x32xf32, #systolic.axes<BM, BN>>
!ragged = memref<32x517xf16, #systolic.axes<M, K>>
!odd = memref<32x544xf16, #systolic.axes<M, K>>
!few = memref<32x97xf16, #systolic.axes<M, K>>
!Y = memref<32x32xf32, #systolic.axes<M, N>>
// CHECK-LABEL: systolic.kernel @lines(
// CHECK: scf.for %[[K:.+]] = %c0 to %c576{{.*}} step %c32
// CHECK-NEXT: arith.subi %[[K]], %c59
// CHECK: scf.for %[[K:.+]] = %c0 to %c576{{.*}} step %c32
// CHECK-NEXT: arith.subi %[[K]], %c32
// CHECK: scf.for %[[K:.+]] = %c0 to %c128{{.*}} step %c32
// CHECK-NEXT: arith.subi %[[K]], %c31
// WHOLE: scf.for %[[K:.+]] = %c0 to %c544{{.*}} step %c32
// WHOLE-NEXT: arith.subi %[[K]], %c27
// WHOLE: scf.for %{{.+}} = %c0 to %c544{{.*}} step %c32
// WHOLE-NEXT: systolic.load
systolic.kernel @lines(%ragged: !ragged, %odd: !odd, %few: !few, %Y: !Y, %work: index) attributes {params = {}, grid = []} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c517 = arith.constant 517 : index
  %c544 = arith.constant 544 : index
  %c97 = arith.constant 97 : index
  %zero = arith.constant dense<0.0> : !y
  // expected-remark @+1 {{[Passed] Blocks | Category:systolic-align-blocks | Function=lines | Remark="nothing of the first block is there, so that pairs of blocks, which are lines, end with the sum", columns=32, columns_of_first=0}}
  %a = scf.for %k = %c0 to %c517 step %c32 iter_args(%acc = %zero) -> (!y) {
    %x = systolic.load %ragged[%c0, %k] : !ragged -> !x
    %next = systolic.mma %x, %x, %acc : !x, !x -> !y
    scf.yield %next : !y
  }
  // expected-remark @+1 {{nothing of the first block is there}}
  %b = scf.for %k = %c0 to %c544 step %c32 iter_args(%acc = %a) -> (!y) {
    %x = systolic.load %odd[%c0, %k] : !odd -> !x
    %next = systolic.mma %x, %x, %acc : !x, !x -> !y
    scf.yield %next : !y
  }
  // expected-remark @+1 {{of the first block only the last columns are there, of all others all", columns=32, columns_of_first=1}}
  %c = scf.for %k = %c0 to %c97 step %c32 iter_args(%acc = %b) -> (!y) {
    %x = systolic.load %few[%c0, %k] : !few -> !x
    %next = systolic.mma %x, %x, %acc : !x, !x -> !y
    scf.yield %next : !y
  }
  systolic.store %c, %Y[%c0, %c0] : !y, !Y
  systolic.return
}
