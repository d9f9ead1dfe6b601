// matmul: Y[m, n] = epilogue(sum over k of X[m, k] * W[n, k]), on the matrix cores.
//
// One work item is a BM x BN tile of Y; its products are computed in blocks of BK along K. W is N x K in memory, as
// weights are, and is loaded transposed. Elements outside X or W count as 0, so K need not be a multiple of BK. ROWS: rows
// of this step; 0: the step's number of tokens. A work item beyond the rows does nothing.
// OPERAND: the type of X and W; sums are f32, or i32 for i8.
// The schedule's `sum` counts blocks of BK; its `waves` are along BM, BN and BK.
!x = tensor<32x32x!systolic.operand, #systolic.axes<BM, BK>>
!wt = tensor<32x32x!systolic.operand, #systolic.axes<BK, BN>>
!y = tensor<32x32x!systolic.accumulator, #systolic.axes<BM, BN>>
!X = memref<64x64x!systolic.operand, #systolic.axes<M, K>>
!W = memref<64x64x!systolic.operand, #systolic.axes<N, K>>
!Y = memref<64x64x!systolic.accumulator, #systolic.axes<M, N>>

module {
  func.func private @epilogue(%tile: !y, %m0: index, %n0: index) -> !y {
    return %tile : !y
  }

  systolic.kernel @matmul(%X: !X, %W: !W, %Y: !Y, %control: !systolic.control, %block_m: index, %block_n: index)
      attributes {launch = #systolic.launch<[x, w, y, control]>,
                  params = {M = 64, N = 64, K = 64, BM = 32, BN = 32, BK = 32, ROWS = 0, OPERAND = f16},
                  schedule = #systolic.schedule<waves = 2x2, sum = 16>,
                  tune = {BM = [16, 32, 64, 96, 128, 160, 192, 224, 256],
                          BN = [16, 32, 48, 64, 96, 112, 128, 160, 192, 224, 256],
                          BK = [16, 32, 64, 128, 256, 512],
                          waves = ["1x1x4", "1x1x8", "1x1x16", "1x2", "1x2x4", "1x4", "1x4x2", "1x4x4", "2x2", "2x2x2",
                                   "2x4", "4x1", "4x2", "4x4"],
                          ahead = ["1", "2", "3"]},
                  grid = ["M", "BM", "N", "BN"]} {
    %BM = systolic.param "BM"
    %BN = systolic.param "BN"
    %BK = systolic.param "BK"
    %N = systolic.param "N"
    %K = systolic.param "K"
    %c0 = arith.constant 0 : index
    %rows = systolic.control rows %control
    %m0 = arith.muli %block_m, %BM : index
    %n0 = arith.muli %block_n, %BN : index
    %is_inside = arith.cmpi ult, %m0, %rows : index
    %end = arith.select %is_inside, %K, %c0 : index

    %zero = arith.constant dense<0.0> : !y
    %sum = scf.for %k = %c0 to %end step %BK iter_args(%acc = %zero) -> (!y) {
      %x = systolic.load %X[%m0, %k] : !X -> !x
      %w = systolic.load %W[%n0, %k] transposed : !W -> !wt
      %next = systolic.mma %x, %w, %acc : !x, !wt -> !y
      scf.yield %next : !y
    }
    %result = func.call @epilogue(%sum, %m0, %n0) : (!y, index, index) -> !y
    systolic.store %result, %Y[%m0, %n0] limit [%rows, %N] : !y, !Y
    systolic.return
  }
}
