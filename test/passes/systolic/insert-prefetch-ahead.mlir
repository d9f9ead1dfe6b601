// A loop that does more than sum products loads the tiles for LDS one round ahead, after the barrier that follows
// their writes.
// RUN: nstf-opt %s -split-input-file --pass-pipeline='builtin.module(nstf-set-target{target=gfx942}, \
// RUN:     systolic.kernel(systolic-plan-loops,systolic-insert-prefetch))' --remark-format=emitRemark \
// RUN:   --remarks-filter=systolic-.* -verify-diagnostics | FileCheck %s

#x = #systolic.fragment<reg [1:4*1], lane [1:4*4, 0:16*1], wave []>
#a = #systolic.fragment<reg [1:4*1], lane [0:16*1, 1:4*4], wave []>
#acc = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>
!X = memref<64x64xf16, #systolic.axes<M, K>>
!lds = !systolic.lds<1 x 16x16xf16, unit, #systolic.axes<16, 16>>
// CHECK-LABEL: systolic.kernel @scaled(
// CHECK: %[[IS_ANY:.+]] = arith.cmpi ult, %[[C0:.+]], %[[END:.+]] : index
// CHECK: %[[FIRST:.+]] = systolic.load {{.+}} when %[[IS_ANY]]
// CHECK: scf.for %[[K:.+]] = {{.+}} iter_args(%{{.+}} = %{{.+}}, %[[TILE:.+]] = %[[FIRST]])
// CHECK-NOT: systolic.load
// CHECK: systolic.barrier
// CHECK: systolic.write %[[TILE]]
// CHECK: systolic.barrier
// CHECK: %[[NEXT:.+]] = arith.addi %[[K]], %{{.+}} : index
// CHECK: %[[IS_INSIDE:.+]] = arith.cmpi ult, %[[NEXT]], %[[END]] : index
// CHECK: %[[LOADED:.+]] = systolic.load %{{.+}}[%{{.+}}, %[[NEXT]]] when %[[IS_INSIDE]]
// CHECK: systolic.read
// CHECK: scf.yield %{{.+}}, %[[LOADED]]
systolic.kernel @scaled(%X: !X, %work: index, %lds: !lds)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1, cell = 16x16x16, instruction_k = 16>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %b = systolic.load %X[%c0, %c0] : !X -> tensor<16x16xf16, #acc>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #acc>
  // expected-remark @+1 {{Remark="tiles are loaded a round before", buffers=1, bytes_in_flight=512,}}
  %sum = scf.for %k = %c0 to %work step %c16 iter_args(%acc = %zero) -> (tensor<16x16xf32, #acc>) {
    %x = systolic.load %X[%c0, %k] : !X -> tensor<16x16xf16, #x>
    systolic.barrier
    systolic.write %x, %lds[%c0] : tensor<16x16xf16, #x>, !lds
    systolic.barrier
    %a = systolic.read %lds[%c0] : !lds -> tensor<16x16xf16, #a>
    %scaled = arith.mulf %acc, %acc : tensor<16x16xf32, #acc>
    %next = systolic.mma %a, %b, %scaled : tensor<16x16xf16, #a>, tensor<16x16xf16, #acc> -> tensor<16x16xf32, #acc>
    scf.yield %next : tensor<16x16xf32, #acc>
  }
  systolic.store %sum, %X[%c0, %c0] : tensor<16x16xf32, #acc>, !X
  systolic.return
}

// -----

// The index of the load depends on the previous round, so the next round's is unknown.
#x = #systolic.fragment<reg [1:4*1], lane [1:4*4, 0:16*1], wave []>
#a = #systolic.fragment<reg [1:4*1], lane [0:16*1, 1:4*4], wave []>
#acc = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>
!X = memref<64x64xf16, #systolic.axes<M, K>>
!lds = !systolic.lds<1 x 16x16xf16, unit, #systolic.axes<16, 16>>
// CHECK-LABEL: systolic.kernel @follows(
// CHECK: scf.for
// CHECK-NEXT: systolic.load
systolic.kernel @follows(%X: !X, %work: index, %lds: !lds)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1, cell = 16x16x16, instruction_k = 16>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %b = systolic.load %X[%c0, %c0] : !X -> tensor<16x16xf16, #acc>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #acc>
  // expected-remark @+1 {{Remark="where it loads depends on the round before"}}
  %sum:2 = scf.for %k = %c0 to %work step %c16 iter_args(%acc = %zero, %row = %c0) -> (tensor<16x16xf32, #acc>, index) {
    %x = systolic.load %X[%row, %k] : !X -> tensor<16x16xf16, #x>
    systolic.barrier
    systolic.write %x, %lds[%c0] : tensor<16x16xf16, #x>, !lds
    systolic.barrier
    %a = systolic.read %lds[%c0] : !lds -> tensor<16x16xf16, #a>
    %next = systolic.mma %a, %b, %acc : tensor<16x16xf16, #a>, tensor<16x16xf16, #acc> -> tensor<16x16xf32, #acc>
    %below = arith.addi %row, %c16 : index
    scf.yield %next, %below : tensor<16x16xf32, #acc>, index
  }
  systolic.store %sum#0, %X[%c0, %c0] : tensor<16x16xf32, #acc>, !X
  systolic.return
}

