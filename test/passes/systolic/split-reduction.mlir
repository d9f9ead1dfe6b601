// Waves divide the columns of sums of products.
// RUN: nstf-opt %s -split-input-file \
// RUN:   --pass-pipeline='builtin.module(nstf-set-target{target=gfx942},systolic.kernel(systolic-split-reduction))' \
// RUN:   --remark-format=emitRemark --remarks-filter=systolic-.* -verify-diagnostics | FileCheck %s

// The sum becomes two parts, one below the other, which are added after the loop. Runs of 16 columns would be 32
// bytes, so waves take cells in turn.
!x = tensor<16x32xf16, #systolic.axes<BM, BK>>
!w = tensor<32x16xf16, #systolic.axes<BK, BN>>
!y = tensor<16x16xf32, #systolic.axes<BM, BN>>
!X = memref<64x96xf16, #systolic.axes<M, K>>
!Y = memref<64x16xf32, #systolic.axes<M, N>>
// CHECK-LABEL: systolic.kernel @halves(
// CHECK: %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : tensor<32x16xf32, #systolic.axes<32, BN>>
// CHECK: %[[PARTS:.+]] = scf.for {{.+}} iter_args(%[[ACC:.+]] = %[[ZERO]]) -> (tensor<32x16xf32, #systolic.axes<32, BN>>)
// CHECK: %[[NEXT:.+]] = systolic.mma %{{.+}}, %{{.+}}, %[[ACC]] parts 2 :
// CHECK-NEXT: scf.yield %[[NEXT]]
// CHECK: %[[SUM:.+]] = systolic.sum_parts %[[PARTS]] : tensor<32x16xf32, #systolic.axes<32, BN>> -> tensor<16x16xf32, #systolic.axes<BM, BN>>
// CHECK: systolic.store %[[SUM]]
systolic.kernel @halves(%X: !X, %W: !X, %Y: !Y, %work: index)
    attributes {params = {M = 64, BM = 16}, schedule = #systolic.schedule<waves = 1x1x2>, grid = ["M", "BM"]} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c96 = arith.constant 96 : index
  %zero = arith.constant dense<0.0> : !y
  // expected-remark @+1 {{[Passed] Parts | Category:systolic-split-reduction | Function=halves | Remark="waves share out the columns of a sum, which has 4 tiles for 304 compute units", parts=2}}
  %sum = scf.for %k = %c0 to %c96 step %c32 iter_args(%acc = %zero) -> (!y) {
    %x = systolic.load %X[%work, %k] : !X -> !x
    %w = systolic.load %W[%c0, %k] transposed : !X -> !w
    %next = systolic.mma %x, %w, %acc : !x, !w -> !y
    scf.yield %next : !y
  }
  systolic.store %sum, %Y[%work, %c0] : !y, !Y
  systolic.return
}

// -----

// If runs have at least 64 bytes, each wave takes a run.
!x = tensor<16x64xf16, #systolic.axes<BM, BK>>
!w = tensor<64x16xf16, #systolic.axes<BK, BN>>
!y = tensor<16x16xf32, #systolic.axes<BM, BN>>
!X = memref<64x128xf16, #systolic.axes<M, K>>
!Y = memref<64x16xf32, #systolic.axes<M, N>>
// CHECK-LABEL: systolic.kernel @runs(
// CHECK: systolic.mma %{{.+}}, %{{.+}}, %{{.+}} parts 2 runs :
systolic.kernel @runs(%X: !X, %Y: !Y, %work: index) attributes {params = {}, schedule = #systolic.schedule<waves = 1x1x2>, grid = []} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : !y
  // expected-remark @+1 {{parts=2}}
  %sum = scf.for %k = %c0 to %c128 step %c64 iter_args(%acc = %zero) -> (!y) {
    %x = systolic.load %X[%c0, %k] : !X -> !x
    %w = systolic.load %X[%c0, %k] transposed : !X -> !w
    %next = systolic.mma %x, %w, %acc : !x, !w -> !y
    scf.yield %next : !y
  }
  systolic.store %sum, %Y[%c0, %c0] : !y, !Y
  systolic.return
}

