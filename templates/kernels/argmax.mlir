// argmax: Y[m] = the first n where X[m, n] is largest.
//
// One work item is BM rows. Each lane keeps the largest value of its own columns. At the end the largest value of all
// lanes is found, and the smallest index among the lanes that have it. NaN never wins. ROWS: see matmul.mlir.
!x = tensor<4x256xf32, #systolic.axes<BM, BN>>
!i = tensor<4x256xi32, #systolic.axes<BM, BN>>
!mask = tensor<4x256xi1, #systolic.axes<BM, BN>>
!r = tensor<4xf32, #systolic.axes<BM>>
!n = tensor<4xi32, #systolic.axes<BM>>
!X = memref<64x64xf32, #systolic.axes<M, N>>
!Y = memref<64xi32, #systolic.axes<M>>

module {
  systolic.kernel @argmax(%X: !X, %Y: !Y, %control: !systolic.control, %work: index)
      attributes {launch = #systolic.launch<[x, y, control]>,
                  params = {M = 64, N = 64, BM = 4, BN = 256, ROWS = 0},
                  schedule = #systolic.schedule<waves = 4x1>, grid = ["M", "BM"]} {
    %BM = systolic.param "BM"
    %BN = systolic.param "BN"
    %N = systolic.param "N"
    %c0 = arith.constant 0 : index
    %rows = systolic.control rows %control
    %m0 = arith.muli %work, %BM : index
    %is_inside = arith.cmpi ult, %m0, %rows : index
    %stop = arith.select %is_inside, %N, %c0 : index
    %N_i32 = arith.index_cast %N : index to i32
    %end = systolic.broadcast %N_i32 : i32 -> !i
    %j = systolic.iota along 1 : !i

    %lowest = arith.constant dense<0xFF800000> : !x
    %none = arith.constant dense<2147483647> : !i
    %best:2 = scf.for %n0 = %c0 to %stop step %BN iter_args(%value = %lowest, %place = %none) -> (!x, !i) {
      %x = systolic.load %X[%m0, %n0] : !X -> !x
      %n0_i32 = arith.index_cast %n0 : index to i32
      %first = systolic.broadcast %n0_i32 : i32 -> !i
      %n = arith.addi %j, %first : !i
      %is_column = arith.cmpi ult, %n, %end : !i
      %is_larger = arith.cmpf ogt, %x, %value : !x
      %is_better = arith.andi %is_column, %is_larger : !mask
      %next_value = arith.select %is_better, %x, %value : !mask, !x
      %next_place = arith.select %is_better, %n, %place : !mask, !i
      scf.yield %next_value, %next_place : !x, !i
    }
    %max = systolic.reduce max %best#0 along 1 : !x -> !r
    %max_rows = systolic.broadcast %max along 1 : !r -> !x
    %is_max = arith.cmpf oeq, %best#0, %max_rows : !x
    %candidates = arith.select %is_max, %best#1, %none : !mask, !i
    %winner = systolic.reduce min %candidates along 1 : !i -> !n
    // A row with only NaN and -inf has no largest value: the result is its first column.
    %none_row = arith.constant dense<2147483647> : !n
    %zero_row = arith.constant dense<0> : !n
    %is_none = arith.cmpi eq, %winner, %none_row : !n
    %result = arith.select %is_none, %zero_row, %winner : tensor<4xi1, #systolic.axes<BM>>, !n
    systolic.store %result, %Y[%m0] limit [%rows] : !n, !Y
    systolic.return
  }
}
