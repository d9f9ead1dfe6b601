// A block that exceeds the lines of the L1 is not prefetched if a wave is alone on its SIMD: the loads would wait for
// free lines, and the products after them.
// RUN: nstf-opt %s -split-input-file --pass-pipeline='builtin.module(nstf-set-target{target=gfx90a}, \
// RUN:     systolic.kernel(systolic-plan-loops,systolic-insert-prefetch))' --remark-format=emitRemark \
// RUN:   --remarks-filter=systolic-.* -verify-diagnostics -o %t

#x = #systolic.fragment<reg [1:8*1, 0:64*8], lane [1:4*8, 0:8*1, -1:2*0], wave []>
#a = #systolic.fragment<reg [1:8*1, 1:2*16, 0:16*32], lane [0:32*1, 1:2*8], wave []>
#b = #systolic.fragment<reg [0:8*1, 0:2*16, 1:16*32], lane [1:32*1, 0:2*8], wave []>
#acc = #systolic.fragment<reg [0:4*1, 0:4*8, 1:16*32, 0:16*32], lane [1:32*1, 0:2*4], wave []>
!X = memref<1024x128xf16, #systolic.axes<M, K>>
!lds = !systolic.lds<1 x 512x32xf16, #systolic.swizzle<8, 4, 2>, #systolic.axes<512, 32>>
systolic.kernel @cache(%X: !X, %work: index, %lds: !lds)
    attributes {params = {}, grid = [], wave_size = 64 : i64,
                array = #systolic.array<waves = 1x1, cell = 32x32x16, instruction_k = 8>} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<512x512xf32, #acc>
  // expected-remark @+1 {{Remark="a block of 32768 bytes would be on its way, the L1 of gfx90a has lines for 16384, and no other wave would make products meanwhile"}}
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
