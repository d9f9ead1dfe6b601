// The effects of a kernel's LDS on addresses and on the workgroups of a compute unit. The swizzle of the array
// exchanges granules within 64 bytes of a row: reads whole spans apart share an address and differ by a constant. The
// LDS has room for two workgroups of four waves, so registers are allocated for two waves per SIMD.
// RUN: nstf-opt %s -split-input-file --pass-pipeline='builtin.module(nstf-set-target{target=gfx942},systolic-to-gpu-lower-kernels,canonicalize,cse)' | FileCheck %s

#rows = #systolic.fragment<reg [1:8*1, 1:8*16], lane [0:32*1, 1:2*8], wave [-1:4*0]>
#acc = #systolic.fragment<reg [0:4*1, 0:4*8], lane [1:32*1, 0:2*4], wave [1:4*32]>
!lds = !systolic.lds<1 x 32x128xf16, #systolic.swizzle<8, 4, 1>, #systolic.axes<32, 128>>
!Y = memref<32x128xf16, #systolic.axes<M, K>>
// CHECK-LABEL: gpu.func @reads(
// CHECK-SAME: rocdl.waves_per_eu = 2 : i32
// CHECK-COUNT-2: arith.xori
// CHECK-NOT: arith.xori
// CHECK: gpu.return
systolic.kernel @reads(%Y: !Y, %work: index, %lds: !lds)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x4, cell = 32x32x16, instruction_k = 8>} {
  %c0 = arith.constant 0 : index
  %x = systolic.read %lds[%c0] : !lds -> tensor<32x128xf16, #rows>
  systolic.store %x, %Y[%c0, %c0] : tensor<32x128xf16, #rows>, !Y
  systolic.return
}

// -----

// LDS has no room for two workgroups.
#rows = #systolic.fragment<reg [1:8*1, 1:8*16], lane [0:32*1, 1:2*8], wave [-1:4*0]>
!lds = !systolic.lds<5 x 32x128xf16, #systolic.swizzle<8, 4, 1>, #systolic.axes<32, 128>>
!Y = memref<32x128xf16, #systolic.axes<M, K>>
// CHECK-LABEL: gpu.func @alone(
// CHECK-NOT: waves_per_eu
// CHECK: gpu.return
systolic.kernel @alone(%Y: !Y, %work: index, %lds: !lds)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x4, cell = 32x32x16, instruction_k = 8>} {
  %c0 = arith.constant 0 : index
  %x = systolic.read %lds[%c0] : !lds -> tensor<32x128xf16, #rows>
  systolic.store %x, %Y[%c0, %c0] : tensor<32x128xf16, #rows>, !Y
  systolic.return
}

// -----

// 1,280 workgroups, one at a time on each of 304 compute units: no workgroup follows those from 976 on.
#rows = #systolic.fragment<reg [1:8*1, 1:8*16], lane [0:32*1, 1:2*8], wave [-1:4*0]>
!lds = !systolic.lds<5 x 32x128xf16, #systolic.swizzle<8, 4, 1>, #systolic.axes<32, 128>>
!Y = memref<40960x128xf16, #systolic.axes<M, K>>
// CHECK-LABEL: gpu.func @rounds(
// CHECK-SAME: systolic.last_round = 976 : i64
systolic.kernel @rounds(%Y: !Y, %work: index, %lds: !lds)
    attributes {params = {M = 40960, BM = 32}, grid = ["M", "BM"], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x4, cell = 32x32x16, instruction_k = 8>} {
  %c0 = arith.constant 0 : index
  %x = systolic.read %lds[%c0] : !lds -> tensor<32x128xf16, #rows>
  systolic.store %x, %Y[%work, %c0] : tensor<32x128xf16, #rows>, !Y
  systolic.return
}

// -----

// The same number, but LDS has room for two of them.
#rows = #systolic.fragment<reg [1:8*1, 1:8*16], lane [0:32*1, 1:2*8], wave [-1:4*0]>
!lds = !systolic.lds<4 x 32x128xf16, #systolic.swizzle<8, 4, 1>, #systolic.axes<32, 128>>
!Y = memref<40960x128xf16, #systolic.axes<M, K>>
// CHECK-LABEL: gpu.func @two(
// CHECK-NOT: last_round
// CHECK: gpu.return
systolic.kernel @two(%Y: !Y, %work: index, %lds: !lds)
    attributes {params = {M = 40960, BM = 32}, grid = ["M", "BM"], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x4, cell = 32x32x16, instruction_k = 8>} {
  %c0 = arith.constant 0 : index
  %x = systolic.read %lds[%c0] : !lds -> tensor<32x128xf16, #rows>
  systolic.store %x, %Y[%work, %c0] : tensor<32x128xf16, #rows>, !Y
  systolic.return
}

// -----

