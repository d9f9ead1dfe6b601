// mean_rows: Y[0, n] = epilogue(mean over m of X[m, n]), over the rows of the step.
//
// One work item is BN columns, read in blocks of BM rows: each row of the block sums every BM-th row, then the rows of
// the block are added. ROWS: see matmul.mlir.
!x = tensor<4x64xf32, #systolic.axes<BM, BN>>
!c = tensor<64xf32, #systolic.axes<BN>>
!X = memref<64x64xf32, #systolic.axes<M, N>>
!Y = memref<1x64xf32, #systolic.axes<1, N>>

module {
  func.func private @epilogue(%tile: !x, %m0: index, %n0: index) -> !x {
    return %tile : !x
  }

  systolic.kernel @mean_rows(%X: !X, %Y: !Y, %control: !systolic.control, %work: index)
      attributes {launch = #systolic.launch<[x, y, control]>,
                  params = {M = 64, N = 64, BM = 4, BN = 64, ROWS = 0},
                  schedule = #systolic.schedule<waves = 4x1>, grid = ["N", "BN"]} {
    %BM = systolic.param "BM"
    %BN = systolic.param "BN"
    %N = systolic.param "N"
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %rows = systolic.control rows %control
    %n0 = arith.muli %work, %BN : index

    // Rows past the step's last read as zeros.
    %zero = arith.constant dense<0.0> : !x
    %sums = scf.for %m = %c0 to %rows step %BM iter_args(%acc = %zero) -> (!x) {
      %x = systolic.load %X[%m, %n0] limit [%rows, %N] : !X -> !x
      %next = arith.addf %acc, %x : !x
      scf.yield %next : !x
    }
    %sum = systolic.reduce add %sums along 0 : !x -> !c
    %rows_i32 = arith.index_cast %rows : index to i32
    %rows_f32 = arith.uitofp %rows_i32 : i32 to f32
    %count = systolic.broadcast %rows_f32 : f32 -> !c
    %mean = arith.divf %sum, %count : !c
    // Slots take tiles of rows; only the first row is stored.
    %means = systolic.broadcast %mean along 0 : !c -> !x
    %result = func.call @epilogue(%means, %c0, %n0) : (!x, index, index) -> !x
    systolic.store %result, %Y[%c0, %n0] limit [%c1, %N] : !x, !Y
    systolic.return
  }
}