// -----

// A tile that does not go through LDS is loaded after the product that uses it, whose registers then hold the next
// round's tile.
#a = #systolic.fragment<reg [1:4*1], lane [0:16*1, 1:4*4], wave []>
#acc = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>
!X = memref<64x64xf16, #systolic.axes<M, K>>
// CHECK-LABEL: systolic.kernel @direct(
// CHECK: %[[FIRST:.+]] = systolic.load %{{.+}}[%{{.+}}, %{{.+}}] when %{{.+}} : {{.+}} -> tensor<16x16xf16, #[[A:.+]]>
// CHECK: scf.for {{.+}} iter_args(%{{.+}} = %{{.+}}, %[[TILE:.+]] = %[[FIRST]])
// CHECK-NOT: systolic.load
// CHECK: systolic.mma %[[TILE]],
// CHECK: %[[NEXT:.+]] = systolic.load
// CHECK: scf.yield %{{.+}}, %[[NEXT]]
systolic.kernel @direct(%X: !X, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1, cell = 16x16x16, instruction_k = 16>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %b = systolic.load %X[%c0, %c0] : !X -> tensor<16x16xf16, #acc>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #acc>
  // expected-remark @+1 {{Remark="tiles are loaded a round before", buffers=1, bytes_in_flight=512,}}
  %sum = scf.for %k = %c0 to %work step %c16 iter_args(%acc = %zero) -> (tensor<16x16xf32, #acc>) {
    %a = systolic.load %X[%c0, %k] : !X -> tensor<16x16xf16, #a>
    %scaled = arith.mulf %acc, %acc : tensor<16x16xf32, #acc>
    %next = systolic.mma %a, %b, %scaled : tensor<16x16xf16, #a>, tensor<16x16xf16, #acc> -> tensor<16x16xf32, #acc>
    scf.yield %next : tensor<16x16xf32, #acc>
  }
  systolic.store %sum, %X[%c0, %c0] : tensor<16x16xf32, #acc>, !X
  systolic.return
}

// -----

// Several waves: one barrier per round, and two buffers in turn.
#x = #systolic.fragment<reg [1:4*1], lane [1:4*4, 0:16*1], wave [-1:4*0]>
#a = #systolic.fragment<reg [1:4*1], lane [0:16*1, 1:4*4], wave [-1:4*0]>
#acc = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave [1:4*16]>
!X = memref<64x64xf16, #systolic.axes<M, K>>
!lds = !systolic.lds<1 x 16x16xf16, unit, #systolic.axes<16, 16>>
// CHECK-LABEL: systolic.kernel @two_buffers(
// CHECK-SAME: %[[LDS:[a-z0-9]+]]: !systolic.lds<2 x 16x16xf16
// CHECK: %[[FIRST:.+]] = systolic.load {{.+}} when
// CHECK: %[[SECOND:.+]] = systolic.load {{.+}} when
// CHECK: systolic.barrier
// CHECK: systolic.write %[[FIRST]], %[[LDS]][%[[ZERO:.+]]]
// CHECK: scf.for {{.+}} iter_args(%{{.+}} = %{{.+}}, %{{.+}} = %[[FIRST]], %[[TILE:.+]] = %[[SECOND]], %[[BUFFER:.+]] = %[[ZERO]])
// CHECK: %[[OTHER:.+]] = arith.subi %{{.+}}, %[[BUFFER]]
// CHECK: systolic.barrier
// CHECK-NOT: systolic.barrier
// CHECK: systolic.read %[[LDS]][%[[BUFFER]]]
// CHECK: systolic.write %[[TILE]], %[[LDS]][%[[OTHER]]]
// CHECK: %[[NEXT:.+]] = systolic.load
// CHECK: systolic.mma
// CHECK: scf.yield %{{.+}}, %[[TILE]], %[[NEXT]], %[[OTHER]]
systolic.kernel @two_buffers(%X: !X, %work: index, %lds: !lds)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x4, cell = 16x16x16, instruction_k = 16>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %b = systolic.load %X[%c0, %c0] : !X -> tensor<16x64xf16, #acc>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32, #acc>
  // expected-remark @+1 {{Remark="a block is loaded two blocks and written to LDS one block before its products", buffers=2,}}
  %sum = scf.for %k = %c0 to %work step %c16 iter_args(%acc = %zero) -> (tensor<16x64xf32, #acc>) {
    %x = systolic.load %X[%c0, %k] : !X -> tensor<16x16xf16, #x>
    systolic.barrier
    systolic.write %x, %lds[%c0] : tensor<16x16xf16, #x>, !lds
    systolic.barrier
    %a = systolic.read %lds[%c0] : !lds -> tensor<16x16xf16, #a>
    %scaled = arith.mulf %acc, %acc : tensor<16x64xf32, #acc>
    %next = systolic.mma %a, %b, %scaled : tensor<16x16xf16, #a>, tensor<16x64xf16, #acc> -> tensor<16x64xf32, #acc>
    scf.yield %next : tensor<16x64xf32, #acc>
  }
  systolic.store %sum, %X[%c0, %c0] : tensor<16x64xf32, #acc>, !X
  systolic.return
}

