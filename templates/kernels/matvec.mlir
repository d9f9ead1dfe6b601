// matvec: Y[0, n] = epilogue(sum over k of X[k] * W[n, k]), on the vector units: matmul where M is 1.
//
// One work item is BN rows of W. Each lane keeps partial sums of its own columns until the end, so that there is one
// reduction across lanes per row and not one per block. K need not be a multiple of BK.
!x = tensor<64xf32, #systolic.axes<BK>>
!w = tensor<16x64xf32, #systolic.axes<BN, BK>>
!sum = tensor<16xf32, #systolic.axes<BN>>
!y = tensor<1x16xf32, #systolic.axes<1, BN>>
!X = memref<64xf32, #systolic.axes<K>>
!W = memref<64x64xf32, #systolic.axes<N, K>>
!Y = memref<1x64xf32, #systolic.axes<1, N>>

module {
  func.func private @epilogue(%tile: !y, %m0: index, %n0: index) -> !y {
    return %tile : !y
  }

  systolic.kernel @matvec(%X: !X, %W: !W, %Y: !Y, %control: !systolic.control, %work: index)
      attributes {launch = #systolic.launch<[x, w, y, control]>,
                  params = {N = 64, K = 64, BN = 16, BK = 64, WM = 4, WN = 1}, grid = ["N", "BN"]} {
    %BN = systolic.param "BN"
    %BK = systolic.param "BK"
    %K = systolic.param "K"
    %c0 = arith.constant 0 : index
    %n0 = arith.muli %work, %BN : index
    %zero = arith.constant dense<0.0> : !w
    %sums = scf.for %k = %c0 to %K step %BK iter_args(%acc = %zero) -> (!w) {
      %w = systolic.load %W[%n0, %k] : !W -> !w
      %x = systolic.load %X[%k] limit [%K] : !X -> !x
      %x_rows = systolic.broadcast %x along 0 : !x -> !w
      %next = math.fma %x_rows, %w, %acc : !w
      scf.yield %next : !w
    }
    %sum = systolic.reduce add %sums along 1 : !w -> !sum
    %tile = systolic.broadcast %sum along 0 : !sum -> !y
    %result = func.call @epilogue(%tile, %c0, %n0) : (!y, index, index) -> !y
    systolic.store %result, %Y[%c0, %n0] : !y, !Y
    systolic.return
  }
}
