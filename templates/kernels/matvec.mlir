// matvec: Y[0, n] = epilogue(sum over k of X[0, k] * W[n, k]), on the vector units: a matmul whose M is 1.
//
// One work item is BN rows of W, which share the loads of X. Each lane keeps partial sums of its own columns until the
// end, BS for each row of BK, so that each row needs one reduction across lanes and not one per block. BK / BS is the number
// of adjacent columns that a lane loads. K need not be a multiple of BK. OPERAND: the type of X and W;
// sums are f32, or i32 for i8.
!x = tensor<1x64x!systolic.operand, #systolic.axes<1, BK>>
!w = tensor<16x64x!systolic.operand, #systolic.axes<BN, BK>>
!sums = tensor<16x8x!systolic.accumulator, #systolic.axes<BN, BS>>
!sum = tensor<16x!systolic.accumulator, #systolic.axes<BN>>
!y = tensor<1x16x!systolic.accumulator, #systolic.axes<1, BN>>
!X = memref<1x64x!systolic.operand, #systolic.axes<1, K>>
!W = memref<64x64x!systolic.operand, #systolic.axes<N, K>>
!Y = memref<1x64x!systolic.accumulator, #systolic.axes<1, N>>

module {
  func.func private @epilogue(%tile: !y, %m0: index, %n0: index) -> !y {
    return %tile : !y
  }

  systolic.kernel @matvec(%X: !X, %W: !W, %Y: !Y, %control: !systolic.control, %work: index)
      attributes {launch = #systolic.launch<[x, w, y, control]>,
                  params = {N = 64, K = 64, BN = 16, BK = 64, BS = 8, OPERAND = f16},
                  schedule = #systolic.schedule<waves = 4x1>, grid = ["N", "BN"]} {
    %BN = systolic.param "BN"
    %BK = systolic.param "BK"
    %K = systolic.param "K"
    %c0 = arith.constant 0 : index
    %n0 = arith.muli %work, %BN : index
    %zero = arith.constant dense<0.0> : !sums
    %sums = scf.for %k = %c0 to %K step %BK iter_args(%acc = %zero) -> (!sums) {
      %x = systolic.load %X[%c0, %k] : !X -> !x
      %w = systolic.load %W[%n0, %k] : !W -> !w
      %next = systolic.dot %w, %x, %acc : !w, !x -> !sums
      scf.yield %next : !sums
    }
    %sum = systolic.reduce add %sums along 1 : !sums -> !sum
    %tile = systolic.broadcast %sum along 0 : !sum -> !y
    %result = func.call @epilogue(%tile, %c0, %n0) : (!y, index, index) -> !y
    systolic.store %result, %Y[%c0, %n0] : !y, !Y
    systolic.return
  }
}
