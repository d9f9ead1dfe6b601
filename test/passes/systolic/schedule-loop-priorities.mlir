// Waves that still have memory work go first, where blocks are of one product and a SIMD has several waves.
// RUN: nstf-opt %s --pass-pipeline='builtin.module(nstf-set-target{target=gfx942},systolic.kernel(systolic-schedule-loop))' --remark-format=emitRemark --remarks-filter=systolic-.* -verify-diagnostics | FileCheck %s
// RUN: nstf-opt %s --pass-pipeline='builtin.module(systolic.kernel(systolic-schedule-loop))' | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN-NOT: setprio

#x = #systolic.fragment<reg [1:4*1], lane [0:16*1, 1:4*4], wave [0:2*16, -1:4*0]>
#w = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave [-1:2*0, 1:4*16]>
#y = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave [0:2*16, 1:4*16]>
#x4 = #systolic.fragment<reg [1:4*1], lane [0:16*1, 1:4*4], wave [0:2*16, -1:2*0]>
#w4 = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave [-1:2*0, 1:2*16]>
#y4 = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave [0:2*16, 1:2*16]>
!x = tensor<32x16xf32, #x>
!w = tensor<16x64xf32, #w>
!y = tensor<32x64xf32, #y>
!x4 = tensor<32x16xf32, #x4>
!w4 = tensor<16x32xf32, #w4>
!y4 = tensor<32x32xf32, #y4>
!xs = !systolic.lds<2 x 32x16xf32, unit, #systolic.axes<32, 16>>
!ws = !systolic.lds<2 x 16x64xf32, unit, #systolic.axes<16, 64>>

// CHECK-LABEL: systolic.kernel @block(
// CHECK: scf.for
// CHECK-NEXT: systolic.overlap {
// CHECK-NEXT:   systolic.mma
// CHECK-NEXT:   systolic.yield
// CHECK-NEXT: } with {
// CHECK-NEXT:   rocdl.s.setprio 0
// CHECK-NEXT:   systolic.barrier
// CHECK-NEXT:   rocdl.s.setprio 2
// CHECK-NEXT:   systolic.read
// CHECK-NEXT:   systolic.read
// CHECK-NEXT:   rocdl.s.setprio 1
// CHECK-NEXT:   systolic.yield
systolic.kernel @block(%work: index, %xs: !xs, %ws: !ws)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 2x4, cell = 16x16x16, instruction_k = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : !y
  %x = systolic.read %xs[%c0] : !xs -> !x
  %w = systolic.read %ws[%c0] : !ws -> !w
  // expected-remark @+1 {{1 of 1 products flow beside memory work, waves that still have memory work go first}}
  %sum:3 = scf.for %k = %c0 to %work step %c16 iter_args(%acc = %zero, %a = %x, %b = %w) -> (!y, !x, !w) {
    systolic.barrier
    %u = systolic.read %xs[%c1] : !xs -> !x
    %v = systolic.read %ws[%c1] : !ws -> !w
    %p = systolic.mma %a, %b, %acc : !x, !w -> !y
    scf.yield %p, %u, %v : !y, !x, !w
  }
  systolic.return
}

// The second product of a block stands beside no barrier: it keeps the matrix core busy over it.
// CHECK-LABEL: systolic.kernel @steps(
// CHECK-NOT: setprio
systolic.kernel @steps(%work: index, %xs: !xs, %ws: !ws)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 2x4, cell = 16x16x16, instruction_k = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : !y
  %x = systolic.read %xs[%c0] : !xs -> !x
  %w = systolic.read %ws[%c0] : !ws -> !w
  // expected-remark @+1 {{"2 of 2 products flow beside memory work"}}
  %sum:3 = scf.for %k = %c0 to %work step %c16 iter_args(%acc = %zero, %a = %x, %b = %w) -> (!y, !x, !w) {
    systolic.barrier
    %u = systolic.read %xs[%c1] : !xs -> !x
    %v = systolic.read %ws[%c1] : !ws -> !w
    %p = systolic.mma %a, %b, %acc : !x, !w -> !y
    %s = systolic.read %xs[%c1] : !xs -> !x
    %q = systolic.mma %u, %v, %p : !x, !w -> !y
    scf.yield %q, %s, %v : !y, !x, !w
  }
  systolic.return
}

// A SIMD has one wave of four.
// CHECK-LABEL: systolic.kernel @alone(
// CHECK-NOT: setprio
systolic.kernel @alone(%work: index, %xs: !xs, %ws: !systolic.lds<2 x 16x32xf32, unit, #systolic.axes<16, 32>>)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 2x2, cell = 16x16x16, instruction_k = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : !y4
  %x = systolic.read %xs[%c0] : !xs -> !x4
  %w = systolic.read %ws[%c0] : !systolic.lds<2 x 16x32xf32, unit, #systolic.axes<16, 32>> -> !w4
  // expected-remark @+1 {{"1 of 1 products flow beside memory work"}}
  %sum:3 = scf.for %k = %c0 to %work step %c16 iter_args(%acc = %zero, %a = %x, %b = %w) -> (!y4, !x4, !w4) {
    systolic.barrier
    %u = systolic.read %xs[%c1] : !xs -> !x4
    %v = systolic.read %ws[%c1] : !systolic.lds<2 x 16x32xf32, unit, #systolic.axes<16, 32>> -> !w4
    %p = systolic.mma %a, %b, %acc : !x4, !w4 -> !y4
    scf.yield %p, %u, %v : !y4, !x4, !w4
  }
  systolic.return
}
