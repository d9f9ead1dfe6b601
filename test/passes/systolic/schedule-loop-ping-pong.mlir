// Halves of the waves take turns at memory work and products.
// RUN: nstf-opt %s -split-input-file --pass-pipeline='builtin.module(nstf-set-target{target=gfx942},systolic.kernel(systolic-schedule-loop))' | FileCheck %s
// RUN: nstf-opt %s -split-input-file \
// RUN:   --pass-pipeline='builtin.module(nstf-set-target{target=gfx942},systolic.kernel(systolic-schedule-loop))' \
// RUN:   --remark-format=emitRemark --remarks-filter=systolic-.* -verify-diagnostics -o %t

#turns = #systolic.plan<buffers = 1, order = turns, pinned, round = [multiply]>
#a = #systolic.fragment<reg [1:4*1], lane [0:16*1, 1:4*4], wave [-1:8*0]>
#b = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave [-1:8*0]>
!X = memref<64x64xf32, #systolic.axes<M, K>>
!a = tensor<16x16xf32, #a>
!b = tensor<16x16xf32, #b>
!lds = !systolic.lds<2 x 16x16xf32, unit, #systolic.axes<16, 16>>

// The first step writes what the second reads, so it waits before the barrier at its end, since the waves of the other
// half are in the second step then. The third step does not touch what the second reads, so there is no wait. But the
// first step of the next round overwrites it, so the third step waits. The barrier between the steps is gone. Of two
// loads in one step, one moves to the next step, which has none.
// CHECK-LABEL: systolic.kernel @loop(
// CHECK: systolic.skew{{$}}
// CHECK-NEXT: scf.for
// CHECK-NEXT:   systolic.read %{{.+}}[%c0] :
// CHECK-NEXT:   systolic.write %{{.+}}, %{{.+}}[%c1] :
// CHECK-NEXT:   systolic.load
// CHECK-NEXT:   systolic.barrier pinned
// CHECK-NEXT:   systolic.priority 1
// CHECK-NEXT:   systolic.mma
// CHECK-NEXT:   systolic.mma
// CHECK-NEXT:   systolic.priority 0
// CHECK-NEXT:   systolic.barrier nowait pinned
// CHECK-NEXT:   systolic.read %{{.+}}[%c1] :
// CHECK-NEXT:   systolic.load
// CHECK-NEXT:   systolic.barrier nowait pinned
// CHECK-NEXT:   systolic.priority 1
// CHECK-NEXT:   systolic.mma
// CHECK-NEXT:   systolic.priority 0
// CHECK-NEXT:   systolic.barrier nowait pinned
// CHECK-NEXT:   systolic.load
// CHECK-NEXT:   systolic.barrier pinned
// CHECK-NEXT:   systolic.priority 1
// CHECK-NEXT:   systolic.mma
// CHECK-NEXT:   systolic.priority 0
// CHECK-NEXT:   systolic.barrier nowait pinned
// CHECK-NEXT:   scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: systolic.skew end
systolic.kernel @loop(%X: !X, %work: index, %lds: !lds)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 2x4, cell = 16x16x16, instruction_k = 4>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : !b
  %x0 = systolic.load %X[%c0, %c0] : !X -> !a
  %w0 = systolic.load %X[%c0, %c0] : !X -> !b
  %first = systolic.read %lds[%c0] : !lds -> !a
  // expected-remark @+1 {{[Passed] Schedule | Category:systolic-schedule-loop | Function=loop | Remark="halves of the waves take turns at memory work and products"}}
  %sums:4 = scf.for %k = %c0 to %work step %c16 iter_args(%acc = %zero, %x = %x0, %w = %w0, %a = %first) -> (!b, !a, !b, !a) {
    %next = systolic.read %lds[%c0] : !lds -> !a
    systolic.write %x, %lds[%c1] : !a, !lds
    %x1 = systolic.load %X[%c0, %k] : !X -> !a
    %w1 = systolic.load %X[%c16, %k] : !X -> !b
    %p = systolic.mma %a, %w, %acc : !a, !b -> !b
    %q = systolic.mma %a, %w, %p : !a, !b -> !b
    systolic.barrier
    %after = systolic.read %lds[%c1] : !lds -> !a
    %r = systolic.mma %next, %w, %q : !a, !b -> !b
    %v = systolic.load %X[%k, %k] : !X -> !a
    %s = systolic.mma %v, %w, %r : !a, !b -> !b
    scf.yield %s, %x1, %w1, %after : !b, !a, !b, !a
  } {systolic.pipelined, systolic.plan = #turns}
  systolic.store %sums#0, %X[%c0, %c0] : !b, !X
  systolic.return
}

