// Conversions that go through arrays part by part.
// RUN: nstf-opt %s -split-input-file -systolic-to-gpu-lower-kernels -canonicalize -cse | FileCheck %s

// A wave exchanges its own elements. Behind the barrier that ends the array's previous use, only fences keep the
// compiler's order. The array is allocated as bytes, with a view for each use.
// CHECK-LABEL: gpu.func @one_wave(
// CHECK-SAME: workgroup(%[[BYTES:[a-z0-9]+]] : memref<2048xi8, #gpu.address_space<workgroup>>)
// CHECK: %[[OPERANDS:.+]] = memref.view %[[BYTES]][%{{.+}}][] : {{.+}} to memref<2x16x32xf16, #gpu.address_space<workgroup>>
// CHECK: vector.load %[[OPERANDS]][
// CHECK: %[[PART:.+]] = memref.view %[[BYTES]][%{{.+}}][] : {{.+}} to memref<1x16x16xf32, #gpu.address_space<workgroup>>
// CHECK: amdgpu.sched_barrier allow = <none> {systolic.part}
// CHECK-NEXT: amdgpu.lds_barrier
// CHECK: vector.store %{{.+}}, %[[PART]][
// CHECK-NEXT: llvm.fence syncscope("wavefront") acq_rel
// CHECK: vector.load %[[PART]][
// CHECK: amdgpu.sched_barrier allow = <none> {systolic.part}
// CHECK-NEXT: llvm.fence syncscope("wavefront") acq_rel
// CHECK: vector.store %{{.+}}, %[[PART]][
// CHECK-NEXT: llvm.fence syncscope("wavefront") acq_rel
// CHECK: vector.load %[[PART]][
// CHECK-NOT: lds_barrier
#cells = #systolic.fragment<reg [1:4*1, 0:2*16], lane [0:16*1, 1:4*4], wave []>
#rows = #systolic.fragment<reg [1:4*1, 0:2*16], lane [1:4*4, 0:16*1], wave []>
#a = #systolic.fragment<reg [1:8*1], lane [0:16*1, 1:4*8], wave []>
!Y = memref<32x16xf32, #systolic.axes<M, N>>
!X = memref<16x32xf16, #systolic.axes<M, K>>
!operands = !systolic.lds<2 x 16x32xf16, unit, #systolic.axes<BM, BK>>
!part = !systolic.lds<1 x 16x16xf32, unit, #systolic.axes<16, 16>>
systolic.kernel @one_wave(%X: !X, %Y: !Y, %lds: !operands, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c0 = arith.constant 0 : index
  %x = systolic.read %lds[%c0] : !operands -> tensor<16x32xf16, #a>
  systolic.store %x, %X[%c0, %c0] : tensor<16x32xf16, #a>, !X
  %sum = systolic.load %Y[%c0, %c0] : !Y -> tensor<32x16xf32, #cells>
  %array = systolic.view %lds : !operands -> !part
  %wide = systolic.convert_layout %sum through %array : !part : tensor<32x16xf32, #cells> -> tensor<32x16xf32, #rows>
  systolic.store %wide, %Y[%c0, %c0] : tensor<32x16xf32, #rows>, !Y
  systolic.return
}

// -----

// Two waves exchange rows, which takes barriers. With two arrays one barrier per part suffices: when a part is written,
// no wave reads the part two before it any more.
// CHECK-LABEL: gpu.func @two_waves(
// CHECK: amdgpu.lds_barrier
// CHECK: vector.store %{{[0-9]+}}, %[[FIRST:[a-z0-9_]+]][
// CHECK-NEXT: amdgpu.lds_barrier
// CHECK: vector.load %[[FIRST]][
// CHECK: amdgpu.sched_barrier allow = <none> {systolic.part}
// CHECK-NOT: lds_barrier
// CHECK: vector.store %{{[0-9]+}}, %[[SECOND:[a-z0-9_]+]][
// CHECK-NEXT: amdgpu.lds_barrier
// CHECK: vector.load %[[SECOND]][
// CHECK-NOT: lds_barrier
#cells = #systolic.fragment<reg [1:4*1, 0:2*16], lane [0:16*1, 1:4*4], wave [1:2*16]>
#rows = #systolic.fragment<reg [1:4*1, 0:2*16], lane [1:8*4, 0:8*1], wave [0:2*8]>
!Y = memref<32x32xf32, #systolic.axes<M, N>>
!part = !systolic.lds<1 x 16x32xf32, unit, #systolic.axes<16, 32>>
systolic.kernel @two_waves(%Y: !Y, %a: !part, %b: !part, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x2>} {
  %c0 = arith.constant 0 : index
  %sum = systolic.load %Y[%c0, %c0] : !Y -> tensor<32x32xf32, #cells>
  %wide = systolic.convert_layout %sum through %a, %b : !part, !part : tensor<32x32xf32, #cells> -> tensor<32x32xf32, #rows>
  systolic.store %wide, %Y[%c0, %c0] : tensor<32x32xf32, #rows>, !Y
  systolic.return
}
