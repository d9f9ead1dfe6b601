// Barriers that wait for LDS or for waves alone, over which nothing moves where they are pinned; priorities; half of the
// waves a barrier behind.
// RUN: nstf-opt %s --pass-pipeline='builtin.module(nstf-set-target{target=gfx942},systolic-to-gpu-lower-kernels)' | FileCheck %s

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
