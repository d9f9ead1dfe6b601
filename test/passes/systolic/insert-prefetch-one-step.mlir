// Blocks of one step along K: all of a block is in registers before its products, so its buffer takes the block two
// ahead at once, and the reads, writes and loads of a block stand between two barriers.
// RUN: nstf-opt %s -split-input-file --pass-pipeline='builtin.module(nstf-set-target{target=gfx942},systolic.kernel(systolic-plan-loops,systolic-insert-prefetch))' | FileCheck %s
// RUN: nstf-opt %s -split-input-file --remark-format=emitRemark '--remarks-filter=systolic-plan-loops' -o /dev/null \
// RUN:   --pass-pipeline='builtin.module(nstf-set-target{target=gfx942}, \
// RUN:     systolic.kernel(systolic-plan-loops,systolic-insert-prefetch))' 2>&1 | FileCheck %s --check-prefix=REMARK

// Eight blocks. A row has 64 bytes of a block, half a line of the L1: every other block, a load brings two blocks, in
// even blocks of one tile, in odd blocks of the other.
#x = #systolic.fragment<reg [1:8*1, 0:2*16], lane [1:4*8, 0:16*1], wave []>
#w = #systolic.fragment<reg [0:8*1, 1:2*16], lane [0:4*8, 1:16*1], wave []>
#a = #systolic.fragment<reg [1:8*1, 0:2*16], lane [0:16*1, 1:4*8], wave []>
#b = #systolic.fragment<reg [0:8*1, 1:2*16], lane [1:16*1, 0:4*8], wave []>
#acc = #systolic.fragment<reg [0:4*1, 1:2*16, 0:2*16], lane [1:16*1, 0:4*4], wave []>
!X = memref<64x256xf16, #systolic.axes<M, K>>
!lds = !systolic.lds<1 x 32x32xf16, #systolic.swizzle<8, 4, 2>, #systolic.axes<32, 32>>
// CHECK-DAG: #[[LINE:.+]] = #systolic.fragment<reg [1:8*1, 1:2*32, 0:2*16], lane [1:4*8, 0:16*1], wave []>
// CHECK-LABEL: systolic.kernel @pairs(
// CHECK-SAME: %[[LX:[a-z0-9]+]]: !systolic.lds<2 x 32x32xf16, {{[^)]*}} %[[LW:[a-z0-9]+]]: !systolic.lds<2 x 32x32xf16,
// CHECK: systolic.load {{.+}} -> tensor<32x64xf16, #[[LINE]]>
// CHECK-NEXT: systolic.slice %{{.+}} from [0, 0]
// CHECK-NEXT: systolic.slice %{{.+}} from [0, 32]
// CHECK-NEXT: systolic.load {{.+}} transposed when {{.+}} -> tensor<64x32xf16,
// CHECK-NEXT: systolic.slice %{{.+}} from [0, 0]
// CHECK-NEXT: systolic.slice %{{.+}} from [32, 0]
// CHECK: systolic.load {{.+}} -> tensor<32x64xf16, #[[LINE]]>
// CHECK: systolic.load {{.+}} transposed when {{.+}} -> tensor<64x32xf16,
// CHECK-NOT: systolic.load
// CHECK: systolic.write %{{.+}}, %[[LX]][%[[B0:.+]]] :
// CHECK-NEXT: systolic.write %{{.+}}, %[[LW]][%[[B0]]] transposed
// CHECK-NEXT: systolic.write %{{.+}}, %[[LX]][%[[B1:.+]]] :
// CHECK-NEXT: systolic.write %{{.+}}, %[[LW]][%[[B1]]] transposed
// CHECK-NEXT: systolic.barrier
// CHECK-NEXT: systolic.read %[[LW]][%[[B0]]] from [0, 0] transposed
// CHECK-NEXT: systolic.read %[[LX]][%[[B0]]] from [0, 0] :
// CHECK: scf.for {{.+}} iter_args(%[[SUM:.+]] = %{{.+}}, %[[X2:.+]] = %{{.+}}, %[[X3:.+]] = %{{.+}}, %[[W2:.+]] = %{{.+}}, %[[W3:.+]] = %{{.+}}, %[[B:.+]] = %{{.+}}, %[[A:.+]] = %{{.+}})
// CHECK-NEXT: systolic.barrier
// CHECK-NEXT: %[[NB:.+]] = systolic.read %[[LW]][%[[B1]]] from [0, 0] transposed
// CHECK-NEXT: systolic.write %[[X2]], %[[LX]][%[[B0]]] :
// CHECK-NEXT: systolic.write %[[W2]], %[[LW]][%[[B0]]] transposed
// CHECK-NEXT: %[[NA:.+]] = systolic.read %[[LX]][%[[B1]]] from [0, 0] :
// CHECK-NOT: systolic.load
// CHECK: systolic.load {{.+}} transposed when {{.+}} -> tensor<64x32xf16,
// CHECK-NEXT: %[[W4:.+]] = systolic.slice %{{.+}} from [0, 0]
// CHECK-NEXT: %[[W5:.+]] = systolic.slice %{{.+}} from [32, 0]
// CHECK-NEXT: %[[S:.+]] = systolic.mma %[[A]], %[[B]], %[[SUM]]
// CHECK-NEXT: systolic.barrier
// CHECK-NEXT: %[[NB2:.+]] = systolic.read %[[LW]][%[[B0]]]
// CHECK-NEXT: systolic.write %[[X3]], %[[LX]][%[[B1]]] :
// CHECK-NEXT: systolic.write %[[W3]], %[[LW]][%[[B1]]] transposed
// CHECK-NEXT: %[[NA2:.+]] = systolic.read %[[LX]][%[[B0]]]
// CHECK: systolic.load {{.+}} -> tensor<32x64xf16,
// CHECK-NEXT: %[[X4:.+]] = systolic.slice %{{.+}} from [0, 0]
// CHECK-NEXT: %[[X5:.+]] = systolic.slice %{{.+}} from [0, 32]
// CHECK-NOT: systolic.load
// CHECK: %[[S2:.+]] = systolic.mma %[[NA]], %[[NB]], %[[S]]
// CHECK-NEXT: scf.yield %[[S2]], %[[X4]], %[[X5]], %[[W4]], %[[W5]], %[[NB2]], %[[NA2]]
// CHECK-NEXT: }
// CHECK-NEXT: systolic.store
// REMARK: remark: {{.*}}Remark="a block is loaded three blocks and written to LDS two blocks before its products", buffers=2
systolic.kernel @pairs(%X: !X, %work: index, %lds_x: !lds, %lds_w: !lds)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1, cell = 16x16x32, instruction_k = 16>} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #acc>
  %sum = scf.for %k = %c0 to %c256 step %c32 iter_args(%acc = %zero) -> (tensor<32x32xf32, #acc>) {
    %x = systolic.load %X[%c0, %k] : !X -> tensor<32x32xf16, #x>
    %w = systolic.load %X[%c32, %k] transposed : !X -> tensor<32x32xf16, #w>
    systolic.barrier
    systolic.write %x, %lds_x[%c0] : tensor<32x32xf16, #x>, !lds
    systolic.write %w, %lds_w[%c0] transposed : tensor<32x32xf16, #w>, !lds
    systolic.barrier
    %a = systolic.read %lds_x[%c0] : !lds -> tensor<32x32xf16, #a>
    %b = systolic.read %lds_w[%c0] transposed : !lds -> tensor<32x32xf16, #b>
    %next = systolic.mma %a, %b, %acc : tensor<32x32xf16, #a>, tensor<32x32xf16, #b> -> tensor<32x32xf32, #acc>
    scf.yield %next : tensor<32x32xf32, #acc>
  }
  systolic.store %sum, %X[%c0, %c0] : tensor<32x32xf32, #acc>, !X
  systolic.return
}

