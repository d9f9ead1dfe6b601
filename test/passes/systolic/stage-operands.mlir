// Loaded tiles go through LDS to the products; remarks are in stage-operands-remarks.mlir.
// RUN: nstf-opt %s -split-input-file --pass-pipeline='builtin.module(nstf-set-target{target=gfx942},systolic.kernel(systolic-stage-operands))' | FileCheck %s

// Both operands of a loop of products share the barriers. The arrays have the orientation of memory: W's rows run along
// K, and a tile that is loaded transposed is written and read transposed. Rows of 128 bytes in granules of 16 pass
// through all banks in eight rows.
#x = #systolic.fragment<reg [1:8*1, 0:4*8], lane [1:8*8, 0:8*1], wave []>
#w = #systolic.fragment<reg [0:8*1, 1:4*8], lane [0:8*8, 1:8*1], wave []>
#a = #systolic.fragment<reg [1:8*1, 1:4*16], lane [0:32*1, 1:2*8], wave []>
#b = #systolic.fragment<reg [0:8*1, 0:4*16], lane [1:32*1, 0:2*8], wave []>
#acc = #systolic.fragment<reg [0:4*1, 0:4*8], lane [1:32*1, 0:2*4], wave []>
!X = memref<64x64xf16, #systolic.axes<M, K>>
// CHECK-DAG: #[[X:.+]] = #systolic.fragment<reg [1:8*1, 0:4*8], lane [1:8*8, 0:8*1], wave []>
// CHECK-LABEL: systolic.kernel @product(
// CHECK-SAME: %[[LDS_X:[a-z0-9]+]]: !systolic.lds<1 x 32x64xf16, #systolic.swizzle<8, 8, 1>, #systolic.axes<32, 64>>,
// CHECK-SAME: %[[LDS_W:[a-z0-9]+]]: !systolic.lds<1 x 32x64xf16, #systolic.swizzle<8, 8, 1>, #systolic.axes<32, 64>>)
// CHECK: scf.for
// CHECK-NEXT: %[[XT:.+]] = systolic.load {{.+}} -> tensor<32x64xf16, #[[X]]>
// CHECK-NEXT: %[[WT:.+]] = systolic.load {{.+}} transposed
// CHECK-NEXT: %[[C0:.+]] = arith.constant 0 : index
// CHECK-NEXT: systolic.barrier
// CHECK-NEXT: systolic.write %[[XT]], %[[LDS_X]][%[[C0]]] :
// CHECK-NEXT: systolic.write %[[WT]], %[[LDS_W]][%[[C0]]] transposed :
// CHECK-NEXT: systolic.barrier
// CHECK-NEXT: %[[A:.+]] = systolic.read %[[LDS_X]][%[[C0]]] : {{.+}} -> tensor<32x64xf16, #{{.+}}>
// CHECK-NEXT: %[[B:.+]] = systolic.read %[[LDS_W]][%[[C0]]] transposed : {{.+}} -> tensor<64x32xf16, #{{.+}}>
// CHECK-NEXT: systolic.mma %[[A]], %[[B]],
systolic.kernel @product(%X: !X, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1, cell = 32x32x16, instruction_k = 8>} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #acc>
  %sum = scf.for %k = %c0 to %work step %c64 iter_args(%acc = %zero) -> (tensor<32x32xf32, #acc>) {
    %x = systolic.load %X[%c0, %k] : !X -> tensor<32x64xf16, #x>
    %w = systolic.load %X[%c0, %k] transposed : !X -> tensor<64x32xf16, #w>
    %a = systolic.convert_layout %x : tensor<32x64xf16, #x> -> tensor<32x64xf16, #a>
    %b = systolic.convert_layout %w : tensor<64x32xf16, #w> -> tensor<64x32xf16, #b>
    %next = systolic.mma %a, %b, %acc : tensor<32x64xf16, #a>, tensor<64x32xf16, #b> -> tensor<32x32xf32, #acc>
    scf.yield %next : tensor<32x32xf32, #acc>
  }
  systolic.store %sum, %X[%c0, %c0] : tensor<32x32xf32, #acc>, !X
  systolic.return
}

// -----

// Elementwise ops on a loaded tile run before the write to LDS. A tile that is loaded after the first conversion has
// its own barriers. Outside a loop no barrier precedes the writes. Conversions of computed tiles, and of tiles that are
// not operands, stay.
#x = #systolic.fragment<reg [1:4*1], lane [1:4*4, 0:16*1], wave []>
#a = #systolic.fragment<reg [1:4*1], lane [0:16*1, 1:4*4], wave []>
#b = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>
!X = memref<64x64xf32, #systolic.axes<M, K>>
!x = tensor<16x16xf32, #x>
!a = tensor<16x16xf32, #a>
!b = tensor<16x16xf32, #b>
// CHECK-LABEL: systolic.kernel @around(
// CHECK: systolic.load
// CHECK: arith.addf
// CHECK-NEXT: arith.constant 0 : index
// CHECK-NEXT: systolic.write
// CHECK-NEXT: systolic.barrier
// CHECK-NEXT: systolic.read
// CHECK: systolic.load
// CHECK-NEXT: arith.constant 0 : index
// CHECK-NEXT: systolic.write
// CHECK-NEXT: systolic.barrier
// CHECK-NEXT: systolic.read
// CHECK: %[[S:.+]] = systolic.mma
// CHECK-NEXT: systolic.convert_layout %[[S]]
// CHECK-NEXT: systolic.mma
// CHECK: systolic.convert_layout
// CHECK-NEXT: systolic.store
systolic.kernel @around(%X: !X, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1, cell = 16x16x16, instruction_k = 4>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : !b
  %one = arith.constant dense<1.0> : !x
  %x = systolic.load %X[%c0, %c0] : !X -> !x
  %y = arith.addf %x, %one : !x
  %a = systolic.convert_layout %y : !x -> !a
  %w = systolic.load %X[%c0, %work] : !X -> !x
  %b = systolic.convert_layout %w : !x -> !b
  %s = systolic.mma %a, %b, %zero : !a, !b -> !b
  %t = systolic.convert_layout %s : !b -> !a
  %u = systolic.mma %t, %b, %zero : !a, !b -> !b
  %v = systolic.load %X[%work, %c0] : !X -> !x
  %z = systolic.convert_layout %v : !x -> !b
  systolic.store %z, %X[%c0, %c0] : !b, !X
  systolic.store %u, %X[%c0, %work] : !b, !X
  systolic.return
}