// -----

#turns = #systolic.plan<buffers = 1, order = turns, pinned, round = [multiply]>
// One buffer: each step overwrites what the previous one reads, and the first reads what the last wrote. Both steps
// wait.
#a = #systolic.fragment<reg [1:4*1], lane [0:16*1, 1:4*4], wave [-1:8*0]>
#b = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave [-1:8*0]>
!X = memref<64x64xf32, #systolic.axes<M, K>>
!a = tensor<16x16xf32, #a>
!b = tensor<16x16xf32, #b>
!lds = !systolic.lds<1 x 16x16xf32, unit, #systolic.axes<16, 16>>
// CHECK-LABEL: systolic.kernel @one_buffer(
// CHECK: scf.for
// CHECK-NEXT: systolic.read
// CHECK-NEXT: systolic.barrier pinned
// CHECK: systolic.mma
// CHECK: systolic.barrier nowait pinned
// CHECK: systolic.write
// CHECK-NEXT: systolic.barrier pinned
// CHECK: systolic.mma
systolic.kernel @one_buffer(%X: !X, %work: index, %lds: !lds)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 2x4, cell = 16x16x16, instruction_k = 4>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : !b
  %w = systolic.load %X[%c0, %c0] : !X -> !b
  %x = systolic.load %X[%c0, %c0] : !X -> !a
  // expected-remark @+1 {{halves of the waves take turns}}
  %sum = scf.for %k = %c0 to %work step %c16 iter_args(%acc = %zero) -> (!b) {
    %a = systolic.read %lds[%c0] : !lds -> !a
    %p = systolic.mma %a, %w, %acc : !a, !b -> !b
    systolic.barrier
    systolic.write %x, %lds[%c0] : !a, !lds
    %q = systolic.mma %x, %w, %p : !a, !b -> !b
    systolic.barrier
    scf.yield %q : !b
  } {systolic.pipelined, systolic.plan = #turns}
  systolic.store %sum, %X[%c0, %c0] : !b, !X
  systolic.return
}

// -----

