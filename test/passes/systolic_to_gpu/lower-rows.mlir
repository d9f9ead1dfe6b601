// Rows that do not begin at a multiple of an access: accesses have full width, and no dword lies outside its row.
// RUN: nstf-opt %s -split-input-file -systolic-to-gpu-lower-kernels -canonicalize -cse | FileCheck %s

// 35 columns: the last access of a row covers 3 of them. It loads the last 8 columns and shifts them. A store writes
// pieces of 2 and 1 where the tile reaches them.
// CHECK-LABEL: gpu.func @end(
// CHECK-SAME: %[[X:.+]]: memref<350xf16
// CHECK: %[[IS_CUT:.+]] = arith.cmpi eq, %[[COLUMN:.+]], %c32 : index
// CHECK: %[[FROM:.+]] = arith.select %[[IS_CUT]], %c27, %[[COLUMN]]
// CHECK: %[[LOADED:.+]] = amdgpu.raw_buffer_load %[[X]]{{.+}} -> vector<8xf16>
// CHECK: %[[MOVED:.+]] = vector.shuffle %[[LOADED]], %{{.+}} [5, 6, 7, 8, 8, 8, 8, 8]
// CHECK: arith.select %[[IS_CUT]], %[[MOVED]], %[[LOADED]]
// CHECK-NOT: raw_buffer_load
// CHECK: %[[WHOLE:.+]] = arith.cmpi ult, %[[COLUMN]], %c32
// CHECK: %[[INSIDE:.+]] = arith.andi %[[WHOLE]], %{{.+}} : i1
// CHECK: arith.select %[[INSIDE]], %{{.+}}, %c350
// CHECK: amdgpu.raw_buffer_store {{.+}} : vector<8xf16>
// CHECK: scf.if
// CHECK: amdgpu.raw_buffer_store {{.+}} : vector<2xf16>
// CHECK: amdgpu.raw_buffer_store {{.+}} : f16
// CHECK-NOT: raw_buffer_store
#tile = #systolic.fragment<reg [1:8*1], lane [1:4*8, 0:16*1], wave []>
!X = memref<10x35xf16, #systolic.axes<M, K>>
systolic.kernel @end(%X: !X, %work: index) attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %block = arith.muli %work, %c32 : index
  %x = systolic.load %X[%c0, %block] : !X -> tensor<16x32xf16, #tile>
  systolic.store %x, %X[%c0, %block] : tensor<16x32xf16, #tile>, !X
  systolic.return
}

// -----

// Blocks that end with the row: the first one begins 29 columns before it, and only the last 3 elements of its access
// at column -5 exist. Other blocks do not check for an end, and no VGPR is kept for that.
// CHECK-LABEL: gpu.func @begin(
// CHECK: %[[IS_CUT:.+]] = arith.cmpi eq, %[[COLUMN:.+]], %c-5 : index
// CHECK: %[[FROM:.+]] = arith.select %[[IS_CUT]], %c0, %[[COLUMN]]
// CHECK: %[[INSIDE:.+]] = arith.cmpi ult, %[[FROM]], %c67
// CHECK: arith.select %[[INSIDE]], %{{.+}}, %c670
// CHECK: %[[LOADED:.+]] = amdgpu.raw_buffer_load {{.+}} -> vector<8xf16>
// CHECK: %[[MOVED:.+]] = vector.shuffle %[[LOADED]], %{{.+}} [8, 8, 8, 8, 8, 0, 1, 2]
// CHECK: arith.select %[[IS_CUT]], %[[MOVED]], %[[LOADED]]
// CHECK: scf.for
// CHECK-NOT: arith.select
// CHECK: amdgpu.raw_buffer_load {{.+}} -> vector<8xf16>
// CHECK-NOT: arith.select
// CHECK: scf.yield
#tile = #systolic.fragment<reg [1:8*1], lane [1:4*8, 0:16*1], wave []>
!X = memref<10x67xf16, #systolic.axes<M, K>>
systolic.kernel @begin(%X: !X, %work: index) attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c0 = arith.constant 0 : index
  %c29 = arith.constant 29 : index
  %c32 = arith.constant 32 : index
  %c96 = arith.constant 96 : index
  %before = arith.subi %c0, %c29 : index
  %first = systolic.load %X[%c0, %before] : !X -> tensor<16x32xf16, #tile>
  %all = scf.for %k = %c32 to %c96 step %c32 iter_args(%sum = %first) -> (tensor<16x32xf16, #tile>) {
    %column = arith.subi %k, %c29 : index
    %x = systolic.load %X[%c0, %column] : !X -> tensor<16x32xf16, #tile>
    %next = arith.addf %sum, %x : tensor<16x32xf16, #tile>
    scf.yield %next : tensor<16x32xf16, #tile>
  }
  systolic.store %all, %X[%c0, %c0] : tensor<16x32xf16, #tile>, !X
  systolic.return
}

