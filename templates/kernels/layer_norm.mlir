// layer_norm: Y[m, n] = epilogue((X[m, n] - mean) * W[n] / sqrt(variance + eps)), with mean = mean over n of X[m, n]
// and variance = mean over n of (X[m, n] - mean)^2. A bias is part of the epilogue.
//
// One work item is BM rows, read three times in blocks of BN columns: mean, variance, result. The variance is computed
// from differences: if the mean is large, mean square minus squared mean has no significant digits left.
// ROWS: see matmul.mlir.
!x = tensor<4x256xf32, #systolic.axes<BM, BN>>
!i = tensor<4x256xi32, #systolic.axes<BM, BN>>
!w = tensor<256xf32, #systolic.axes<BN>>
!r = tensor<4xf32, #systolic.axes<BM>>
!mask = tensor<4x256xi1, #systolic.axes<BM, BN>>
!W = memref<64xf32, #systolic.axes<N>>
!X = memref<64x64xf32, #systolic.axes<M, N>>

module {
  func.func private @epilogue(%tile: !x, %m0: index, %n0: index) -> !x {
    return %tile : !x
  }

  systolic.kernel @layer_norm(%X: !X, %W: !W, %Y: !X, %control: !systolic.control, %work: index)
      attributes {launch = #systolic.launch<[x, weight, y, control]>,
                  params = {M = 64, N = 64, BM = 4, BN = 256, ROWS = 0, EPS = 1.0e-5 : f32},
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
    %N_i32 = arith.index_cast %N : index to i32
    %N_f32 = arith.uitofp %N_i32 : i32 to f32
    %count = systolic.broadcast %N_f32 : f32 -> !r

    %zero = arith.constant dense<0.0> : !x
    %sums = scf.for %n = %c0 to %end step %BN iter_args(%acc = %zero) -> (!x) {
      %x = systolic.load %X[%m0, %n] : !X -> !x
      %next = arith.addf %acc, %x : !x
      scf.yield %next : !x
    }
    %sum = systolic.reduce add %sums along 1 : !x -> !r
    %mean = arith.divf %sum, %count : !r
    %means = systolic.broadcast %mean along 1 : !r -> !x

    // Columns past the row read as zeros; their differences to the mean must not count.
    %column = systolic.iota along 1 : !i
    %columns = systolic.broadcast %N_i32 : i32 -> !i
    %squares = scf.for %n = %c0 to %end step %BN iter_args(%acc = %zero) -> (!x) {
      %x = systolic.load %X[%m0, %n] : !X -> !x
      %difference = arith.subf %x, %means : !x
      %n_i32 = arith.index_cast %n : index to i32
      %first = systolic.broadcast %n_i32 : i32 -> !i
      %j = arith.addi %column, %first : !i
      %exists = arith.cmpi ult, %j, %columns : !i
      %kept = arith.select %exists, %difference, %zero : !mask, !x
      %next = math.fma %kept, %kept, %acc : !x
      scf.yield %next : !x
    }
    %square = systolic.reduce add %squares along 1 : !x -> !r
    %variance = arith.divf %square, %count : !r
    %eps = systolic.broadcast %EPS : f32 -> !r
    %shifted = arith.addf %variance, %eps : !r
    %one = arith.constant dense<1.0> : !r
    %root = math.sqrt %shifted : !r
    %scale = arith.divf %one, %root : !r
    %scales = systolic.broadcast %scale along 1 : !r -> !x

    scf.for %n = %c0 to %end step %BN {
      %x = systolic.load %X[%m0, %n] : !X -> !x
      %w = systolic.load %W[%n] limit [%N] : !W -> !w
      %ws = systolic.broadcast %w along 0 : !w -> !x
      %difference = arith.subf %x, %means : !x
      %normalized = arith.mulf %difference, %scales : !x
      %y = arith.mulf %normalized, %ws : !x
      %result = func.call @epilogue(%y, %m0, %n) : (!x, index, index) -> !x
      systolic.store %result, %Y[%m0, %n] limit [%rows, %N] : !x, !X
    }
    systolic.return
  }
}
