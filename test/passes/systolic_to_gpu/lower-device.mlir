// One lane counts, between fences at the device's scope; of several waves all have stored before, and all learn of it.
// RUN: nstf-opt %s -split-input-file --pass-pipeline='builtin.module(nstf-set-target{target=gfx942},systolic.kernel(systolic-allocate-scratch),systolic-to-gpu-lower-kernels)' | FileCheck %s
!N = memref<4xi32, #systolic.axes<4>>

// CHECK-LABEL: gpu.func @one_wave(
// CHECK: llvm.fence syncscope("agent") release
// CHECK: %[[FIRST:.+]] = arith.cmpi ult, %{{.+}}, %c1 : index
// CHECK: %[[BEFORE:.+]] = scf.if %[[FIRST]] -> (i32) {
// CHECK:   memref.atomic_rmw addi
// CHECK: } else {
// CHECK: %[[SHARED:.+]] = rocdl.readfirstlane %[[BEFORE]]
// CHECK: %[[LAST:.+]] = arith.cmpi eq, %[[SHARED]], %{{.+}} : i32
// CHECK: %[[RESET:.+]] = arith.andi %[[LAST]], %[[FIRST]]
// CHECK: scf.if %[[RESET]] -> (i32) {
// CHECK:   memref.atomic_rmw assign
// CHECK: llvm.fence syncscope("agent") acquire
systolic.kernel @one_wave(%n: !N, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %is_last = systolic.arrive %n[%work] of %work : !N
  scf.if %is_last {
    systolic.priority 1
  }
  systolic.return
}

// -----

!N = memref<4xi32, #systolic.axes<4>>

// CHECK-LABEL: gpu.func @waves(
// CHECK: llvm.fence syncscope("agent") release
// CHECK: amdgpu.lds_barrier
// CHECK: memref.atomic_rmw addi
// CHECK: memref.store
// CHECK: amdgpu.lds_barrier
// CHECK: memref.load
// CHECK: amdgpu.lds_barrier
// CHECK: rocdl.readfirstlane
// CHECK: memref.atomic_rmw assign
// CHECK: llvm.fence syncscope("agent") acquire
systolic.kernel @waves(%n: !N, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x4>} {
  %is_last = systolic.arrive %n[%work] of %work : !N
  scf.if %is_last {
    systolic.priority 1
  }
  systolic.return
}
