// Each wave multiplies a run of columns: it loads its own run along the rows of memory, and the ops on the loaded tile
// have the layout of the product.
// RUN: nstf-opt %s --pass-pipeline='builtin.module(systolic.kernel(systolic-assign-layouts))' | FileCheck %s
!X = memref<64x256xi8, #systolic.axes<M, K>>
!W = memref<64x32xi32, #systolic.axes<N, K_codes>>
!x = tensor<16x256xf16, #systolic.axes<BM, BK>>
!words = tensor<32x16xi32, #systolic.axes<BW, BN>>
!w = tensor<256x16xf16, #systolic.axes<BK, BN>>
!y = tensor<32x16xf32, #systolic.axes<32, BN>>
// CHECK-DAG: #[[A:.+]] = #systolic.fragment<reg [1:8*1, 1:4*32], lane [0:16*1, 1:4*8], wave [1:2*128]>
// CHECK-DAG: #[[B:.+]] = #systolic.fragment<reg [0:8*1, 0:4*32], lane [1:16*1, 0:4*8], wave [0:2*128]>
// CHECK-DAG: #[[B_WORDS:.+]] = #systolic.fragment<reg [0:4*4], lane [1:16*1, 0:4*1], wave [0:2*16]>
// CHECK-DAG: #[[X:.+]] = #systolic.fragment<reg [1:16*1, 0:2*8], lane [1:8*16, 0:8*1], wave [1:2*128]>
// CHECK-DAG: #[[WORDS:.+]] = #systolic.fragment<reg [0:4*1], lane [0:4*4, 1:16*1], wave [0:2*16]>
// CHECK-LABEL: systolic.kernel @runs
// CHECK: %[[LOADED:.+]] = systolic.load {{.+}} -> tensor<16x256xi8, #[[X]]>
// CHECK: %[[TURNED:.+]] = systolic.convert_layout %[[LOADED]] : {{.+}} -> tensor<16x256xi8, #[[A]]>
// CHECK: %[[XT:.+]] = arith.sitofp %[[TURNED]]
// CHECK: %[[CODES:.+]] = systolic.load {{.+}} transposed : {{.+}} -> tensor<32x16xi32, #[[WORDS]]>
// CHECK: %[[WT:.+]] = systolic.convert_layout %[[CODES]] : {{.+}} -> tensor<32x16xi32, #[[B_WORDS]]>
// CHECK: %[[NUMBERS:.+]] = systolic.unpack 4 raised %[[WT]] along 0 : {{.+}} -> tensor<256x16xf16, #[[B]]>
// CHECK: systolic.mma %[[XT]], %[[NUMBERS]], %{{.+}} parts 2 runs
systolic.kernel @runs(%X: !X, %W: !W, %Y: memref<64x64xf32, #systolic.axes<M, N>>, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1x2, cell = 16x16x32, instruction_k = 16, runs>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : !y
  %bytes = systolic.load %X[%c0, %c0] : !X -> tensor<16x256xi8, #systolic.axes<BM, BK>>
  %x = arith.sitofp %bytes : tensor<16x256xi8, #systolic.axes<BM, BK>> to !x
  %words = systolic.load %W[%c0, %c0] transposed : !W -> !words
  %w = systolic.unpack 4 raised %words along 0 : !words -> !w
  %y = systolic.mma %x, %w, %zero parts 2 runs : !x, !w -> !y
  systolic.store %y, %Y[%c0, %c0] : !y, memref<64x64xf32, #systolic.axes<M, N>>
  systolic.return
}