// -----

// Four waves need 32 rows but the tile has 16: the load has 16 more, which its limit excludes, and no write is under a
// condition.
#x = #systolic.fragment<reg [1:8*1], lane [1:8*8, 0:8*1], wave [0:2*8, -1:2*0]>
#a = #systolic.fragment<reg [1:8*1, 1:2*32], lane [0:16*1, 1:4*8], wave [-1:4*0]>
#w = #systolic.fragment<reg [0:8*1, 1:2*32], lane [0:8*8, 1:8*1], wave [1:4*8]>
#b = #systolic.fragment<reg [0:8*1, 0:2*32], lane [1:16*1, 0:4*8], wave [1:4*16]>
#acc = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave [1:4*16]>
!X = memref<16x64xf16, #systolic.axes<M, K>>
!W = memref<64x64xf16, #systolic.axes<N, K>>
// CHECK-DAG: #[[PADDED:.+]] = #systolic.fragment<reg [1:8*1], lane [1:8*8, 0:8*1], wave [0:4*8]>
// CHECK-LABEL: systolic.kernel @uneven(
// CHECK-SAME: %[[LDS_X:[a-z0-9]+]]: !systolic.lds<1 x 32x64xf16,
// CHECK-SAME: !systolic.lds<1 x 64x64xf16,
// CHECK: %[[END:.+]] = arith.addi %{{.+}}, %c16
// CHECK-NEXT: %[[LIMIT:.+]] = arith.minui %[[END]], %c16
// CHECK-NEXT: %[[X:.+]] = systolic.load %{{.+}} limit[%[[LIMIT]], %c64{{.*}}] : {{.+}} -> tensor<32x64xf16, #[[PADDED]]>
// CHECK: systolic.write %[[X]], %[[LDS_X]]
// CHECK: systolic.read %[[LDS_X]][%{{.+}}] from [0, 0] : {{.+}} -> tensor<16x64xf16,
systolic.kernel @uneven(%X: !X, %W: !W, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x4, cell = 16x16x32, instruction_k = 16>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<16x64xf32, #acc>
  %x = systolic.load %X[%work, %c0] : !X -> tensor<16x64xf16, #x>
  %w = systolic.load %W[%c0, %c0] transposed : !W -> tensor<64x64xf16, #w>
  %a = systolic.convert_layout %x : tensor<16x64xf16, #x> -> tensor<16x64xf16, #a>
  %b = systolic.convert_layout %w : tensor<64x64xf16, #w> -> tensor<64x64xf16, #b>
  %y = systolic.mma %a, %b, %zero : tensor<16x64xf16, #a>, tensor<64x64xf16, #b> -> tensor<16x64xf32, #acc>
  systolic.store %y, %W[%c0, %c0] : tensor<16x64xf32, #acc>, !W
  systolic.return
}

// -----

// A row that all waves of a sum of products read goes through LDS too.
#x = #systolic.fragment<reg [1:8*1], lane [1:64*8], wave [1:4*512]>
#row = #systolic.fragment<reg [1:8*1, 1:4*512], lane [1:64*8], wave [-1:4*0]>
#w = #systolic.fragment<reg [1:8*1, 1:4*512], lane [1:64*8], wave [0:4*1]>
#sums = #systolic.fragment<reg [1:4*64], lane [1:64*1], wave [0:4*1]>
// CHECK-LABEL: systolic.kernel @row(
// CHECK-SAME: %[[LDS:[a-z0-9]+]]: !systolic.lds<1 x 1x2048xf16,
// CHECK: %[[X:.+]] = systolic.load {{.+}} -> tensor<1x2048xf16,
// CHECK: systolic.write %[[X]], %[[LDS]]
// CHECK-NEXT: systolic.barrier
// CHECK-NEXT: %[[ROW:.+]] = systolic.read %[[LDS]]
// CHECK-NEXT: systolic.dot %{{.+}}, %[[ROW]],
systolic.kernel @row(%X: memref<1x2048xf16, #systolic.axes<1, K>>, %W: memref<4x2048xf16, #systolic.axes<N, K>>, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 4x1>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<4x256xf32, #sums>
  %x = systolic.load %X[%c0, %c0] : memref<1x2048xf16, #systolic.axes<1, K>> -> tensor<1x2048xf16, #x>
  %w = systolic.load %W[%c0, %c0] : memref<4x2048xf16, #systolic.axes<N, K>> -> tensor<4x2048xf16, #w>
  %row = systolic.convert_layout %x : tensor<1x2048xf16, #x> -> tensor<1x2048xf16, #row>
  %y = systolic.dot %w, %row, %zero : tensor<4x2048xf16, #w>, tensor<1x2048xf16, #row> -> tensor<4x256xf32, #sums>
  systolic.return
}
