// l2_normalize: Y[m, n] = epilogue(X[m, n] / max(sqrt(sum over n of X[m, n]^2), eps)).
//
// One work item is BM rows, read three times in blocks of BN columns: largest magnitude, sum, result. Numbers are divided
// by the largest magnitude before they are squared, so that no square overflows or vanishes. ROWS: see matmul.mlir.
!x = tensor<4x256xf32, #systolic.axes<BM, BN>>
!r = tensor<4xf32, #systolic.axes<BM>>
!mask = tensor<4xi1, #systolic.axes<BM>>
!X = memref<64x64xf32, #systolic.axes<M, N>>

module {
  func.func private @epilogue(%tile: !x, %m0: index, %n0: index) -> !x {
    return %tile : !x
  }

  systolic.kernel @l2_normalize(%X: !X, %Y: !X, %control: !systolic.control, %work: index)
      attributes {launch = #systolic.launch<[x, y, control]>,
                  params = {M = 64, N = 64, BM = 4, BN = 256, ROWS = 0, EPS = 1.0e-12 : f32},
                  schedule = #systolic.schedule<waves = 4x1>, grid = ["M", "BM"]} {
    %BM = systolic.param "BM"
    %BN = systolic.param "BN"
    %N = systolic.param "N"
    %EPS = systolic.param "EPS" : f32
    %c0 = arith.constant 0 : index
    %rows = systolic.control rows %control
    %m0 = arith.muli %work, %BM : index
    %is_inside = arith.cmpi ult, %m0, %rows : index
    %end = arith.select %is_inside, %N, %c0 : index

    %zero = arith.constant dense<0.0> : !x
    %maxima = scf.for %n = %c0 to %end step %BN iter_args(%acc = %zero) -> (!x) {
      %x = systolic.load %X[%m0, %n] : !X -> !x
      %magnitude = math.absf %x : !x
      %next = arith.maxnumf %acc, %magnitude : !x
      scf.yield %next : !x
    }
    %max = systolic.reduce max %maxima along 1 : !x -> !r
    %zero_r = arith.constant dense<0.0> : !r
    %one = arith.constant dense<1.0> : !r
    %is_zero = arith.cmpf oeq, %max, %zero_r : !r
    %unit = arith.select %is_zero, %one, %max : !mask, !r
    %units = systolic.broadcast %unit along 1 : !r -> !x
    %squares = scf.for %n = %c0 to %end step %BN iter_args(%acc = %zero) -> (!x) {
      %x = systolic.load %X[%m0, %n] : !X -> !x
      %part = arith.divf %x, %units : !x
      %next = math.fma %part, %part, %acc : !x
      scf.yield %next : !x
    }
    %sum = systolic.reduce add %squares along 1 : !x -> !r
    %root = math.sqrt %sum : !r
    %eps = systolic.broadcast %EPS : f32 -> !r
    // The length is root·unit, which may exceed the range of f32, so the result is divided by both.
    %length = arith.mulf %root, %unit : !r
    %is_short = arith.cmpf olt, %length, %eps : !r
    %first = arith.select %is_short, %eps, %unit : !mask, !r
    %second = arith.select %is_short, %one, %root : !mask, !r
    %firsts = systolic.broadcast %first along 1 : !r -> !x
    %seconds = systolic.broadcast %second along 1 : !r -> !x

    scf.for %n = %c0 to %end step %BN {
      %x = systolic.load %X[%m0, %n] : !X -> !x
      %part = arith.divf %x, %firsts : !x
      %y = arith.divf %part, %seconds : !x
      %result = func.call @epilogue(%y, %m0, %n) : (!x, index, index) -> !x
      systolic.store %result, %Y[%m0, %n] limit [%rows, %N] : !x, !X
    }
    systolic.return
  }
}
