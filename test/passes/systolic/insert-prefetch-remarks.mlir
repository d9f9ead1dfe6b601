// Remarks of systolic-insert-prefetch: what changes in a loop, and why others stay.
// RUN: nstf-opt %s -split-input-file --pass-pipeline='builtin.module(nstf-set-target{target=gfx942}, \
// RUN:     systolic.kernel(systolic-plan-loops,systolic-insert-prefetch))' --remark-format=emitRemark \
// RUN:   --remarks-filter=systolic-.* -verify-diagnostics -o %t

#x = #systolic.fragment<reg [1:8*1, 0:2*16], lane [1:4*8, 0:16*1], wave []>
#a = #systolic.fragment<reg [1:8*1, 1:2*16], lane [0:32*1, 1:2*8], wave []>
#b = #systolic.fragment<reg [0:8*1, 0:2*16], lane [1:32*1, 0:2*8], wave []>
#acc = #systolic.fragment<reg [0:4*1, 0:4*8], lane [1:32*1, 0:2*4], wave []>
!X = memref<64x128xf16, #systolic.axes<M, K>>
!lds = !systolic.lds<1 x 32x32xf16, #systolic.swizzle<8, 4, 2>, #systolic.axes<32, 32>>
systolic.kernel @loops(%X: !X, %work: index, %lds: !lds)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1, cell = 32x32x16, instruction_k = 8>} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #acc>
  // expected-remark @+1 {{[Passed] Plan | Category:systolic-plan-loops | Function=loops | Remark="a block is loaded two blocks and written to LDS one block before its products", buffers=2, bytes_in_flight=2048, bytes_needed=4999, cover=256, cover_needed=788, distance=2, distance_needed=7, lds=4096, registers=}}
  %sum = scf.for %k = %c0 to %c128 step %c32 iter_args(%acc = %zero) -> (tensor<32x32xf32, #acc>) {
    %x = systolic.load %X[%c0, %k] : !X -> tensor<32x32xf16, #x>
    systolic.barrier
    systolic.write %x, %lds[%c0] : tensor<32x32xf16, #x>, !lds
    systolic.barrier
    %a = systolic.read %lds[%c0] : !lds -> tensor<32x32xf16, #a>
    %b = systolic.read %lds[%c0] transposed : !lds -> tensor<32x32xf16, #b>
    %next = systolic.mma %a, %b, %acc : tensor<32x32xf16, #a>, tensor<32x32xf16, #b> -> tensor<32x32xf32, #acc>
    scf.yield %next : tensor<32x32xf32, #acc>
  }
  systolic.store %sum, %X[%c0, %c0] : tensor<32x32xf32, #acc>, !X
  systolic.return
}

// -----