// -----

// Sums of integers are split too.
!x = tensor<16x64xi8, #systolic.axes<BM, BK>>
!w = tensor<64x16xi8, #systolic.axes<BK, BN>>
!y = tensor<16x16xi32, #systolic.axes<BM, BN>>
!X = memref<16x128xi8, #systolic.axes<M, K>>
!Y = memref<16x16xi32, #systolic.axes<M, N>>
// CHECK-LABEL: systolic.kernel @integers(
// CHECK: arith.constant dense<0> : tensor<64x16xi32
// CHECK: systolic.sum_parts %{{.+}} : tensor<64x16xi32
systolic.kernel @integers(%X: !X, %Y: !Y, %work: index) attributes {params = {}, schedule = #systolic.schedule<waves = 1x1x4>, grid = []} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0> : !y
  // expected-remark @+1 {{parts=4}}
  %sum = scf.for %k = %c0 to %c128 step %c64 iter_args(%acc = %zero) -> (!y) {
    %x = systolic.load %X[%c0, %k] : !X -> !x
    %w = systolic.load %X[%c0, %k] transposed : !X -> !w
    %next = systolic.mma %x, %w, %acc : !x, !w -> !y
    scf.yield %next : !y
  }
  systolic.store %sum, %Y[%c0, %c0] : !y, !Y
  systolic.return
}

// -----

// The initial value of a sum that does not begin with zeros would be in every part, so nothing is split.
!a = tensor<16x16xf32, #systolic.axes<BM, BK>>
!X = memref<16x80xf32, #systolic.axes<M, K>>
// CHECK-LABEL: systolic.kernel @begun(
// CHECK-NOT: parts
// expected-remark @+1 {{[Missed] Parts | Category:systolic-split-reduction | Function=begun | Remark="the kernel has products that are no terms of a sum from zero"}}
systolic.kernel @begun(%X: !X, %work: index) attributes {params = {}, schedule = #systolic.schedule<waves = 1x1x2>, grid = []} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : !a
  %one = arith.constant dense<1.0> : !a
  %sum = scf.for %k = %c0 to %work step %c16 iter_args(%acc = %zero) -> (!a) {
    %x = systolic.load %X[%c0, %k] : !X -> !a
    %next = systolic.mma %x, %x, %acc : !a, !a -> !a
    scf.yield %next : !a
  }
  %other = scf.for %k = %c0 to %work step %c16 iter_args(%acc = %one) -> (!a) {
    %x = systolic.load %X[%c0, %k] : !X -> !a
    %next = systolic.mma %x, %x, %acc : !a, !a -> !a
    scf.yield %next : !a
  }
  systolic.store %sum, %X[%c0, %c0] : !a, !X
  systolic.store %other, %X[%c16, %c0] : !a, !X
  systolic.return
}

// -----

