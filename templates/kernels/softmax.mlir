// softmax: Y[m, n] = exp(X[m, n] - max over n) / sum over n of exp(X[m, n] - max over n).
//
// One work item is BM rows, read three times in blocks of BN columns: maximum, sum, result. ROWS: see matmul.mlir.
!x = tensor<4x256xf32, #systolic.axes<BM, BN>>
!i = tensor<4x256xi32, #systolic.axes<BM, BN>>
!r = tensor<4xf32, #systolic.axes<BM>>
!mask = tensor<4x256xi1, #systolic.axes<BM, BN>>
!X = memref<64x64xf32, #systolic.axes<M, N>>

module {
  func.func private @outside(%n0: index) -> !mask {
    %N = systolic.param "N"
    %j = systolic.iota along 1 : !i
    %n0_i32 = arith.index_cast %n0 : index to i32
    %first = systolic.broadcast %n0_i32 : i32 -> !i
    %n = arith.addi %j, %first : !i
    %N_i32 = arith.index_cast %N : index to i32
    %end = systolic.broadcast %N_i32 : i32 -> !i
    %outside = arith.cmpi uge, %n, %end : !i
    return %outside : !mask
  }

  systolic.kernel @softmax(%X: !X, %Y: !X, %control: !systolic.control, %work: index)
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
    %end = arith.select %is_inside, %N, %c0 : index

    %lowest = arith.constant dense<0xFF800000> : !x
    %zero = arith.constant dense<0.0> : !x
    %maxima = scf.for %n = %c0 to %end step %BN iter_args(%acc = %lowest) -> (!x) {
      %x = systolic.load %X[%m0, %n] : !X -> !x
      %outside = func.call @outside(%n) : (index) -> !mask
      %masked = arith.select %outside, %lowest, %x : !mask, !x
      %next = arith.maxnumf %acc, %masked : !x
      scf.yield %next : !x
    }
    %max = systolic.reduce max %maxima along 1 : !x -> !r
    %max_rows = systolic.broadcast %max along 1 : !r -> !x
    %sums = scf.for %n = %c0 to %end step %BN iter_args(%acc = %zero) -> (!x) {
      %x = systolic.load %X[%m0, %n] : !X -> !x
      %outside = func.call @outside(%n) : (index) -> !mask
      %shifted = arith.subf %x, %max_rows : !x
      %e = math.exp %shifted : !x
      %masked = arith.select %outside, %zero, %e : !mask, !x
      %next = arith.addf %acc, %masked : !x
      scf.yield %next : !x
    }
    %sum = systolic.reduce add %sums along 1 : !x -> !r
    %sum_rows = systolic.broadcast %sum along 1 : !r -> !x
    scf.for %n = %c0 to %end step %BN {
      %x = systolic.load %X[%m0, %n] : !X -> !x
      %shifted = arith.subf %x, %max_rows : !x
      %e = math.exp %shifted : !x
      %y = arith.divf %e, %sum_rows : !x
      systolic.store %y, %Y[%m0, %n] limit [%rows, %N] : !x, !X
    }
    systolic.return
  }
}