#turns = #systolic.plan<buffers = 1, order = turns, pinned, round = [multiply]>
// One buffer, read one step ahead: the last step writes and then reads, which cannot be one turn. The write moves to
// the turn before, and the reads that were there move to the first turn.
#a = #systolic.fragment<reg [1:4*1], lane [0:16*1, 1:4*4], wave [-1:8*0]>
#b = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave [-1:8*0]>
!X = memref<64x64xf32, #systolic.axes<M, K>>
!a = tensor<16x16xf32, #a>
!b = tensor<16x16xf32, #b>
!x = tensor<16x48xf32, #systolic.fragment<reg [1:4*1, 1:3*16], lane [0:16*1, 1:4*4], wave [-1:8*0]>>
!lds = !systolic.lds<1 x 16x48xf32, unit, #systolic.axes<16, 48>>
// CHECK-LABEL: systolic.kernel @ahead(
// CHECK: scf.for
// CHECK-NEXT: systolic.load
// CHECK-NEXT: systolic.read %{{.+}} from [0, 16]
// CHECK-NEXT: systolic.read %{{.+}} from [0, 32]
// CHECK-NEXT: systolic.barrier pinned
// CHECK: systolic.mma
// CHECK: systolic.barrier nowait pinned
// CHECK-NEXT: systolic.write
// CHECK-NEXT: systolic.barrier pinned
// CHECK: systolic.mma
// CHECK: systolic.barrier nowait pinned
// CHECK-NEXT: systolic.read %{{.+}} from [0, 0]
// CHECK-NEXT: systolic.barrier nowait pinned
// CHECK: systolic.mma
systolic.kernel @ahead(%X: !X, %work: index, %lds: !lds)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 2x4, cell = 16x16x16, instruction_k = 4>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : !b
  %w = systolic.load %X[%c0, %c0] : !X -> !b
  %f0 = systolic.read %lds[%c0] from [0, 0] : !lds -> !a
  %x0 = systolic.load %X[%c0, %c0] : !X -> !x
  // expected-remark @+1 {{halves of the waves take turns}}
  %sums:3 = scf.for %k = %c0 to %work step %c16 iter_args(%acc = %zero, %f = %f0, %x = %x0)
      -> (!b, !a, !x) {
    %x1 = systolic.load %X[%c0, %k] : !X -> !x
    %f1 = systolic.read %lds[%c0] from [0, 16] : !lds -> !a
    %p = systolic.mma %f, %w, %acc : !a, !b -> !b
    %f2 = systolic.read %lds[%c0] from [0, 32] : !lds -> !a
    %q = systolic.mma %f1, %w, %p : !a, !b -> !b
    systolic.barrier
    systolic.write %x, %lds[%c0] : !x, !lds
    systolic.barrier
    %f3 = systolic.read %lds[%c0] from [0, 0] : !lds -> !a
    %r = systolic.mma %f2, %w, %q : !a, !b -> !b
    scf.yield %r, %f3, %x1 : !b, !a, !x
  } {systolic.pipelined, systolic.plan = #turns}
  systolic.store %sums#0, %X[%c0, %c0] : !b, !X
  systolic.return
}

// -----