// A single part is not a split.
!a = tensor<16x16xf32, #systolic.axes<BM, BK>>
!X = memref<16x80xf32, #systolic.axes<M, K>>
// CHECK-LABEL: systolic.kernel @whole(
// CHECK-NOT: parts
systolic.kernel @whole(%X: !X, %work: index) attributes {params = {}, schedule = #systolic.schedule<waves = 1x1>, grid = []} {
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

// More waves than a workgroup can have.
!a = tensor<16x16xf32, #systolic.axes<BM, BK>>
!X = memref<16x80xf32, #systolic.axes<M, K>>
// CHECK-LABEL: systolic.kernel @waves(
// CHECK-NOT: parts
// expected-remark @+1 {{[Missed] Parts | Category:systolic-split-reduction | Function=waves | Remark="8 parts would take 2048 work-items, a workgroup has at most 1024"}}
systolic.kernel @waves(%X: !X, %work: index) attributes {params = {}, schedule = #systolic.schedule<waves = 2x2x8>, grid = []} {
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

// The parts need more LDS than the operands leave.
!x = tensor<64x16xf32, #systolic.axes<BM, BK>>
!w = tensor<16x64xf32, #systolic.axes<BK, BN>>
!y = tensor<64x64xf32, #systolic.axes<BM, BN>>
!X = memref<64x80xf32, #systolic.axes<M, K>>
// CHECK-LABEL: systolic.kernel @lds(
// CHECK-NOT: parts
// expected-remark @+1 {{[Missed] Parts | Category:systolic-split-reduction | Function=lds | Remark="4 parts would take 65536 bytes of LDS, more than half of 65536"}}
systolic.kernel @lds(%X: !X, %work: index) attributes {params = {}, schedule = #systolic.schedule<waves = 1x1x4>, grid = []} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : !y
  %sum = scf.for %k = %c0 to %work step %c16 iter_args(%acc = %zero) -> (!y) {
    %x = systolic.load %X[%c0, %k] : !X -> !x
    %w = systolic.load %X[%c0, %k] transposed : !X -> !w
    %next = systolic.mma %x, %w, %acc : !x, !w -> !y
    scf.yield %next : !y
  }
  systolic.store %sum, %X[%c0, %c0] : !y, !X
  systolic.return
}

// -----

// Waves along rows share their loads, so waves take cells in turn.
!x = tensor<32x64xf32, #systolic.axes<BM, BK>>
!w = tensor<64x16xf32, #systolic.axes<BK, BN>>
!y = tensor<32x16xf32, #systolic.axes<BM, BN>>
!X = memref<64x128xf32, #systolic.axes<M, K>>
!Y = memref<64x16xf32, #systolic.axes<M, N>>
// CHECK-LABEL: systolic.kernel @in_turn(
// CHECK: systolic.mma %{{.+}}, %{{.+}}, %{{.+}} parts 2 : tensor
systolic.kernel @in_turn(%X: !X, %Y: !Y, %work: index) attributes {params = {}, schedule = #systolic.schedule<waves = 2x1x2>, grid = []} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : !y
  // expected-remark @+1 {{parts=2}}
  %sum = scf.for %k = %c0 to %c128 step %c64 iter_args(%acc = %zero) -> (!y) {
    %x = systolic.load %X[%c0, %k] : !X -> !x
    %w = systolic.load %X[%c0, %k] transposed : !X -> !w
    %next = systolic.mma %x, %w, %acc : !x, !w -> !y
    scf.yield %next : !y
  }
  systolic.store %sum, %Y[%c0, %c0] : !y, !Y
  systolic.return
}

// -----

// Sums that have parts already stay.
!x = tensor<16x64xf16, #systolic.axes<BM, BK>>
!w = tensor<64x16xf16, #systolic.axes<BK, BN>>
!y = tensor<32x16xf32, #systolic.axes<32, BN>>
!s = tensor<16x16xf32, #systolic.axes<BM, BN>>
!X = memref<64x128xf16, #systolic.axes<M, K>>
!Y = memref<64x16xf32, #systolic.axes<M, N>>
// CHECK-LABEL: systolic.kernel @in_parts(
// CHECK: systolic.mma %{{.+}}, %{{.+}}, %{{.+}} parts 2 runs
// CHECK-COUNT-1: systolic.sum_parts
systolic.kernel @in_parts(%X: !X, %Y: !Y, %work: index) attributes {params = {}, schedule = #systolic.schedule<waves = 1x1x2>, grid = []} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : !y
  %parts = scf.for %k = %c0 to %c128 step %c64 iter_args(%acc = %zero) -> (!y) {
    %x = systolic.load %X[%c0, %k] : !X -> !x
    %w = systolic.load %X[%c0, %k] transposed : !X -> !w
    %block = systolic.mma %x, %w, %zero parts 2 runs : !x, !w -> !y
    %next = arith.addf %acc, %block : !y
    scf.yield %next : !y
  }
  %sum = systolic.sum_parts %parts : !y -> !s
  systolic.store %sum, %Y[%c0, %c0] : !s, !Y
  systolic.return
}
