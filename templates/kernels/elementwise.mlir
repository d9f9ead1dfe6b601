// elementwise: Y[m, n] = epilogue(X[m + l, n]).
//
// For a fused chain of elementwise ops, or for the choice of the last row; the computation is in the slot. LAST = 1:
// l = tokens - 1, the step's last row. MX: rows of X. ROWS: see matmul.mlir.
!x = tensor<4x256xf32, #systolic.axes<BM, BN>>
!X = memref<64x64xf32, #systolic.axes<MX, N>>
!Y = memref<64x64xf32, #systolic.axes<M, N>>

module {
  func.func private @epilogue(%tile: !x, %m0: index, %n0: index) -> !x {
    return %tile : !x
  }

  systolic.kernel @elementwise(%X: !X, %Y: !Y, %control: !systolic.control, %block_m: index, %block_n: index)
      attributes {launch = #systolic.launch<[x, y, control]>,
                  params = {M = 64, MX = 64, N = 64, BM = 4, BN = 256, ROWS = 0, LAST = 0},
                  schedule = #systolic.schedule<waves = 4x1>,
                  grid = ["M", "BM", "N", "BN"]} {
    %BM = systolic.param "BM"
    %BN = systolic.param "BN"
    %N = systolic.param "N"
    %LAST = systolic.param "LAST"
    %c1 = arith.constant 1 : index
    %tokens = systolic.control tokens %control
    %rows = systolic.control rows %control
    %m0 = arith.muli %block_m, %BM : index
    %n0 = arith.muli %block_n, %BN : index
    %last = arith.subi %tokens, %c1 : index
    %skipped = arith.muli %last, %LAST : index
    %x0 = arith.addi %m0, %skipped : index

    %x = systolic.load %X[%x0, %n0] : !X -> !x
    %result = func.call @epilogue(%x, %m0, %n0) : (!x, index, index) -> !x
    systolic.store %result, %Y[%m0, %n0] limit [%rows, %N] : !x, !Y
    systolic.return
  }
}
