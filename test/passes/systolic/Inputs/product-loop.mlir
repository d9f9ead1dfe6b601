// A loop of products with eight blocks of one step, whose rows are half a line of gfx942's L1.
#x = #systolic.fragment<reg [1:8*1, 0:2*16], lane [1:4*8, 0:16*1], wave []>
#w = #systolic.fragment<reg [0:8*1, 1:2*16], lane [0:4*8, 1:16*1], wave []>
#a = #systolic.fragment<reg [1:8*1, 0:2*16], lane [0:16*1, 1:4*8], wave []>
#b = #systolic.fragment<reg [0:8*1, 1:2*16], lane [1:16*1, 0:4*8], wave []>
#acc = #systolic.fragment<reg [0:4*1, 1:2*16, 0:2*16], lane [1:16*1, 0:4*4], wave []>
!X = memref<64x256xf16, #systolic.axes<M, K>>
!lds = !systolic.lds<1 x 32x32xf16, #systolic.swizzle<8, 4, 2>, #systolic.axes<32, 32>>
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
