// Waves that still have memory work get priority, if the plan has priorities and every product overlaps with a barrier.
// RUN: nstf-opt %s \
// RUN:   --pass-pipeline='builtin.module(nstf-set-target{target=gfx942},systolic.kernel(systolic-schedule-loop))' \
// RUN:   --remark-format=emitRemark --remarks-filter=systolic-.* -verify-diagnostics | FileCheck %s

#falling = #systolic.plan<buffers = 2, order = merged, priorities = [0, 2, 1], round = [multiply]>
#x = #systolic.fragment<reg [1:4*1], lane [0:16*1, 1:4*4], wave [0:2*16, -1:4*0]>
#w = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave [-1:2*0, 1:4*16]>
#y = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave [0:2*16, 1:4*16]>
!x = tensor<32x16xf32, #x>
!w = tensor<16x64xf32, #w>
!y = tensor<32x64xf32, #y>
!xs = !systolic.lds<2 x 32x16xf32, unit, #systolic.axes<32, 16>>
!ws = !systolic.lds<2 x 16x64xf32, unit, #systolic.axes<16, 64>>

// CHECK-LABEL: systolic.kernel @block(
// CHECK: scf.for
// CHECK-NEXT: systolic.overlap {
// CHECK-NEXT:   systolic.mma
// CHECK-NEXT:   systolic.yield
// CHECK-NEXT: } with {
// CHECK-NEXT:   systolic.priority 0
// CHECK-NEXT:   systolic.barrier
// CHECK-NEXT:   systolic.priority 2
// CHECK-NEXT:   systolic.read
// CHECK-NEXT:   systolic.read
// CHECK-NEXT:   systolic.priority 1
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
  } {systolic.pipelined, systolic.plan = #falling}
  systolic.return
}

// The second product of a block does not overlap with a barrier: it keeps the matrix core busy across it.
// CHECK-LABEL: systolic.kernel @steps(
// CHECK-NOT: systolic.priority
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
  } {systolic.pipelined, systolic.plan = #falling}
  systolic.return
}