// -----

// Six blocks of codes, the first of which begins before its row: the first two are loaded separately.
#x = #systolic.fragment<reg [1:16*1, 0:2*16], lane [1:4*16, 0:16*1], wave []>
#w = #systolic.fragment<reg [0:16*1, 1:2*16], lane [0:4*16, 1:16*1], wave []>
#a = #systolic.fragment<reg [1:16*1, 0:2*16], lane [0:16*1, 1:4*16], wave []>
#b = #systolic.fragment<reg [0:16*1, 1:2*16], lane [1:16*1, 0:4*16], wave []>
#acc = #systolic.fragment<reg [0:4*1, 1:2*16, 0:2*16], lane [1:16*1, 0:4*4], wave []>
!X = memref<64x368xi8, #systolic.axes<M, K>>
!Y = memref<64x64xi32, #systolic.axes<M, K>>
!lds = !systolic.lds<1 x 32x64xi8, #systolic.swizzle<16, 4, 2>, #systolic.axes<32, 64>>
// CHECK-LABEL: systolic.kernel @before_the_row(
// CHECK-COUNT-2: systolic.load {{.+}} -> tensor<32x64xi8,
// CHECK: systolic.load {{.+}} transposed {{.+}} -> tensor<64x32xi8,
// CHECK: scf.for
// CHECK: systolic.load {{.+}} transposed {{.+}} -> tensor<128x32xi8,
// CHECK: systolic.mma
// CHECK: systolic.load {{.+}} -> tensor<32x128xi8,
// CHECK: systolic.mma
// CHECK-NEXT: scf.yield
systolic.kernel @before_the_row(%X: !X, %Y: !Y, %work: index, %lds_x: !lds, %lds_w: !lds)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1, cell = 16x16x64, instruction_k = 32>} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %begin = arith.constant -16 : index
  %step = arith.constant 64 : index
  %end = arith.constant 368 : index
  %zero = arith.constant dense<0> : tensor<32x32xi32, #acc>
  %sum = scf.for %k = %begin to %end step %step iter_args(%acc = %zero) -> (tensor<32x32xi32, #acc>) {
    %x = systolic.load %X[%c0, %k] : !X -> tensor<32x64xi8, #x>
    %w = systolic.load %X[%c32, %k] transposed : !X -> tensor<64x32xi8, #w>
    systolic.barrier
    systolic.write %x, %lds_x[%c0] : tensor<32x64xi8, #x>, !lds
    systolic.write %w, %lds_w[%c0] transposed : tensor<64x32xi8, #w>, !lds
    systolic.barrier
    %a = systolic.read %lds_x[%c0] : !lds -> tensor<32x64xi8, #a>
    %b = systolic.read %lds_w[%c0] transposed : !lds -> tensor<64x32xi8, #b>
    %next = systolic.mma %a, %b, %acc : tensor<32x64xi8, #a>, tensor<64x32xi8, #b> -> tensor<32x32xi32, #acc>
    scf.yield %next : tensor<32x32xi32, #acc>
  }
  systolic.store %sum, %Y[%c0, %c0] : tensor<32x32xi32, #acc>, !Y
  systolic.return
}

