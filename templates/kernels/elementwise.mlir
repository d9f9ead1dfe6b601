// elementwise: Y[m + p, n] = epilogue(X[m + l, n]).
//
// What a fused chain of elementwise ops, a copy into the KV cache or the choice of the last row becomes: the work is in
// the slot. LAST = 1: l = tokens - 1, the step's last row. APPEND = 1: p = the step's position, the place in a cache.
// ROWS: see matmul.mlir.
!x = tensor<4x256xf32, #systolic.axes<BM, BN>>
!X = memref<64x64xf32, #systolic.axes<MX, N>>
!Y = memref<64x64xf32, #systolic.axes<MY, N>>

module {
  func.func private @epilogue(%tile: !x, %m0: index, %n0: index) -> !x {
    return %tile : !x
  }

  systolic.kernel @elementwise(%X: !X {nstf.name = "x"}, %Y: !Y {nstf.name = "y"},
                               %control: memref<16xi32> {nstf.name = "control"}, %work: index)
      attributes {params = {M = 64, MX = 64, MY = 64, N = 64, BM = 4, BN = 256, WM = 4, WN = 1, ROWS = 0, LAST = 0,
                            APPEND = 0}, grid = ["M", "BM", "N", "BN"]} {
    %BM = systolic.param "BM"
    %BN = systolic.param "BN"
    %N = systolic.param "N"
    %ROWS = systolic.param "ROWS"
    %LAST = systolic.param "LAST"
    %APPEND = systolic.param "APPEND"
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %tokens = systolic.control tokens %control : memref<16xi32>
    %position = systolic.control position %control : memref<16xi32>
    %is_step = arith.cmpi eq, %ROWS, %c0 : index
    %rows = arith.select %is_step, %tokens, %ROWS : index
    %blocks_n = arith.ceildivui %N, %BN : index
    %block_m = arith.divui %work, %blocks_n : index
    %block_n = arith.remui %work, %blocks_n : index
    %m0 = arith.muli %block_m, %BM : index
    %n0 = arith.muli %block_n, %BN : index
    %last = arith.subi %tokens, %c1 : index
    %skipped = arith.muli %last, %LAST : index
    %x0 = arith.addi %m0, %skipped : index
    %place = arith.muli %position, %APPEND : index
    %y0 = arith.addi %m0, %place : index
    %end = arith.addi %rows, %place : index

    %x = systolic.load %X[%x0, %n0] : !X -> !x
    %result = func.call @epilogue(%x, %m0, %n0) : (!x, index, index) -> !x
    systolic.store %result, %Y[%y0, %n0] limit [%end, %N] : !x, !Y
    systolic.return
  }
}
