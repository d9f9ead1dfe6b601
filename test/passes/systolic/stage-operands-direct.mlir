// Operands that do not go through registers and an array of rows: in operand order as in memory, or past the registers.
// RUN: nstf-opt %s -split-input-file --pass-pipeline='builtin.module(nstf-set-target{target=gfx942},systolic.kernel(systolic-stage-operands))' | FileCheck %s
// RUN: nstf-opt %s -split-input-file --pass-pipeline='builtin.module(nstf-set-target{target=gfx942},systolic.kernel(systolic-stage-operands{stage=true}))' | FileCheck %s --check-prefix=STAGE
// RUN: nstf-opt %s -split-input-file \
// RUN:   --pass-pipeline='builtin.module(nstf-set-target{target=gfx942},systolic.kernel(systolic-stage-operands))' \
// RUN:   --remark-format=emitRemark --remarks-filter=systolic-.* -verify-diagnostics -o %t

// Two waves use a tile in operand order; they share it through LDS, which has memory's order.
#x = #systolic.fragment<reg [1:8*1], lane [0:16*1, 1:4*8], wave [0:2*16]>
#a = #systolic.fragment<reg [1:8*1, 1:2*16], lane [0:32*1, 1:2*8], wave [-1:2*0]>
#b = #systolic.fragment<reg [0:8*1, 0:2*16], lane [1:32*1, 0:2*8], wave [1:2*32]>
#acc = #systolic.fragment<reg [0:4*1, 0:4*8], lane [1:32*1, 0:2*4], wave [1:2*32]>
!X = memref<64x64xf16, #systolic.axes<M, K>>
// CHECK: #[[B:.+]] = #systolic.fragment<reg [0:8*1, 0:2*16], lane [1:32*1, 0:2*8], wave [1:2*32]>
// CHECK-LABEL: systolic.kernel @packed(
// CHECK-SAME: %[[LDS:[a-z0-9]+]]: !systolic.lds<1 x 32x32xf16, #systolic.packed<16 x 64 bytes>, #systolic.axes<32, 32>>)
// CHECK: %[[XT:.+]] = systolic.load
// CHECK-NEXT: %[[WT:.+]] = systolic.load {{.+}} transposed : {{.+}} -> tensor<32x64xf16, #[[B]]>
// CHECK-NOT: systolic.load
// CHECK: systolic.write %[[XT]], %[[LDS]]
// CHECK: %[[XR:.+]] = systolic.read %[[LDS]]
// CHECK-NEXT: systolic.mma %[[XR]], %[[WT]],
// STAGE-LABEL: systolic.kernel @packed(
// STAGE: systolic.load {{.+}} transposed
// STAGE: systolic.stage %{{.+}}[%c0, %c0], %[[LDS:.+]][%{{.+}}] : {{.+}}, !systolic.lds<1 x 32x32xf16, #systolic.packed<16 x 64 bytes>
// STAGE-NEXT: systolic.wait 0
// STAGE-NEXT: systolic.barrier
// STAGE-NEXT: systolic.read
systolic.kernel @packed(%X: !X {systolic.packed = #systolic.packed<16 x 64 bytes>}, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x2, cell = 32x32x16, instruction_k = 8>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<32x64xf32, #acc>
  %x = systolic.load %X[%c0, %c0] : !X -> tensor<32x32xf16, #x>
  %b = systolic.load %X[%c0, %c0] transposed : !X -> tensor<32x64xf16, #b>
  // expected-remark @+1 {{Remark="through !systolic.lds<1 x 32x32xf16, #systolic.packed<16 x 64 bytes>, #systolic.axes<32, 32>>: writes of 16 bytes, reads of 16 bytes", lds=2048, read_conflicts=0, write_conflicts=0}}
  %a = systolic.convert_layout %x : tensor<32x32xf16, #x> -> tensor<32x32xf16, #a>
  %c = systolic.mma %a, %b, %zero : tensor<32x32xf16, #a>, tensor<32x64xf16, #b> -> tensor<32x64xf32, #acc>
  systolic.store %c, %X[%c0, %c0] : tensor<32x64xf32, #acc>, !X
  systolic.return
}

// -----

// The parameter has the effect of the option. A tile with ops on the way, or one that does not begin at a whole dword,
// cannot go past the registers.
#x = #systolic.fragment<reg [1:8*1], lane [1:4*8, 0:16*1], wave []>
#a = #systolic.fragment<reg [1:8*1], lane [0:16*1, 1:4*8], wave []>
#b = #systolic.fragment<reg [0:8*1], lane [1:16*1, 0:4*8], wave []>
#acc = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>
!X = memref<64x64xf16, #systolic.axes<M, K>>
!x = tensor<16x32xf16, #x>
!a = tensor<16x32xf16, #a>
!b = tensor<32x16xf16, #b>
!w = tensor<32x16xf16, #systolic.fragment<reg [0:8*1], lane [0:4*8, 1:16*1], wave []>>
!acc = tensor<16x16xf32, #acc>
// CHECK-LABEL: systolic.kernel @parameter(
// CHECK: scf.for %[[K:[a-z0-9]+]] =
// CHECK-NEXT: %[[Y:.+]] = systolic.load
// CHECK-NEXT: %[[Z:.+]] = arith.addf %[[Y]], %[[Y]]
// CHECK-NEXT: %[[C0:.+]] = arith.constant 0 : index
// CHECK-NEXT: systolic.barrier
// CHECK-NEXT: systolic.stage %{{.+}}[%c0, %[[K]]], %{{.+}}[%[[C0]]] :
// CHECK-NEXT: systolic.write %[[Z]]
// CHECK-NEXT: systolic.wait 0
// CHECK-NEXT: systolic.barrier
// CHECK-NOT: systolic.stage
// CHECK: systolic.write
systolic.kernel @parameter(%X: !X, %work: index)
    attributes {params = {}, schedule = #systolic.schedule<through = lds>, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1, cell = 16x16x32, instruction_k = 16>} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : !acc
  %sum = scf.for %k = %c0 to %work step %c32 iter_args(%acc = %zero) -> (!acc) {
    %x = systolic.load %X[%c0, %k] : !X -> !x
    %y = systolic.load %X[%c0, %k] transposed : !X -> !w
    %z = arith.addf %y, %y : !w
    // expected-remark @+1 {{Remark="past the registers to !systolic.lds<1 x 16x32xf16, #systolic.swizzle<8, 4, 1>, #systolic.axes<16, 32>>: writes of 4 bytes, reads of 16 bytes", lds=1024, read_conflicts=0, write_conflicts=0}}
    %a = systolic.convert_layout %x : !x -> !a
    // expected-remark @+1 {{Remark="through !systolic.lds}}
    %b = systolic.convert_layout %z : !w -> !b
    %next = systolic.mma %a, %b, %acc : !a, !b -> !acc
    scf.yield %next : !acc
  }
  %u = systolic.load %X[%c0, %work] : !X -> !x
  // expected-remark @+1 {{Remark="through !systolic.lds}}
  %v = systolic.convert_layout %u : !x -> !a
  %one = arith.constant dense<1.0> : !b
  %t = systolic.mma %v, %one, %sum : !a, !b -> !acc
  systolic.store %t, %X[%c0, %c0] : !acc, !X
  systolic.return
}

// -----

// Waves that multiply a run of columns each exchange lanes within the wave: no barrier.
#x = #systolic.fragment<reg [1:8*1, 0:2*8], lane [1:8*8, 0:8*1], wave [1:2*64]>
#a = #systolic.fragment<reg [1:8*1, 1:2*32], lane [0:16*1, 1:4*8], wave [1:2*64]>
#b = #systolic.fragment<reg [0:8*1, 0:2*32], lane [1:16*1, 0:4*8], wave [0:2*64]>
#acc = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave [0:2*16]>
!X = memref<64x128xf16, #systolic.axes<M, K>>
// CHECK-LABEL: systolic.kernel @runs(
// CHECK-SAME: %[[LDS:[a-z0-9]+]]: !systolic.lds<1 x 16x128xf16, #systolic.swizzle<8, 8, 1>, #systolic.axes<16, 128>>)
// CHECK-NOT: systolic.barrier
// CHECK: %[[A:.+]] = systolic.convert_layout %{{.+}} through %[[LDS]] : {{.+}} apart :
// CHECK: systolic.mma %[[A]], %
systolic.kernel @runs(%X: !X, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1x2, cell = 16x16x32, instruction_k = 16, runs>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<32x16xf32, #acc>
  %x = systolic.load %X[%c0, %c0] : !X -> tensor<16x128xf16, #x>
  %b = systolic.load %X[%c0, %c0] transposed : !X -> tensor<128x16xf16, #b>
  // expected-remark @+1 {{Remark="through !systolic.lds<1 x 16x128xf16, #systolic.swizzle<8, 8, 1>, #systolic.axes<16, 128>>: writes of 16 bytes, reads of 16 bytes", lds=4096, read_conflicts=0, write_conflicts=0}}
  %a = systolic.convert_layout %x : tensor<16x128xf16, #x> -> tensor<16x128xf16, #a>
  %c = systolic.mma %a, %b, %zero parts 2 runs : tensor<16x128xf16, #a>, tensor<128x16xf16, #b> -> tensor<32x16xf32, #acc>
  systolic.store %c, %X[%c0, %c0] : tensor<32x16xf32, #acc>, !X
  systolic.return
}