// The same loop, as systolic-align-blocks emits it.
// CHECK-LABEL: systolic.kernel @columns_before(
// CHECK-COUNT-2: systolic.load {{.+}} -> tensor<32x64xi8,
// CHECK: systolic.load {{.+}} transposed {{.+}} -> tensor<64x32xi8,
// CHECK: scf.for
// CHECK: systolic.load {{.+}} transposed {{.+}} -> tensor<128x32xi8,
// CHECK: systolic.load {{.+}} -> tensor<32x128xi8,
// CHECK: scf.yield
systolic.kernel @columns_before(%X: !X, %Y: !Y, %work: index, %lds_x: !lds, %lds_w: !lds)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1, cell = 16x16x64, instruction_k = 32>} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %before = arith.constant 16 : index
  %step = arith.constant 64 : index
  %end = arith.constant 384 : index
  %zero = arith.constant dense<0> : tensor<32x32xi32, #acc>
  %sum = scf.for %k = %c0 to %end step %step iter_args(%acc = %zero) -> (tensor<32x32xi32, #acc>) {
    %column = arith.subi %k, %before : index
    %x = systolic.load %X[%c0, %column] : !X -> tensor<32x64xi8, #x>
    %w = systolic.load %X[%c32, %column] transposed : !X -> tensor<64x32xi8, #w>
    systolic.barrier
    systolic.write %x, %lds_x[%c0] : tensor<32x64xi8, #x>, !lds
    systolic.write %w, %lds_w[%c0] transposed : tensor<64x32xi8, #w>, !lds
    systolic.barrier
    %a = systolic.read %lds_x[%c0] : !lds -> tensor<32x64xi8, #a>
    %b = systolic.read %lds_w[%c0] transposed : !lds -> tensor<64x32xi8, #b>
    %next = systolic.mma %a, %b, %acc : tensor<32x64xi8, #a>, tensor<64x32xi8, #b> -> tensor<32x32xi32, #acc>
    scf.yield %next : tensor<32x32xi32, #acc>
  }
  systolic.store %sum, %Y[%c0, %c0] : tensor<32x32xi32, #acc>, !Y
  systolic.return
}

