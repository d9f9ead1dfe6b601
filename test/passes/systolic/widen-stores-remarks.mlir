// Stores that stay unchanged, and why.
// RUN: nstf-opt %s -split-input-file \
// RUN:   --pass-pipeline='builtin.module(nstf-set-target{target=gfx942},systolic.kernel(systolic-widen-stores))' \
// RUN:   --remark-format=emitRemark --remarks-filter=systolic-.* -verify-diagnostics \
// RUN:   | FileCheck %s --implicit-check-not=convert_layout

// The loop that uses the array runs again and would read a stored value as an operand, so no array is free.
#acc = #systolic.fragment<reg [1:4*1, 1:8*8, 0:2*32], lane [0:32*1, 1:2*4], wave []>
#a = #systolic.fragment<reg [1:8*1, 0:2*32], lane [0:32*1, 1:2*8], wave []>
#b = #systolic.fragment<reg [0:8*1, 1:2*32], lane [1:32*1, 0:2*8], wave []>
!Y = memref<64x64xf16, #systolic.axes<M, N>>
!lds = !systolic.lds<2 x 64x16xf16, unit, #systolic.axes<BM, BK>>
// CHECK-LABEL: systolic.kernel @used
systolic.kernel @used(%Y: !Y, %lds: !lds, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1, cell = 32x32x16, instruction_k = 8, transposed>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  scf.for %i = %c0 to %work step %c1 {
    %a = systolic.read %lds[%c0] : !lds -> tensor<64x16xf16, #a>
    %b = systolic.read %lds[%c0] transposed : !lds -> tensor<16x64xf16, #b>
    %sum = systolic.mma %a, %b, %zero : tensor<64x16xf16, #a>, tensor<16x64xf16, #b> -> tensor<64x64xf32, #acc>
    // expected-remark @+1 {{[Missed] Stores | Category:systolic-widen-stores | Function=used | Remark="stores of 8 bytes a lane, 16 of a segment, stay: no LDS is free"}}
    systolic.store %sum, %Y[%c0, %c0] : tensor<64x64xf32, #acc>, !Y
  } {systolic.pipelined, systolic.plan = #systolic.plan<buffers = 1, order = merged, round = [multiply]>}
  %a = systolic.read %lds[%c0] : !lds -> tensor<64x16xf16, #a>
  %b = systolic.read %lds[%c0] transposed : !lds -> tensor<16x64xf16, #b>
  %sum = systolic.mma %a, %b, %zero : tensor<64x16xf16, #a>, tensor<16x64xf16, #b> -> tensor<64x64xf32, #acc>
  // expected-remark @+1 {{stay: no LDS is free}}
  systolic.store %sum, %Y[%c0, %c0] : tensor<64x64xf32, #acc>, !Y
  %late = systolic.read %lds[%c0] : !lds -> tensor<64x16xf16, #a>
  systolic.return
}

// -----

// A small tile is stored before an exchange would have begun. For a large one, no part that all lanes share is small
// enough for LDS.
#acc = #systolic.fragment<reg [1:4*1], lane [0:16*1, 1:4*4], wave []>
#large = #systolic.fragment<reg [1:4*1, 1:4*16], lane [0:16*1, 1:4*4], wave []>
!Y = memref<64x64xf16, #systolic.axes<M, N>>
!lds = !systolic.lds<1 x 16x16xf16, unit, #systolic.axes<BM, BK>>
!tiny = !systolic.lds<1 x 4x32xf16, unit, #systolic.axes<BM, BK>>
// CHECK-LABEL: systolic.kernel @small
systolic.kernel @small(%Y: !Y, %lds: !lds, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1, cell = 16x16x32, instruction_k = 16, transposed>} {
  %c0 = arith.constant 0 : index
  %sum = arith.constant dense<0.0> : tensor<16x16xf32, #acc>
  // expected-remark @+1 {{stay: through LDS they take 226 clocks a workgroup, as they are 64}}
  systolic.store %sum, %Y[%c0, %c0] : tensor<16x16xf32, #acc>, !Y
  systolic.return
}
// CHECK-LABEL: systolic.kernel @large
systolic.kernel @large(%Y: !Y, %lds: !tiny, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1, cell = 16x16x32, instruction_k = 16, transposed>} {
  %c0 = arith.constant 0 : index
  %sum = arith.constant dense<0.0> : tensor<16x64xf32, #large>
  // expected-remark @+1 {{stores of 8 bytes a lane, 32 of a segment, stay: no layout with longer runs goes through the LDS that is free}}
  systolic.store %sum, %Y[%c0, %c0] : tensor<16x64xf32, #large>, !Y
  systolic.return
}

// -----

// Kernels without a product, or without rows, are not the subject of this pass.
#rows = #systolic.fragment<reg [1:2*1], lane [0:8*1, 1:8*2], wave []>
!Y = memref<8x16xf16, #systolic.axes<M, N>>
// CHECK-LABEL: systolic.kernel @plain
systolic.kernel @plain(%Y: !Y, %lds: !systolic.lds<1 x 16x32xf16, unit, #systolic.axes<BM, BK>>, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64, array = #systolic.array<waves = 1x1>} {
  %c0 = arith.constant 0 : index
  %x = arith.constant dense<0.0> : tensor<8x16xf32, #rows>
  systolic.store %x, %Y[%c0, %c0] : tensor<8x16xf32, #rows>, !Y
  systolic.return
}
