// Remarks of systolic-stage-operands: widths and conflicts, conflicts that no swizzle avoids, and arrays that do not
// fit in LDS.
// RUN: nstf-opt %s -split-input-file \
// RUN:   --pass-pipeline='builtin.module(nstf-set-target{target=gfx942},systolic.kernel(systolic-stage-operands))' \
// RUN:   --remark-format=emitRemark --remarks-filter=systolic-.* -verify-diagnostics -o %t

#x = #systolic.fragment<reg [1:8*1, 0:4*8], lane [1:8*8, 0:8*1], wave []>
#w = #systolic.fragment<reg [1:8*1, 0:4*16], lane [1:4*8, 0:16*1], wave []>
#a = #systolic.fragment<reg [1:8*1, 1:4*16], lane [0:32*1, 1:2*8], wave []>
#b = #systolic.fragment<reg [0:8*1, 0:4*16], lane [1:32*1, 0:2*8], wave []>
#acc = #systolic.fragment<reg [0:4*1, 0:4*8], lane [1:32*1, 0:2*4], wave []>
!X = memref<64x64xf16, #systolic.axes<M, K>>
systolic.kernel @product(%X: !X, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1, cell = 32x32x16, instruction_k = 8>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #acc>
  %x = systolic.load %X[%c0, %c0] : !X -> tensor<32x64xf16, #x>
  %w = systolic.load %X[%c0, %c0] : !X -> tensor<64x32xf16, #w>
  // expected-remark @+1 {{[Passed] Stage | Category:systolic-stage-operands | Function=product | Remark="through !systolic.lds<1 x 32x64xf16, #systolic.swizzle<8, 8, 1>, #systolic.axes<32, 64>>: writes of 16 bytes, reads of 16 bytes", lds=4096, read_conflicts=0, write_conflicts=0}}
  %a = systolic.convert_layout %x : tensor<32x64xf16, #x> -> tensor<32x64xf16, #a>
  // K runs along columns of memory: lanes transpose patches of two by eight elements on the way.
  // expected-remark @+1 {{writes of 16 bytes, reads of 16 bytes", lds=4096}}
  %b = systolic.convert_layout %w : tensor<64x32xf16, #w> -> tensor<64x32xf16, #b>
  %c = systolic.mma %a, %b, %zero : tensor<32x64xf16, #a>, tensor<64x32xf16, #b> -> tensor<32x32xf32, #acc>
  systolic.store %c, %X[%c0, %c0] : tensor<32x32xf32, #acc>, !X
  systolic.return
}

// -----

// A takes 32 KiB; the 64 KiB of B exceed the rest.
#x = #systolic.fragment<reg [1:8*1, 0:32*8], lane [1:8*8, 0:8*1], wave []>
#w = #systolic.fragment<reg [0:8*1, 1:64*8], lane [0:8*8, 1:8*1], wave []>
#a = #systolic.fragment<reg [1:8*1, 1:4*16, 0:8*32], lane [0:32*1, 1:2*8], wave []>
#b = #systolic.fragment<reg [0:8*1, 0:4*16, 1:16*32], lane [1:32*1, 0:2*8], wave []>
#acc = #systolic.fragment<reg [0:4*1, 0:4*8, 1:16*32, 0:8*32], lane [1:32*1, 0:2*4], wave []>
!X = memref<512x512xf16, #systolic.axes<M, K>>
systolic.kernel @large(%X: !X, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1, cell = 32x32x16, instruction_k = 8>} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<256x512xf32, #acc>
  %x = systolic.load %X[%c0, %c0] : !X -> tensor<256x64xf16, #x>
  %w = systolic.load %X[%c0, %c0] transposed : !X -> tensor<64x512xf16, #w>
  // expected-remark @+1 {{lds=32768, read_conflicts=0, write_conflicts=0}}
  %a = systolic.convert_layout %x : tensor<256x64xf16, #x> -> tensor<256x64xf16, #a>
  // expected-remark @+1 {{[Missed] Stage | Category:systolic-stage-operands | Function=large | Remark="65536 bytes of LDS are more than is left"}}
  %b = systolic.convert_layout %w : tensor<64x512xf16, #w> -> tensor<64x512xf16, #b>
  %c = systolic.mma %a, %b, %zero : tensor<256x64xf16, #a>, tensor<64x512xf16, #b> -> tensor<256x512xf32, #acc>
  systolic.store %c, %X[%c0, %c0] : tensor<256x512xf32, #acc>, !X
  systolic.return
}

// -----

// Crews have no arrays.
#x = #systolic.fragment<reg [1:8*1, 0:4*8], lane [1:8*8, 0:8*1], wave []>
#a = #systolic.fragment<reg [1:8*1, 1:4*16], lane [0:32*1, 1:2*8], wave []>
#b = #systolic.fragment<reg [0:8*1, 0:4*16], lane [1:32*1, 0:2*8], wave []>
#acc = #systolic.fragment<reg [0:4*1, 0:4*8], lane [1:32*1, 0:2*4], wave []>
!X = memref<64x64xf16, #systolic.axes<M, K>>
systolic.kernel @crews(%X: !X, %work: index)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1, cell = 32x32x16, instruction_k = 8>} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %crew = systolic.crew of %c2
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #acc>
  %b = arith.constant dense<1.0> : tensor<64x32xf16, #b>
  %x = systolic.load %X[%crew, %c0] : !X -> tensor<32x64xf16, #x>
  // expected-remark @+1 {{[Missed] Stage | Category:systolic-stage-operands | Function=crews | Remark="4096 bytes of LDS are more than is left"}}
  %a = systolic.convert_layout %x : tensor<32x64xf16, #x> -> tensor<32x64xf16, #a>
  %c = systolic.mma %a, %b, %zero : tensor<32x64xf16, #a>, tensor<64x32xf16, #b> -> tensor<32x32xf32, #acc>
  systolic.store %c, %X[%c0, %c0] : tensor<32x32xf32, #acc>, !X
  systolic.return
}