#x = #systolic.fragment<reg [1:8*1, 0:2*16], lane [1:4*8, 0:16*1], wave []>
#a = #systolic.fragment<reg [1:8*1, 1:2*16], lane [0:32*1, 1:2*8], wave []>
#b = #systolic.fragment<reg [0:8*1, 0:2*16], lane [1:32*1, 0:2*8], wave []>
#acc = #systolic.fragment<reg [0:4*1, 0:4*8], lane [1:32*1, 0:2*4], wave []>
!X = memref<64x128xf16, #systolic.axes<M, K>>
!lds = !systolic.lds<1 x 32x32xf16, #systolic.swizzle<8, 4, 2>, #systolic.axes<32, 32>>
systolic.kernel @refused(%X: !X, %work: index, %lds: !lds, %other: !lds)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1, cell = 32x32x16, instruction_k = 8>} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #acc>
  // expected-remark @+1 {{[Missed] Plan | Category:systolic-plan-loops | Function=refused | Remark="it has no more than one block"}}
  %one = scf.for %k = %c0 to %c32 step %c32 iter_args(%acc = %zero) -> (tensor<32x32xf32, #acc>) {
    %x = systolic.load %X[%c0, %k] : !X -> tensor<32x32xf16, #x>
    systolic.barrier
    systolic.write %x, %lds[%c0] : tensor<32x32xf16, #x>, !lds
    systolic.barrier
    %a = systolic.read %lds[%c0] : !lds -> tensor<32x32xf16, #a>
    %b = systolic.read %lds[%c0] transposed : !lds -> tensor<32x32xf16, #b>
    %next = systolic.mma %a, %b, %acc : tensor<32x32xf16, #a>, tensor<32x32xf16, #b> -> tensor<32x32xf32, #acc>
    scf.yield %next : tensor<32x32xf32, #acc>
  }
  // The sum does not begin with zeros, so there is no pipeline.
  // expected-remark @+1 {{Remark="tiles are loaded a round before"}}
  %sum = scf.for %k = %c0 to %c128 step %c32 iter_args(%acc = %one) -> (tensor<32x32xf32, #acc>) {
    %x = systolic.load %X[%c0, %k] : !X -> tensor<32x32xf16, #x>
    systolic.barrier
    systolic.write %x, %other[%c0] : tensor<32x32xf16, #x>, !lds
    systolic.barrier
    %a = systolic.read %other[%c0] : !lds -> tensor<32x32xf16, #a>
    %b = systolic.read %other[%c0] transposed : !lds -> tensor<32x32xf16, #b>
    %doubled = arith.addf %acc, %acc : tensor<32x32xf32, #acc>
    %next = systolic.mma %a, %b, %doubled : tensor<32x32xf16, #a>, tensor<32x32xf16, #b> -> tensor<32x32xf32, #acc>
    scf.yield %next : tensor<32x32xf32, #acc>
  }
  // expected-remark @+1 {{Remark="tiles are loaded a round before", buffers=1, bytes_in_flight=4096,}}
  %direct = scf.for %k = %c0 to %c128 step %c32 iter_args(%acc = %sum) -> (tensor<32x32xf32, #acc>) {
    %a = systolic.load %X[%c0, %k] : !X -> tensor<32x32xf16, #a>
    %b = systolic.load %X[%k, %c0] : !X -> tensor<32x32xf16, #b>
    %next = systolic.mma %a, %b, %acc : tensor<32x32xf16, #a>, tensor<32x32xf16, #b> -> tensor<32x32xf32, #acc>
    scf.yield %next : tensor<32x32xf32, #acc>
  }
  systolic.store %direct, %X[%c0, %c0] : tensor<32x32xf32, #acc>, !X
  systolic.return
}

// -----

// The registers would not suffice.
#x = #systolic.fragment<reg [1:8*1, 0:64*8], lane [1:4*8, 0:8*1, -1:2*0], wave []>
#a = #systolic.fragment<reg [1:8*1, 1:2*16, 0:16*32], lane [0:32*1, 1:2*8], wave []>
#b = #systolic.fragment<reg [0:8*1, 0:2*16, 1:16*32], lane [1:32*1, 0:2*8], wave []>
#acc = #systolic.fragment<reg [0:4*1, 0:4*8, 1:16*32, 0:16*32], lane [1:32*1, 0:2*4], wave []>
!X = memref<1024x128xf16, #systolic.axes<M, K>>
!lds = !systolic.lds<1 x 512x32xf16, #systolic.swizzle<8, 4, 2>, #systolic.axes<512, 32>>
systolic.kernel @large(%X: !X, %work: index, %lds: !lds)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1, cell = 32x32x16, instruction_k = 8>} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<512x512xf32, #acc>
  // expected-remark @+1 {{Remark="sums, operands and what is on its way would take 4608 of 488 registers"}}
  %sum = scf.for %k = %c0 to %c128 step %c32 iter_args(%acc = %zero) -> (tensor<512x512xf32, #acc>) {
    %x = systolic.load %X[%c0, %k] : !X -> tensor<512x32xf16, #x>
    systolic.barrier
    systolic.write %x, %lds[%c0] : tensor<512x32xf16, #x>, !lds
    systolic.barrier
    %a = systolic.read %lds[%c0] : !lds -> tensor<512x32xf16, #a>
    %b = systolic.read %lds[%c0] transposed : !lds -> tensor<32x512xf16, #b>
    %next = systolic.mma %a, %b, %acc : tensor<512x32xf16, #a>, tensor<32x512xf16, #b> -> tensor<512x512xf32, #acc>
    scf.yield %next : tensor<512x512xf32, #acc>
  }
  systolic.store %sum, %X[%c0, %c0] : tensor<512x512xf32, #acc>, !X
  systolic.return
}

// -----

// expected-error @+1 {{expected array and wave_size (systolic-select-array) but got none}}
systolic.kernel @early(%work: index) attributes {params = {}, grid = []} {
  systolic.return
}