// -----

// The written tile depends on the previous round, so it cannot be written one round ahead.
#x = #systolic.fragment<reg [1:4*1], lane [1:4*4, 0:16*1], wave [-1:4*0]>
#a = #systolic.fragment<reg [1:4*1], lane [0:16*1, 1:4*4], wave [-1:4*0]>
#acc = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave [1:4*16]>
!X = memref<64x64xf16, #systolic.axes<M, K>>
!lds = !systolic.lds<1 x 16x16xf16, unit, #systolic.axes<16, 16>>
systolic.kernel @of_round_before(%X: !X, %work: index, %lds: !lds)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x4, cell = 16x16x16, instruction_k = 16>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %b = systolic.load %X[%c0, %c0] : !X -> tensor<16x64xf16, #acc>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32, #acc>
  %none = arith.constant dense<0.0> : tensor<16x16xf16, #x>
  // expected-error @+1 {{expected one buffer of what hangs on the round before but got 2}}
  %sum:2 = scf.for %k = %c0 to %work step %c16 iter_args(%acc = %zero, %before = %none) -> (tensor<16x64xf32, #acc>, tensor<16x16xf16, #x>) {
    %x = systolic.load %X[%c0, %k] : !X -> tensor<16x16xf16, #x>
    %new = arith.addf %x, %before : tensor<16x16xf16, #x>
    systolic.barrier
    systolic.write %new, %lds[%c0] : tensor<16x16xf16, #x>, !lds
    systolic.barrier
    %a = systolic.read %lds[%c0] : !lds -> tensor<16x16xf16, #a>
    %next = systolic.mma %a, %b, %acc : tensor<16x16xf16, #a>, tensor<16x64xf16, #acc> -> tensor<16x64xf32, #acc>
    scf.yield %next, %new : tensor<16x64xf32, #acc>, tensor<16x16xf16, #x>
  } {systolic.plan = #systolic.plan<buffers = 2, order = merged, round = [barrier, read 1, write 0 +1, load 0 +2, multiply]>}
  systolic.store %sum#0, %X[%c0, %c0] : tensor<16x64xf32, #acc>, !X
  systolic.return
}

// -----

// Codes stay codes while in flight, and are converted at their use.
#x = #systolic.fragment<reg [1:4*1], lane [1:4*4, 0:16*1], wave []>
#a = #systolic.fragment<reg [1:4*1], lane [0:16*1, 1:4*4], wave []>
#acc = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>
!X = memref<64x64xi8, #systolic.axes<M, K>>
!Y = memref<64x64xf16, #systolic.axes<M, K>>
!lds = !systolic.lds<1 x 16x16xf16, unit, #systolic.axes<16, 16>>
// CHECK-LABEL: systolic.kernel @codes(
// CHECK: scf.for %{{.+}} = {{.+}} iter_args(%{{.+}} = %{{.+}}, %[[TILE:.+]] = %{{.+}}) -> ({{.+}}, tensor<16x16xi8, #{{.+}}>)
// CHECK: systolic.barrier
// CHECK-NEXT: %[[NUMBERS:.+]] = arith.sitofp %[[TILE]]
// CHECK-NEXT: systolic.write %[[NUMBERS]]
systolic.kernel @codes(%X: !X, %Y: !Y, %work: index, %lds: !lds)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1, cell = 16x16x16, instruction_k = 16>} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %b = systolic.load %Y[%c0, %c0] : !Y -> tensor<16x16xf16, #acc>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #acc>
  // expected-remark @+1 {{Remark="tiles are loaded a round before", buffers=1, bytes_in_flight=512,}}
  %sum = scf.for %k = %c0 to %work step %c16 iter_args(%acc = %zero) -> (tensor<16x16xf32, #acc>) {
    %codes = systolic.load %X[%c0, %k] : !X -> tensor<16x16xi8, #x>
    %x = arith.sitofp %codes : tensor<16x16xi8, #x> to tensor<16x16xf16, #x>
    systolic.barrier
    systolic.write %x, %lds[%c0] : tensor<16x16xf16, #x>, !lds
    systolic.barrier
    %a = systolic.read %lds[%c0] : !lds -> tensor<16x16xf16, #a>
    %scaled = arith.mulf %acc, %acc : tensor<16x16xf32, #acc>
    %next = systolic.mma %a, %b, %scaled : tensor<16x16xf16, #a>, tensor<16x16xf16, #acc> -> tensor<16x16xf32, #acc>
    scf.yield %next : tensor<16x16xf32, #acc>
  }
  systolic.store %sum, %Y[%c0, %c0] : tensor<16x16xf32, #acc>, !Y
  systolic.return
}
