// One lane counts, between fences at device scope. With several waves, all have stored before, and all get the result.
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

// -----

#rows = #systolic.fragment<reg [1:16*1], lane [0:16*1, -1:4*0], wave []>
#cols = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>
!N = memref<4xi32, #systolic.axes<4>>
!X = memref<16x16xf32, #systolic.axes<16, 16>>

// Four waves each convert a tile in their own LDS, without a barrier in between, and arrive as one workgroup.
// CHECK-LABEL: gpu.func @crews(
// CHECK-SAME: memref<1x4096xi8, #gpu.address_space<workgroup>>
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>
// CHECK-DAG: %[[LANE:.+]] = arith.remui %thread_id_x, %{{.+}} : index
// CHECK-DAG: %[[NUMBER:.+]] = arith.divui %thread_id_x, %{{.+}} : index
// CHECK: rocdl.readfirstlane
// CHECK: %[[CREW:.+]] = arith.index_castui %{{.+}} : i32 to index
// CHECK: %[[START:.+]] = arith.muli %[[CREW]], %c1024{{.*}} : index
// CHECK-NOT: amdgpu.lds_barrier
// CHECK: memref.view %{{.+}}[%[[START]]][]
// CHECK: llvm.fence syncscope("wavefront") acq_rel
// CHECK-NOT: amdgpu.lds_barrier
// CHECK: llvm.fence syncscope("agent") release
// CHECK: arith.cmpi ult, %[[LANE]]
// CHECK: amdgpu.lds_barrier
// CHECK: arith.cmpi ult, %[[CREW]]
// CHECK: memref.atomic_rmw addi
// CHECK: memref.view %{{.+}}[%c0{{.*}}][]
// CHECK: amdgpu.lds_barrier
// CHECK: amdgpu.lds_barrier
// CHECK: llvm.fence syncscope("agent") acquire
systolic.kernel @crews(%n: !N, %X: !X, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %crew = systolic.crew of %c4
  %a = systolic.load %X[%c0, %c0] : !X -> tensor<16x16xf32, #rows>
  %b = systolic.convert_layout %a : tensor<16x16xf32, #rows> -> tensor<16x16xf32, #cols>
  %row = arith.muli %crew, %c4 : index
  systolic.store %b, %X[%row, %c0] : tensor<16x16xf32, #cols>, !X
  %is_last = systolic.arrive %n[%work] of %work : !N
  scf.if %is_last {
    systolic.priority 1
  }
  systolic.return
}