// -----

// Three blocks: pairs would not end with the row, so each block is loaded by itself. The products of the last block
// come after the loop, without reads.
#x = #systolic.fragment<reg [1:8*1, 0:2*16], lane [1:4*8, 0:16*1], wave []>
#w = #systolic.fragment<reg [0:8*1, 1:2*16], lane [0:4*8, 1:16*1], wave []>
#a = #systolic.fragment<reg [1:8*1, 0:2*16], lane [0:16*1, 1:4*8], wave []>
#b = #systolic.fragment<reg [0:8*1, 1:2*16], lane [1:16*1, 0:4*8], wave []>
#acc = #systolic.fragment<reg [0:4*1, 1:2*16, 0:2*16], lane [1:16*1, 0:4*4], wave []>
!X = memref<64x96xf16, #systolic.axes<M, K>>
!lds = !systolic.lds<1 x 32x32xf16, #systolic.swizzle<8, 4, 2>, #systolic.axes<32, 32>>
// CHECK-LABEL: systolic.kernel @alone(
// CHECK-NOT: systolic.slice
// CHECK: scf.for
// CHECK: systolic.mma
// CHECK: systolic.mma
// CHECK-NEXT: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: systolic.mma
// CHECK-NEXT: systolic.store
systolic.kernel @alone(%X: !X, %work: index, %lds_x: !lds, %lds_w: !lds)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1, cell = 16x16x32, instruction_k = 16>} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c96 = arith.constant 96 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #acc>
  %sum = scf.for %k = %c0 to %c96 step %c32 iter_args(%acc = %zero) -> (tensor<32x32xf32, #acc>) {
    %x = systolic.load %X[%c0, %k] : !X -> tensor<32x32xf16, #x>
    %w = systolic.load %X[%c32, %k] transposed : !X -> tensor<32x32xf16, #w>
    systolic.barrier
    systolic.write %x, %lds_x[%c0] : tensor<32x32xf16, #x>, !lds
    systolic.write %w, %lds_w[%c0] transposed : tensor<32x32xf16, #w>, !lds
    systolic.barrier
    %a = systolic.read %lds_x[%c0] : !lds -> tensor<32x32xf16, #a>
    %b = systolic.read %lds_w[%c0] transposed : !lds -> tensor<32x32xf16, #b>
    %next = systolic.mma %a, %b, %acc : tensor<32x32xf16, #a>, tensor<32x32xf16, #b> -> tensor<32x32xf32, #acc>
    scf.yield %next : tensor<32x32xf32, #acc>
  }
  systolic.store %sum, %X[%c0, %c0] : tensor<32x32xf32, #acc>, !X
  systolic.return
}
