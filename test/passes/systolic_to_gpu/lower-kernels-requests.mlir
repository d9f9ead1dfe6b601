// A kernel for several requests: the request that a workgroup serves, and the memory of that request.
// RUN: nstf-opt %s -split-input-file --pass-pipeline='builtin.module(systolic-to-gpu-lower-kernels,canonicalize,cse)' -verify-diagnostics | FileCheck %s

// Each request has the 4 work items of 16 rows. Its control block, of 16 numbers, follows the step's. Its rows begin at
// its first row, 8 elements each. The cache is indexed by its slot; the last row and the launch's own memory are
// indexed by the request.
// CHECK-LABEL: gpu.func @of_requests(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<128xf32, {{[^>]+}}>{{[^>]*}}>, %[[K:[a-z0-9]+]]: memref<512xf32, {{.*}}, %[[Y:[a-z0-9]+]]: memref<8xf32, {{.*}}, %[[S:[a-z0-9]+]]: memref<64xf32, {{.*}}, %[[CONTROL:[a-z0-9]+]]: memref<16xi32,
// CHECK-DAG: %[[ITEMS:.+]] = arith.constant 4 : index
// CHECK-DAG: %[[BLOCK:.+]] = arith.constant 16 : index
// CHECK-DAG: %[[ID:.+]] = gpu.block_id x
// CHECK: %[[REQUEST:.+]] = arith.divui %[[ID]], %[[ITEMS]] : index
// CHECK: %[[ITEM:.+]] = arith.remui %[[ID]], %[[ITEMS]] : index
// CHECK: %[[BEFORE:.+]] = arith.muli %[[REQUEST]], %[[BLOCK]] : index
// CHECK: %[[BEGIN:.+]] = arith.addi %[[BEFORE]], %[[BLOCK]] : index
// CHECK: %[[OWN:.+]] = memref.reinterpret_cast %[[CONTROL]] to offset: [%[[BEGIN]]], sizes: [16], strides: [1]
// CHECK: memref.load %[[OWN]][%c2]
// CHECK: memref.load %[[OWN]][%c3]
// CHECK: memref.load %[[OWN]][%c0]
// CHECK: memref.reinterpret_cast %[[X]] to offset: [%{{.+}}], sizes: [%{{.+}}], strides: [1] : {{.*}} to memref<?xf32, strided<[1], offset: ?>
// CHECK: memref.reinterpret_cast %[[K]] to offset: [%{{.+}}], sizes: [512], strides: [1]
// CHECK: %[[PLACE:.+]] = arith.muli %[[REQUEST]], %c8
// CHECK: memref.reinterpret_cast %[[Y]] to offset: [%[[PLACE]]], sizes: [8], strides: [1]
// CHECK: %[[OF_SCRATCH:.+]] = arith.muli %[[REQUEST]], %c64
// CHECK: memref.reinterpret_cast %[[S]] to offset: [%[[OF_SCRATCH]]], sizes: [64], strides: [1]
#f = #systolic.fragment<reg [0:4*1], lane [1:8*1], wave []>
!X = memref<16x8xf32, #systolic.axes<M, N>>
!K = memref<64x8xf32, #systolic.axes<L, N>>
!Y = memref<1x8xf32, #systolic.axes<1, N>>
!S = memref<8x8xf32, #systolic.axes<8, N>>
!t = tensor<4x8xf32, #f>
systolic.kernel @of_requests(%X: !X {systolic.per_token = 8 : i64}, %K: !K {systolic.per_slot}, %Y: !Y {systolic.per_request}, %S: !S,
                             %control: !systolic.control, %work: index)
    attributes {params = {M = 16, BM = 4}, grid = ["M", "BM"], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>, requests = 4 : i64,
                launch = #systolic.launch<[x = operand 0, k = operand 1, y = result 0, s = scratch, control], per_token = {M = 1 : i64}>} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %m0 = arith.muli %work, %c4 : index
  %x = systolic.load %X[%m0, %c0] : !X -> !t
  %k = systolic.load %K[%m0, %c0] : !K -> !t
  %y = arith.addf %x, %k : !t
  systolic.store %y, %Y[%c0, %c0] : !t, !Y
  systolic.store %y, %S[%c0, %c0] : !t, !S
  systolic.return
}

// -----

!K = memref<524288x1024xf32, #systolic.axes<L, N>>
#f = #systolic.fragment<reg [0:4*1], lane [1:8*1], wave []>
// expected-error @below {{expected less than 2147483648 elements for 4 requests but argument 0 has 2147483648}}
systolic.kernel @too_many(%K: !K {systolic.per_slot}, %control: !systolic.control, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>, requests = 4 : i64} {
  systolic.return
}
