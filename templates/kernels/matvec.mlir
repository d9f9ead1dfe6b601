// matvec: C[0, n] = epilogue(sum over k of A[k] * B[n, k]), on the vector units: matmul where M is 1.
//
// One work item is BN rows of B. Each lane keeps partial sums of its own columns until the end, so that there is one
// reduction across lanes per row and not one per block. K need not be a multiple of BK.
!a = tensor<64xf32, #systolic.axes<BK>>
!b = tensor<16x64xf32, #systolic.axes<BN, BK>>
!y = tensor<16xf32, #systolic.axes<BN>>
!c = tensor<1x16xf32, #systolic.axes<1, BN>>
!A = memref<64xf32, #systolic.axes<K>>
!B = memref<64x64xf32, #systolic.axes<N, K>>
!C = memref<1x64xf32, #systolic.axes<1, N>>

module {
  func.func private @epilogue(%tile: !c, %m0: index, %n0: index) -> !c {
    return %tile : !c
  }

  systolic.kernel @matvec(%A: !A {nstf.name = "a"}, %B: !B {nstf.name = "b"}, %C: !C {nstf.name = "c"}, %work: index)
      attributes {params = {N = 64, K = 64, BN = 16, BK = 64, WM = 4, WN = 1}, grid = ["N", "BN"]} {
    %BN = systolic.param "BN"
    %BK = systolic.param "BK"
    %K = systolic.param "K"
    %c0 = arith.constant 0 : index
    %n0 = arith.muli %work, %BN : index
    %zero = arith.constant dense<0.0> : !b
    %sums = scf.for %k = %c0 to %K step %BK iter_args(%acc = %zero) -> (!b) {
      %b = systolic.load %B[%n0, %k] : !B -> !b
      %a = systolic.load %A[%k] limit [%K] : !A -> !a
      %a_rows = systolic.broadcast %a along 0 : !a -> !b
      %next = math.fma %a_rows, %b, %acc : !b
      scf.yield %next : !b
    }
    %y = systolic.reduce add %sums along 1 : !b -> !y
    %tile = systolic.broadcast %y along 0 : !y -> !c
    %result = func.call @epilogue(%tile, %c0, %n0) : (!c, index, index) -> !c
    systolic.store %result, %C[%c0, %n0] : !c, !C
    systolic.return
  }
}