#turns = #systolic.plan<buffers = 1, order = turns, pinned, round = [multiply]>
// Loops without turns overlap as usual: a loop of one step, loops whose steps need barriers inside, and a loop with
// other ops.
#a = #systolic.fragment<reg [1:4*1], lane [0:16*1, 1:4*4], wave [-1:8*0]>
#b = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave [-1:8*0]>
!X = memref<64x64xf32, #systolic.axes<M, K>>
!a = tensor<16x16xf32, #a>
!b = tensor<16x16xf32, #b>
!lds = !systolic.lds<2 x 16x16xf32, unit, #systolic.axes<16, 16>>
// CHECK-LABEL: systolic.kernel @refused(
// CHECK-NOT: systolic.skew
systolic.kernel @refused(%X: !X, %work: index, %lds: !lds)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 2x4, cell = 16x16x16, instruction_k = 4>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : !b
  %w = systolic.load %X[%c0, %c0] : !X -> !b
  %x = systolic.load %X[%c0, %c0] : !X -> !a
  // expected-remark @+2 {{Remark="no ping-pong: it has one step"}}
  // expected-remark @+1 {{no memory work stands before a product}}
  %one = scf.for %k = %c0 to %work step %c16 iter_args(%acc = %zero) -> (!b) {
    %a = systolic.read %lds[%c0] : !lds -> !a
    %p = systolic.mma %a, %w, %acc : !a, !b -> !b
    scf.yield %p : !b
  } {systolic.pipelined, systolic.plan = #turns}
  // expected-remark @+2 {{2 of 2 products flow beside memory work}}
  // expected-remark @+1 {{Remark="no ping-pong: LDS accesses between more barriers than it has steps"}}
  %within = scf.for %k = %c0 to %work step %c16 iter_args(%acc = %one) -> (!b) {
    systolic.write %x, %lds[%c0] : !a, !lds
    systolic.barrier
    %a = systolic.read %lds[%c0] : !lds -> !a
    %p = systolic.mma %x, %w, %acc : !a, !b -> !b
    systolic.barrier
    systolic.write %x, %lds[%c0] : !a, !lds
    systolic.barrier
    %b = systolic.read %lds[%c0] : !lds -> !a
    %q = systolic.mma %a, %w, %p : !a, !b -> !b
    systolic.barrier
    scf.yield %q : !b
  } {systolic.pipelined, systolic.plan = #turns}
  // expected-remark @+2 {{1 of 2 products flow beside memory work}}
  // expected-remark @+1 {{Remark="no ping-pong: a tile is written in the step in which it comes"}}
  %comes = scf.for %k = %c0 to %work step %c16 iter_args(%acc = %within) -> (!b) {
    %p = systolic.mma %x, %w, %acc : !a, !b -> !b
    %y = systolic.load %X[%c0, %k] : !X -> !a
    systolic.write %y, %lds[%c0] : !a, !lds
    systolic.barrier
    %b = systolic.read %lds[%c0] : !lds -> !a
    %q = systolic.mma %x, %w, %p : !a, !b -> !b
    systolic.barrier
    scf.yield %q : !b
  } {systolic.pipelined, systolic.plan = #turns}
  // expected-remark @+2 {{Remark="no ping-pong: it does more than move tiles and multiply: systolic.store"}}
  // expected-remark @+1 {{no memory work stands before a product}}
  %more = scf.for %k = %c0 to %work step %c16 iter_args(%acc = %comes) -> (!b) {
    %a = systolic.read %lds[%c0] : !lds -> !a
    %p = systolic.mma %a, %w, %acc : !a, !b -> !b
    systolic.store %p, %X[%c0, %k] : !b, !X
    %q = systolic.mma %a, %w, %p : !a, !b -> !b
    scf.yield %q : !b
  } {systolic.pipelined, systolic.plan = #turns}
  // expected-remark @+2 {{Remark="no ping-pong: memory work stands behind its last product"}}
  // expected-remark @+1 {{no memory work stands before a product}}
  %last = scf.for %k = %c0 to %work step %c16 iter_args(%acc = %more) -> (!b) {
    %p = systolic.mma %x, %w, %acc : !a, !b -> !b
    systolic.write %x, %lds[%c0] : !a, !lds
    scf.yield %p : !b
  } {systolic.pipelined, systolic.plan = #turns}
  systolic.store %last, %X[%c0, %c0] : !b, !X
  systolic.return
}

// -----

#turns = #systolic.plan<buffers = 1, order = turns, pinned, round = [multiply]>
// Four waves are one per SIMD, so they have no partner for turns.
#a = #systolic.fragment<reg [1:4*1], lane [0:16*1, 1:4*4], wave [-1:4*0]>
#b = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave [-1:4*0]>
!X = memref<64x64xf32, #systolic.axes<M, K>>
!a = tensor<16x16xf32, #a>
!b = tensor<16x16xf32, #b>
!lds = !systolic.lds<2 x 16x16xf32, unit, #systolic.axes<16, 16>>
// CHECK-LABEL: systolic.kernel @four_waves(
// CHECK-NOT: systolic.skew
systolic.kernel @four_waves(%X: !X, %work: index, %lds: !lds)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 2x2, cell = 16x16x16, instruction_k = 4>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : !b
  %w = systolic.load %X[%c0, %c0] : !X -> !b
  // expected-remark @+2 {{Remark="no ping-pong: 4 waves are no two halves of 4 SIMDs"}}
  // expected-remark @+1 {{no memory work stands before a product}}
  %sum = scf.for %k = %c0 to %work step %c16 iter_args(%acc = %zero) -> (!b) {
    %a = systolic.read %lds[%c0] : !lds -> !a
    %p = systolic.mma %a, %w, %acc : !a, !b -> !b
    scf.yield %p : !b
  } {systolic.pipelined, systolic.plan = #turns}
  systolic.store %sum, %X[%c0, %c0] : !b, !X
  systolic.return
}
