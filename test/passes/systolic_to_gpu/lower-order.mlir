// Barriers that wait for LDS or only for waves, and that nothing crosses if they are pinned; priorities; half of the
// waves one barrier behind; regions that waves skip.
// RUN: nstf-opt %s -split-input-file --pass-pipeline='builtin.module(nstf-set-target{target=gfx942},systolic-to-gpu-lower-kernels)' | FileCheck %s

// CHECK-LABEL: gpu.func @order(
// CHECK: %[[WAVE:.+]] = arith.index_castui %{{.+}} : i32 to index
// CHECK: amdgpu.memory_counter_wait ds(0)
// CHECK-NEXT: amdgpu.lds_barrier
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: amdgpu.memory_counter_wait ds(0)
// CHECK-NEXT: amdgpu.lds_barrier
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: rocdl.s.setprio 2
// CHECK: %[[SECOND:.+]] = arith.cmpi uge, %[[WAVE]], %c2
// CHECK-NEXT: scf.if %[[SECOND]] {
// CHECK-NEXT:   amdgpu.sched_barrier allow = <none>
// CHECK-NEXT:   rocdl.s.barrier
// CHECK-NEXT:   amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: }
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK: %[[FIRST:.+]] = arith.cmpi ult, %[[WAVE]], %c2
// CHECK-NEXT: rocdl.s.nop 15
// CHECK-NEXT: scf.if %[[FIRST]] {
systolic.kernel @order(%work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 2x2>} {
  systolic.barrier
  systolic.barrier pinned
  systolic.barrier nowait
  systolic.priority 2
  systolic.skew
  systolic.barrier nowait pinned
  systolic.skew end
  systolic.return
}

// -----

// A wave enters the region if the condition holds in any register of any lane.
// CHECK-LABEL: gpu.func @if_any(
// CHECK-COUNT-2: arith.ori %{{.+}}, %{{.+}} : i1
// CHECK: %[[ASKS:.+]] = arith.ori %{{.+}}, %{{.+}} : i1
// CHECK-NEXT: %[[LANES:.+]] = rocdl.ballot %[[ASKS]] : i64
// CHECK: %[[ANY:.+]] = arith.cmpi ne, %[[LANES]], %c0_i64 : i64
// CHECK-NEXT: llvm.inline_asm has_side_effects "", "~{memory}"
// CHECK-NEXT: %{{.+}} = scf.if %[[ANY]] -> (vector<4xf32>) {
// CHECK:   %[[HALF:.+]] = arith.mulf {{.+}} : vector<4xf32>
// CHECK:   scf.yield %[[HALF]] : vector<4xf32>
// CHECK: } else {
// CHECK:   scf.yield %{{.+}} : vector<4xf32>
!tile = tensor<256xf32, #systolic.fragment<reg [0:4*1], lane [0:64*4], wave []>>
!asks = tensor<256xi1, #systolic.fragment<reg [0:4*1], lane [0:64*4], wave []>>
systolic.kernel @if_any(%X: memref<256xf32, #systolic.axes<K>>, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c0 = arith.constant 0 : index
  %x = systolic.load %X[%c0] : memref<256xf32, #systolic.axes<K>> -> !tile
  %half = arith.constant dense<0.5> : !tile
  %one = arith.constant dense<1.0> : !tile
  %is_large = arith.cmpf ogt, %x, %one : !tile
  %y = systolic.if_any %is_large {
    %factor = arith.select %is_large, %half, %one : !asks, !tile
    %scaled = arith.mulf %x, %factor : !tile
    systolic.yield %scaled : !tile
  } else %x : !asks -> !tile
  systolic.store %y, %X[%c0] : !tile, memref<256xf32, #systolic.axes<K>>
  systolic.return
}