// The launch determines the number of workgroups.
#rows = #systolic.fragment<reg [1:8*1, 1:8*16], lane [0:32*1, 1:2*8], wave [-1:4*0]>
!lds = !systolic.lds<5 x 32x128xf16, #systolic.swizzle<8, 4, 1>, #systolic.axes<32, 128>>
!Y = memref<40960x128xf16, #systolic.axes<M, K>>
// CHECK-LABEL: gpu.func @tokens(
// CHECK-NOT: last_round
// CHECK: gpu.return
systolic.kernel @tokens(%Y: !Y, %work: index, %lds: !lds)
    attributes {launch = #systolic.launch<[y], per_token = {M = 1 : i64}>, params = {M = 40960, BM = 32}, grid = ["M", "BM"], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x4, cell = 32x32x16, instruction_k = 8>} {
  %c0 = arith.constant 0 : index
  %x = systolic.read %lds[%c0] : !lds -> tensor<32x128xf16, #rows>
  systolic.store %x, %Y[%work, %c0] : tensor<32x128xf16, #rows>, !Y
  systolic.return
}

// -----

// A folded row is stored at another row's place: rows a whole fold apart share an address, others do not.
#rows = #systolic.fragment<reg [1:8*1, 1:2*16, 0:2*32], lane [0:32*1, 1:2*8], wave []>
!lds = !systolic.lds<1 x 64x32xf16, #systolic.swizzle<8, 4, 2, fold 16>, #systolic.axes<64, 32>>
!Y = memref<64x32xf16, #systolic.axes<M, K>>
// CHECK-LABEL: gpu.func @folded(
// CHECK-DAG: %[[C2:.+]] = arith.constant 2 : index
// CHECK-DAG: %[[C4:.+]] = arith.constant 4 : index
// CHECK-DAG: %[[C16:.+]] = arith.constant 16 : index
// CHECK: %[[BITS:.+]] = arith.remui %[[ROW:.+]], %[[C16]] : index
// CHECK: %[[HALF:.+]] = arith.divui %[[BITS]], %[[C2]] : index
// CHECK: %[[FOLDED:.+]] = arith.xori %[[ROW]], %[[HALF]] : index
// CHECK: %[[LINE:.+]] = arith.divui %[[FOLDED]], %[[C2]] : index
// CHECK: arith.remui %[[LINE]], %[[C4]] : index
// CHECK: vector.load %{{.+}}[%{{.+}}, %[[FOLDED]], %[[FIRST:[a-z0-9]+]]]
// CHECK: vector.load %{{.+}}[%{{.+}}, %[[FOLDED]], %[[SECOND:[a-z0-9]+]]]
// CHECK: %[[BELOW:.+]] = arith.addi %[[FOLDED]], %{{.+}} : index
// CHECK: vector.load %{{.+}}[%{{.+}}, %[[BELOW]], %[[FIRST]]]
// CHECK: vector.load %{{.+}}[%{{.+}}, %[[BELOW]], %[[SECOND]]]
systolic.kernel @folded(%Y: !Y, %work: index, %lds: !lds)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1, cell = 32x32x16, instruction_k = 8>} {
  %c0 = arith.constant 0 : index
  %x = systolic.read %lds[%c0] : !lds -> tensor<64x32xf16, #rows>
  systolic.store %x, %Y[%c0, %c0] : tensor<64x32xf16, #rows>, !Y
  systolic.return
}

// -----

// Staged elements are loaded for the row that belongs at their place: each bit of its number is xored with all bits
// above it.
!X = memref<64x32xf16, #systolic.axes<M, K>>
!lds = !systolic.lds<1 x 64x32xf16, #systolic.swizzle<8, 4, 2, fold 8>, #systolic.axes<64, 32>>
// CHECK-LABEL: gpu.func @staged(
// CHECK-DAG: %[[C2:.+]] = arith.constant 2 : index
// CHECK-DAG: %[[C4:.+]] = arith.constant 4 : index
// CHECK-DAG: %[[C8:.+]] = arith.constant 8 : index
// CHECK: %[[BITS:.+]] = arith.remui %[[PLACE:.+]], %[[C8]] : index
// CHECK: %[[HALF:.+]] = arith.divui %[[BITS]], %[[C2]] : index
// CHECK: %[[PART:.+]] = arith.xori %[[PLACE]], %[[HALF]] : index
// CHECK: %[[QUARTER:.+]] = arith.divui %[[BITS]], %[[C4]] : index
// CHECK: arith.xori %[[PART]], %[[QUARTER]] : index
// CHECK: amdgpu.gather_to_lds
systolic.kernel @staged(%X: !X, %work: index, %lds: !lds)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c0 = arith.constant 0 : index
  systolic.stage %X[%c0, %c0], %lds[%c0] : !X, !lds
  systolic.return
}
