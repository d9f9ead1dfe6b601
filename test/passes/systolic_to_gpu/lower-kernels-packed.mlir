// Arrays in operand order, and copies to LDS past the registers.
// RUN: nstf-opt %s -split-input-file --pass-pipeline='builtin.module(systolic-to-gpu-lower-kernels,canonicalize,cse)' | FileCheck %s

// A wave loads a whole block at once. The tile begins at a whole block, and two blocks of 512 elements form a row of
// blocks, so the second load differs by a constant.
// CHECK-LABEL: gpu.func @direct(
// CHECK-SAME: %[[W:[a-z0-9]+]]: memref<4096xf16, #gpu.address_space<global>>
// CHECK: amdgpu.raw_buffer_load %[[W]][%[[LANES:.+]]] sgprOffset {{.+}} -> vector<8xf16>
// CHECK-NEXT: amdgpu.raw_buffer_load {indexOffset = 1024 : i32} %[[W]][%[[LANES]]] sgprOffset {{.+}} -> vector<8xf16>
// CHECK: amdgpu.raw_buffer_store
#w = #systolic.fragment<reg [1:8*1, 0:2*16], lane [0:16*1, 1:4*8], wave []>
!W = memref<64x64xf16, #systolic.axes<N, K>>
systolic.kernel @direct(%W: !W {systolic.packed = #systolic.packed<16 x 64 bytes>}, %Y: !W, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c0 = arith.constant 0 : index
  %w = systolic.load %W[%c0, %c0] : !W -> tensor<32x32xf16, #w>
  systolic.store %w, %Y[%c0, %c0] : tensor<32x32xf16, #w>, !W
  systolic.return
}

// -----

// By cells: one load of a lane delivers its elements of two cells.
// CHECK-LABEL: gpu.func @by_cells(
// CHECK: %[[FIRST:.+]] = amdgpu.raw_buffer_load %{{.+}} -> vector<8xf16>
// CHECK: %[[SECOND:.+]] = amdgpu.raw_buffer_load {{.+}} -> vector<8xf16>
// CHECK-NOT: raw_buffer_load
#w = #systolic.fragment<reg [1:4*1, 1:4*8], lane [0:32*1, 1:2*4], wave []>
!W = memref<64x64xf16, #systolic.axes<N, K>>
systolic.kernel @by_cells(%W: !W {systolic.packed = #systolic.packed<16 x 64 bytes, by 4>}, %Y: !W, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c0 = arith.constant 0 : index
  %w = systolic.load %W[%c0, %c0] : !W -> tensor<32x32xf16, #w>
  systolic.store %w, %Y[%c0, %c0] : tensor<32x32xf16, #w>, !W
  systolic.return
}

// -----

// If the tile begins at any column, the whole place is computed for each element.
// CHECK-LABEL: gpu.func @anywhere(
// CHECK-COUNT-8: amdgpu.raw_buffer_load {{.+}} -> f16
// CHECK-NOT: raw_buffer_load
#w = #systolic.fragment<reg [1:8*1], lane [0:16*1, 1:4*8], wave []>
!W = memref<64x64xf16, #systolic.axes<N, K>>
systolic.kernel @anywhere(%W: !W {systolic.packed = #systolic.packed<16 x 64 bytes>}, %Y: !W, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c0 = arith.constant 0 : index
  %w = systolic.load %W[%c0, %work] : !W -> tensor<16x32xf16, #w>
  systolic.store %w, %Y[%c0, %c0] : tensor<16x32xf16, #w>, !W
  systolic.return
}

// -----

// A packed LDS array is flat, in the order of its blocks.
// CHECK-LABEL: gpu.func @through(
// CHECK-SAME: workgroup(%[[LDS:.+]] : memref<1x1024xf16, #gpu.address_space<workgroup>>)
// CHECK: vector.store %{{.+}}, %[[LDS]][%c0, %[[PLACE:.+]]] {alignment = 16 : i64}
// CHECK: amdgpu.lds_barrier
// CHECK: vector.load %[[LDS]][%c0, %[[PLACE]]] {alignment = 16 : i64}
#w = #systolic.fragment<reg [1:8*1, 0:2*16], lane [0:16*1, 1:4*8], wave []>
!W = memref<64x64xf16, #systolic.axes<N, K>>
!lds = !systolic.lds<1 x 32x32xf16, #systolic.packed<16 x 64 bytes>, #systolic.axes<32, 32>>
systolic.kernel @through(%W: !W, %work: index, %lds: !lds)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c0 = arith.constant 0 : index
  %w = systolic.load %W[%c0, %c0] : !W -> tensor<32x32xf16, #w>
  systolic.write %w, %lds[%c0] : tensor<32x32xf16, #w>, !lds
  systolic.barrier
  %x = systolic.read %lds[%c0] : !lds -> tensor<32x32xf16, #w>
  systolic.store %x, %W[%c0, %c0] : tensor<32x32xf16, #w>, !W
  systolic.return
}

// -----

// Two waves move 2 KiB in pieces of 256 bytes: four accesses each. Each buffer is an array of its own, a lane loads the
// element that the swizzle puts at its place, and the barrier waits for LDS only.
// CHECK-LABEL: gpu.func @stage(
// CHECK-SAME: workgroup(%[[FIRST:[a-z0-9]+]] : memref<1x32x32xf16, #gpu.address_space<workgroup>>, %[[SECOND:[a-z0-9]+]] : memref<1x32x32xf16, #gpu.address_space<workgroup>>)
// CHECK: %[[MEMORY:.+]] = amdgpu.fat_raw_buffer_cast %{{.+}} : memref<4096xf16, #gpu.address_space<global>> to memref<4096xf16, #amdgpu.address_space<fat_raw_buffer>>
// CHECK: arith.select %{{.+}}, %{{.+}}, %c4096
// CHECK: arith.xori
// CHECK-COUNT-4: amdgpu.gather_to_lds %[[MEMORY]][%{{.+}}], %[[SECOND]][%c0, %{{.+}}, %{{.+}}] : vector<2xf16>
// CHECK-NOT: gather_to_lds
// CHECK: amdgpu.memory_counter_wait load(4)
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK-NEXT: amdgpu.memory_counter_wait ds(0)
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: amdgpu.sched_barrier allow = <none>
// CHECK: vector.load %[[FIRST]][%c0,
// CHECK-NOT: lds_barrier
#w = #systolic.fragment<reg [1:8*1], lane [0:16*1, 1:4*8], wave [0:2*16]>
!X = memref<64x64xf16, #systolic.axes<M, K>>
!lds = !systolic.lds<2 x 32x32xf16, #systolic.swizzle<8, 4, 2>, #systolic.axes<32, 32>>
systolic.kernel @stage(%X: !X, %k: index, %lds: !lds)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 2x1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %is_there = arith.cmpi ult, %k, %c32 : index
  %column = arith.muli %k, %c32 : index
  systolic.stage %X[%c0, %column], %lds[%c1] when %is_there : !X, !lds
  systolic.wait 4
  systolic.barrier
  %x = systolic.read %lds[%c0] : !lds -> tensor<32x32xf16, #w>
  systolic.store %x, %X[%c0, %c0] : tensor<32x32xf16, #w>, !X
  systolic.return
}
