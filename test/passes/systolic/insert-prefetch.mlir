// A loop of products becomes a pipeline over two LDS buffers; refusals are in insert-prefetch-remarks.mlir.
// RUN: nstf-opt %s -split-input-file --pass-pipeline='builtin.module(nstf-set-target{target=gfx942},systolic.kernel(systolic-plan-loops,systolic-insert-prefetch))' | FileCheck %s

// Four blocks of 32 along K, each of two steps of 16. A round is two blocks. The reads of a step precede the products
// of the step before. In the first step of a block the next block is written and the one after it loaded, each tile
// after the write of its registers. One barrier stands in the last step of a block.
#x = #systolic.fragment<reg [1:8*1, 0:2*16], lane [1:4*8, 0:16*1], wave []>
#w = #systolic.fragment<reg [0:8*1, 1:2*16], lane [0:4*8, 1:16*1], wave []>
#a = #systolic.fragment<reg [1:8*1, 1:2*16], lane [0:32*1, 1:2*8], wave []>
#b = #systolic.fragment<reg [0:8*1, 0:2*16], lane [1:32*1, 0:2*8], wave []>
#acc = #systolic.fragment<reg [0:4*1, 0:4*8], lane [1:32*1, 0:2*4], wave []>
!X = memref<64x128xf16, #systolic.axes<M, K>>
!lds = !systolic.lds<1 x 32x32xf16, #systolic.swizzle<8, 4, 2>, #systolic.axes<32, 32>>
// CHECK-LABEL: systolic.kernel @even(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref
// CHECK-SAME: %[[LX:[a-z0-9]+]]: !systolic.lds<2 x 32x32xf16, {{[^)]*}} %[[LW:[a-z0-9]+]]: !systolic.lds<2 x 32x32xf16,
// CHECK-DAG: %[[B0:.+]] = arith.constant 0 : index
// CHECK: arith.cmpi ult, %{{.+}}, %[[END:.+]] : index
// CHECK-COUNT-4: systolic.load %[[X]]{{.+}} when
// CHECK-NEXT: systolic.write %{{.+}}, %[[LX]][%[[ZERO:.+]]] :
// CHECK-NEXT: systolic.write %{{.+}}, %[[LW]][%[[ZERO]]] transposed :
// CHECK-NEXT: systolic.barrier
// CHECK-NEXT: %[[FB:.+]] = systolic.read %[[LW]][%[[ZERO]]] from [0, 0] transposed : {{.+}} -> tensor<16x32xf16,
// CHECK-NEXT: %[[FA:.+]] = systolic.read %[[LX]][%[[ZERO]]] from [0, 0] : {{.+}} -> tensor<32x16xf16,
// CHECK: %{{.+}}:5 = scf.for %[[K:.+]] = %{{.+}} to %[[END]] step %{{.+}} iter_args(%[[SUM:.+]] = %{{.+}}, %[[NX:.+]] = %{{.+}}, %[[NW:.+]] = %{{.+}}, %[[B:.+]] = %[[FB]], %[[A:.+]] = %[[FA]])
// The block in buffer 0.
// CHECK: %[[B1:.+]] = systolic.read %[[LW]][%[[ZERO]]] from [0, 16] transposed
// CHECK-NEXT: %[[A1:.+]] = systolic.read %[[LX]][%[[ZERO]]] from [0, 16]
// CHECK-NEXT: systolic.write %[[NX]], %[[LX]][%[[ONE:.+]]] :
// CHECK: %[[LOADED:.+]] = systolic.load {{.+}} when
// CHECK-NEXT: systolic.write %[[NW]], %[[LW]][%[[ONE]]] transposed :
// CHECK: systolic.load {{.+}} when
// CHECK-NEXT: %[[S1:.+]] = systolic.mma %[[A]], %[[B]], %[[SUM]]
// CHECK-NEXT: systolic.barrier
// CHECK-NEXT: %[[B2:.+]] = systolic.read %[[LW]][%[[ONE]]] from [0, 0] transposed
// CHECK-NEXT: %[[A2:.+]] = systolic.read %[[LX]][%[[ONE]]] from [0, 0]
// CHECK-NEXT: %[[S2:.+]] = systolic.mma %[[A1]], %[[B1]], %[[S1]]
// The block in buffer 1.
// CHECK: systolic.read %[[LX]][%[[ONE]]] from [0, 16]
// CHECK: systolic.write %[[LOADED]], %[[LX]][%[[ZERO]]] :
// CHECK: systolic.mma %[[A2]], %[[B2]], %[[S2]]
// CHECK-NEXT: systolic.barrier
// CHECK-NEXT: systolic.read %[[LW]][%[[ZERO]]] from [0, 0]
// CHECK: systolic.mma
// CHECK-NEXT: scf.yield
// CHECK-NOT: systolic.mma
systolic.kernel @even(%X: !X, %work: index, %lds_x: !lds, %lds_w: !lds)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1, cell = 32x32x16, instruction_k = 8>} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #acc>
  %sum = scf.for %k = %c0 to %c128 step %c32 iter_args(%acc = %zero) -> (tensor<32x32xf32, #acc>) {
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

// Three blocks, or none if the work item lies outside: the last one comes after the loop, in two steps and without
// loads.
#x = #systolic.fragment<reg [1:8*1, 0:2*16], lane [1:4*8, 0:16*1], wave []>
#w = #systolic.fragment<reg [0:8*1, 1:2*16], lane [0:4*8, 1:16*1], wave []>
#a = #systolic.fragment<reg [1:8*1, 1:2*16], lane [0:32*1, 1:2*8], wave []>
#b = #systolic.fragment<reg [0:8*1, 0:2*16], lane [1:32*1, 0:2*8], wave []>
#acc = #systolic.fragment<reg [0:4*1, 0:4*8], lane [1:32*1, 0:2*4], wave []>
!X = memref<64x96xf16, #systolic.axes<M, K>>
!lds = !systolic.lds<1 x 32x32xf16, #systolic.swizzle<8, 4, 2>, #systolic.axes<32, 32>>
// CHECK-LABEL: systolic.kernel @odd(
// CHECK: %[[INSIDE:.+]] = arith.cmpi ult, %{{.+}}, %c64 : index
// CHECK: %[[LAST:.+]] = arith.constant 64 : index
// CHECK: %[[PAIRS:.+]] = arith.select %[[INSIDE]], %[[LAST]], %c0 : index
// CHECK: scf.for %{{.+}} = %c0 to %[[PAIRS]] step
// CHECK-COUNT-4: systolic.mma
// CHECK: scf.yield
// CHECK-NOT: systolic.load
// CHECK-COUNT-2: systolic.read %{{.+}} from [0, 16]
// CHECK-COUNT-2: systolic.mma
// CHECK-NEXT: systolic.store
systolic.kernel @odd(%X: !X, %work: index, %lds_x: !lds, %lds_w: !lds)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1, cell = 32x32x16, instruction_k = 8>} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c96 = arith.constant 96 : index
  %is_inside = arith.cmpi ult, %work, %c64 : index
  %end = arith.select %is_inside, %c96, %c0 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #acc>
  %sum = scf.for %k = %c0 to %end step %c32 iter_args(%acc = %zero) -> (tensor<32x32xf32, #acc>) {
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

// LDS has room for one buffer of 40 KiB. The next block waits in registers and is written between two barriers, when
// the last step of the current one has been read. Inside another loop, the first write waits for the previous reads.
#x = #systolic.fragment<reg [1:8*1, 0:5*128], lane [1:4*8, 0:16*1], wave [0:8*16]>
#a = #systolic.fragment<reg [1:8*1, 1:2*16, 0:5*32], lane [0:32*1, 1:2*8], wave [0:4*160, -1:2*0]>
#b = #systolic.fragment<reg [0:8*1, 0:2*16, 1:1*32], lane [1:32*1, 0:2*8], wave [-1:4*0, 1:2*32]>
#w = #systolic.fragment<reg [0:8*1], lane [0:4*8, 1:16*1], wave [1:4*16, -1:2*0]>
#acc = #systolic.fragment<reg [0:4*1, 0:4*8, 0:5*32], lane [1:32*1, 0:2*4], wave [0:4*160, 1:2*32]>
!X = memref<1024x128xf16, #systolic.axes<M, K>>
!lds = !systolic.lds<1 x 640x32xf16, #systolic.swizzle<8, 4, 2>, #systolic.axes<640, 32>>
!ldw = !systolic.lds<1 x 64x32xf16, #systolic.swizzle<8, 4, 2>, #systolic.axes<64, 32>>
// CHECK-LABEL: systolic.kernel @one_buffer(
// CHECK-SAME: !systolic.lds<1 x 640x32xf16,
// CHECK: scf.for
// CHECK: systolic.load
// CHECK-NEXT: systolic.load
// CHECK-NEXT: systolic.barrier
// CHECK-NEXT: systolic.write
// CHECK-NEXT: systolic.write
// CHECK-NEXT: systolic.barrier
// CHECK-COUNT-2: systolic.read {{.+}} from [0, 0]
// CHECK: scf.for
// CHECK-COUNT-2: systolic.read {{.+}} from [0, 16]
// CHECK: %[[X:.+]] = systolic.load
// CHECK-NEXT: %[[W:.+]] = systolic.load
// CHECK-NEXT: systolic.mma
// CHECK-NEXT: systolic.barrier
// CHECK-NEXT: systolic.write %[[X]],
// CHECK-NEXT: systolic.write %[[W]],
// CHECK-NEXT: systolic.barrier
// CHECK-COUNT-2: systolic.read {{.+}} from [0, 0]
// CHECK-NEXT: systolic.mma
// CHECK-NEXT: scf.yield
systolic.kernel @one_buffer(%X: !X, %work: index, %lds: !lds, %ldw: !ldw)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 4x2, cell = 32x32x16, instruction_k = 8>} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<640x64xf32, #acc>
  scf.for %i = %c0 to %work step %c32 {
    %sum = scf.for %k = %c0 to %c128 step %c32 iter_args(%acc = %zero) -> (tensor<640x64xf32, #acc>) {
      %x = systolic.load %X[%c0, %k] : !X -> tensor<640x32xf16, #x>
      %w = systolic.load %X[%c0, %k] transposed : !X -> tensor<32x64xf16, #w>
      systolic.barrier
      systolic.write %x, %lds[%c0] : tensor<640x32xf16, #x>, !lds
      systolic.write %w, %ldw[%c0] transposed : tensor<32x64xf16, #w>, !ldw
      systolic.barrier
      %a = systolic.read %lds[%c0] : !lds -> tensor<640x32xf16, #a>
      %b = systolic.read %ldw[%c0] transposed : !ldw -> tensor<32x64xf16, #b>
      %next = systolic.mma %a, %b, %acc : tensor<640x32xf16, #a>, tensor<32x64xf16, #b> -> tensor<640x64xf32, #acc>
      scf.yield %next : tensor<640x64xf32, #acc>
    }
    systolic.store %sum, %X[%i, %c0] : tensor<640x64xf32, #acc>, !X
  }
  systolic.return
}
