// matmul: C[m, n] = epilogue(sum over k of A[m, k] * B[n, k]), on the matrix cores.
//
// One work item is a BM x BN tile of C. Blocks of BK along K go through LDS, swizzled so that the cells' 16-byte reads
// spread over the banks; B stands N x K in memory, as weights do, and is read transposed. What lies outside A or B
// counts as 0, so K need not be a multiple of BK. ROWS: rows of this step, 0 = as many as the step has tokens; a work
// item past them does nothing.
// Waves: WM x WN over the tile.
!a = tensor<32x32xf32, #systolic.axes<BM, BK>>
!b = tensor<32x32xf32, #systolic.axes<BN, BK>>
!bt = tensor<32x32xf32, #systolic.axes<BK, BN>>
!c = tensor<32x32xf32, #systolic.axes<BM, BN>>
!lds_a = !systolic.lds<1 x 32x32xf32, #systolic.swizzle<4, 8>, #systolic.axes<BM, BK>>
!lds_b = !systolic.lds<1 x 32x32xf32, #systolic.swizzle<4, 8>, #systolic.axes<BN, BK>>
!A = memref<64x64xf32, #systolic.axes<M, K>>
!B = memref<64x64xf32, #systolic.axes<N, K>>
!C = memref<64x64xf32, #systolic.axes<M, N>>

module {
  func.func private @epilogue(%tile: !c, %m0: index, %n0: index) -> !c {
    return %tile : !c
  }

  systolic.kernel @matmul(%A: !A {nstf.name = "a"}, %B: !B {nstf.name = "b"}, %C: !C {nstf.name = "c"},
                          %control: memref<16xi32> {nstf.name = "control"}, %work: index, %lds_a: !lds_a, %lds_b: !lds_b)
      attributes {params = {M = 64, N = 64, K = 64, BM = 32, BN = 32, BK = 32, WM = 2, WN = 2, ROWS = 0},
                  grid = ["M", "BM", "N", "BN"]} {
    %BM = systolic.param "BM"
    %BN = systolic.param "BN"
    %BK = systolic.param "BK"
    %N = systolic.param "N"
    %K = systolic.param "K"
    %ROWS = systolic.param "ROWS"
    %c0 = arith.constant 0 : index
    %tokens = systolic.control tokens %control : memref<16xi32>
    %is_step = arith.cmpi eq, %ROWS, %c0 : index
    %rows = arith.select %is_step, %tokens, %ROWS : index
    %blocks_n = arith.ceildivui %N, %BN : index
    %block_m = arith.divui %work, %blocks_n : index
    %block_n = arith.remui %work, %blocks_n : index
    %m0 = arith.muli %block_m, %BM : index
    %n0 = arith.muli %block_n, %BN : index
    %is_inside = arith.cmpi ult, %m0, %rows : index
    %end = arith.select %is_inside, %K, %c0 : index

    %zero = arith.constant dense<0.0> : !c
    %sum = scf.for %k = %c0 to %end step %BK iter_args(%acc = %zero) -> (!c) {
      %a_global = systolic.load %A[%m0, %k] : !A -> !a
      %b_global = systolic.load %B[%n0, %k] : !B -> !b
      systolic.barrier
      systolic.write %a_global, %lds_a[%c0] : !a, !lds_a
      systolic.write %b_global, %lds_b[%c0] : !b, !lds_b
      systolic.barrier
      %a = systolic.read %lds_a[%c0] : !lds_a -> !a
      %b = systolic.read %lds_b[%c0] transposed : !lds_b -> !bt
      %next = systolic.mma %a, %b, %acc : !a, !bt -> !c
      scf.yield %next : !c
    }
    %result = func.call @epilogue(%sum, %m0, %n0) : (!c, index, index) -> !c
    systolic.store %result, %C[%m0, %n0] limit [%rows, %N] : !c, !C
    systolic.return
  }
}