// -----

// Rows shorter than an access, and tiles that begin anywhere, use accesses whose width divides both.
// CHECK-LABEL: gpu.func @narrow(
// CHECK: amdgpu.raw_buffer_load {{.+}} -> vector<2xf16>
// CHECK: amdgpu.raw_buffer_load {{.+}} -> f16
#tile = #systolic.fragment<reg [1:8*1], lane [1:4*8, 0:16*1], wave []>
!X = memref<10x6xf16, #systolic.axes<M, K>>
!Y = memref<10x35xf16, #systolic.axes<M, K>>
systolic.kernel @narrow(%X: !X, %Y: !Y, %work: index) attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c0 = arith.constant 0 : index
  %x = systolic.load %X[%c0, %c0] : !X -> tensor<16x32xf16, #tile>
  %y = systolic.load %Y[%c0, %work] : !Y -> tensor<16x32xf16, #tile>
  %sum = arith.addf %x, %y : tensor<16x32xf16, #tile>
  systolic.store %sum, %X[%c0, %c0] : tensor<16x32xf16, #tile>, !X
  systolic.return
}

// -----

// A limit of rows becomes the end of the load's buffer, at most the buffer's own end, so no access is compared with it.
// CHECK-LABEL: gpu.func @limit(
// CHECK: %[[ROWS:.+]] = arith.minui %{{.+}}, %c10 : index
// CHECK: %[[SIZE:.+]] = arith.muli %[[ROWS]], %c64
// CHECK: %[[LIMITED:.+]] = memref.reinterpret_cast %{{.+}} to offset: [0], sizes: [%[[SIZE]]], strides: [1]
// CHECK-NOT: arith.cmpi
// CHECK: amdgpu.raw_buffer_load {{.*}}%[[LIMITED]]
// CHECK-NOT: arith.cmpi
// CHECK: amdgpu.raw_buffer_store
#tile = #systolic.fragment<reg [1:8*1], lane [1:8*8, 0:8*1], wave []>
!X = memref<10x64xf16, #systolic.axes<M, K>>
!Y = memref<80x64xf16, #systolic.axes<M, K>>
systolic.kernel @limit(%X: !X, %Y: !Y, %work: index) attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %x = systolic.load %X[%c0, %c0] limit [%work, %c64] : !X -> tensor<8x64xf16, #tile>
  systolic.store %x, %Y[%c0, %c0] : tensor<8x64xf16, #tile>, !Y
  systolic.return
}

// -----

// One of two begins: the width must divide both of them, and so their difference. 8 and 32 are 24 apart, 8 and 36 are
// 28.
// CHECK-LABEL: gpu.func @either(
// CHECK: amdgpu.raw_buffer_load {{.+}} -> vector<8xf16>
// CHECK: amdgpu.raw_buffer_load {{.+}} -> vector<4xf16>
#tile = #systolic.fragment<reg [1:8*1], lane [1:4*8, 0:16*1], wave []>
!X = memref<16x64xf16, #systolic.axes<M, K>>
systolic.kernel @either(%X: !X, %work: index) attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %c36 = arith.constant 36 : index
  %is_first = arith.cmpi eq, %work, %c0 : index
  %aligned = arith.select %is_first, %c8, %c32 : index
  %x = systolic.load %X[%c0, %aligned] : !X -> tensor<16x32xf16, #tile>
  %odd = arith.select %is_first, %c8, %c36 : index
  %y = systolic.load %X[%c0, %odd] : !X -> tensor<16x32xf16, #tile>
  %sum = arith.addf %x, %y : tensor<16x32xf16, #tile>
  systolic.store %sum, %X[%c0, %c0] : tensor<16x32xf16, #tile>, !X
  systolic.return
}
