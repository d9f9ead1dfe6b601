// The parts of a launch share waves and LDS. The functions are hand-written, in the form that
// systolic-to-gpu-lower-kernels gives them.
// RUN: nstf-opt %s -split-input-file -pass-pipeline='builtin.module(builtin.module(nstf.variant(systolic-to-gpu-join-parts)))' -verify-diagnostics | FileCheck %s

!x = memref<64xf32, #gpu.address_space<global>>
!small = memref<16xf32, #gpu.address_space<workgroup>>
!large = memref<64xi32, #gpu.address_space<workgroup>>

// Workgroups have the waves of the second part; waves that the first part does not need end. Arrays of different types
// are views of one array with the bytes of the larger part. The first part has 8 workgroups, each for 2 rows of the 16
// tokens.
// CHECK: nstf.variant @k_t16 {{.*}}systolic.launch = #systolic.launch<[x = operand 0, y = result 0, x_1 = operand 1, y_1 = result 1]>
// CHECK: gpu.func @k_t16(
// CHECK-SAME: workgroup(%[[LDS:.+]] : memref<256xi8, #gpu.address_space<workgroup>>)
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>
// CHECK: %[[ID:.+]] = gpu.block_id x
// CHECK: %[[FIRST:.+]] = arith.constant 8 : index
// CHECK: arith.cmpi ult, %[[ID]], %[[FIRST]] : index
// CHECK: scf.if
// CHECK: %[[THREAD:.+]] = gpu.thread_id x
// CHECK: %[[ONE:.+]] = arith.constant 64 : index
// CHECK: %[[WORKS:.+]] = arith.cmpi ult, %[[THREAD]], %[[ONE]] : index
// CHECK: scf.if %[[WORKS]] {
// CHECK: memref.view %[[LDS]][%{{.+}}][] : memref<256xi8, #gpu.address_space<workgroup>> to memref<16xf32, #gpu.address_space<workgroup>>
// CHECK: memref.load %{{.+}}[%[[ID]]]
// CHECK: } else {
// CHECK-NOT: gpu.thread_id
// CHECK: memref.view %[[LDS]][%{{.+}}][] : memref<256xi8, #gpu.address_space<workgroup>> to memref<64xi32, #gpu.address_space<workgroup>>
// CHECK: %[[OWN:.+]] = arith.subi %[[ID]], %{{.+}} : index
// CHECK: memref.load %{{.+}}[%[[OWN]]]
// CHECK: gpu.return
module {
  nstf.kernel @k(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
    %0 = nstf.silu %a : tensor<?x4xf32>
    %1 = nstf.relu %b : tensor<?x4xf32>
    nstf.return %0, %1 : tensor<?x4xf32>, tensor<?x4xf32>
  }
  module @gfx942 {
    nstf.variant @k_t16 of @k tokens [2, 16] {
      nstf.part results [0] binding <"t", tokens = 16, parameters = {}, per_token = {}, buffers = {}> choice <{}, template why "" not [], tuning why "" not []>
          attributes {systolic.geometry = #systolic.geometry<launch = <[x = operand 0, y = result 0], per_token = {M = 1 : i64}>, grid = ["M", 2], params = {M = 64 : i64}, array = <waves = 1x1>, waveSize = 64, readsTokens = false, readsPosition = false>} {
        gpu.module @kernels {
          gpu.func @a(%x: !x, %y: !x) workgroup(%lds: !small) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
            %id = gpu.block_id x
            %c0 = arith.constant 0 : index
            %v = memref.load %x[%id] : !x
            memref.store %v, %lds[%c0] : !small
            memref.store %v, %y[%id] : !x
            gpu.return
          }
        }
      }
      nstf.part results [1] binding <"t", tokens = 16, parameters = {}, per_token = {}, buffers = {}> choice <{}, template why "" not [], tuning why "" not []>
          attributes {systolic.geometry = #systolic.geometry<launch = <[x = operand 1, y = result 0], per_token = {M = 1 : i64}>, grid = ["M", 16], params = {M = 64 : i64}, array = <waves = 4x1>, waveSize = 64, readsTokens = false, readsPosition = false>} {
        gpu.module @kernels {
          gpu.func @b(%x: !x, %y: !x) workgroup(%lds: !large) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
            %id = gpu.block_id x
            %c1 = arith.constant 1 : i32
            %v = memref.load %x[%id] : !x
            memref.store %c1, %lds[%id] : !large
            memref.store %v, %y[%id] : !x
            gpu.return
          }
        }
      }
    }
  }
}

// -----

// The code contains the number of workgroups of each part, so a variant of several parts serves one bucket.
module {
  nstf.kernel @k(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
    %0 = nstf.silu %a : tensor<?x4xf32>
    %1 = nstf.relu %b : tensor<?x4xf32>
    nstf.return %0, %1 : tensor<?x4xf32>, tensor<?x4xf32>
  }
  module @gfx942 {
    // expected-error @+1 {{expected one range of tokens for a kernel of several parts but got 2}}
    nstf.variant @k_t16 of @k tokens [1, 1], [2, 16] {
      nstf.part results [0] binding <"t", tokens = 16, parameters = {}, per_token = {}, buffers = {}> choice <{}, template why "" not [], tuning why "" not []>
          attributes {systolic.geometry = #systolic.geometry<launch = <[]>, grid = [], params = {}, array = <waves = 1x1>, waveSize = 64, readsTokens = false, readsPosition = false>} {
        gpu.module @kernels { gpu.func @a() kernel { gpu.return } }
      }
      nstf.part results [1] binding <"t", tokens = 16, parameters = {}, per_token = {}, buffers = {}> choice <{}, template why "" not [], tuning why "" not []>
          attributes {systolic.geometry = #systolic.geometry<launch = <[]>, grid = [], params = {}, array = <waves = 1x1>, waveSize = 64, readsTokens = false, readsPosition = false>} {
        gpu.module @kernels { gpu.func @b() kernel { gpu.return } }
      }
    }
  }
}
