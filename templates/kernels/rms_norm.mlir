// rms_norm: Y[m, n] = epilogue(X[m, n] * W[n] / sqrt(mean over n of X[m, n]^2 + eps)).
//
// One work item is BM rows, read twice in blocks of BN columns. G: rows in each row of the step, each a group of its
// features. ROWS: see matmul.mlir.
!x = tensor<4x256xf32, #systolic.axes<BM, BN>>
!w = tensor<256xf32, #systolic.axes<BN>>
!r = tensor<4xf32, #systolic.axes<BM>>
!W = memref<64xf32, #systolic.axes<N>>
!X = memref<64x64xf32, #systolic.axes<M, N>>

module {
  func.func private @epilogue(%tile: !x, %m0: index, %n0: index) -> !x {
    return %tile : !x
  }

  systolic.kernel @rms_norm(%X: !X, %W: !W, %Y: !X, %control: !systolic.control, %work: index)
      attributes {launch = #systolic.launch<[x, weight, y, control]>,
                  params = {M = 64, N = 64, BM = 4, BN = 256, ROWS = 0, G = 1, EPS = 1.0e-5 : f32},
                  schedule = #systolic.schedule<waves = 4x1>, grid = ["M", "BM"]} {
    %BM = systolic.param "BM"
    %BN = systolic.param "BN"
    %N = systolic.param "N"
    %G = systolic.param "G"
    %EPS = systolic.param "EPS" : f32
    %c0 = arith.constant 0 : index
    %step_rows = systolic.control rows %control
    %rows = arith.muli %step_rows, %G : index
    %m0 = arith.muli %work, %BM : index
    %is_inside = arith.cmpi ult, %m0, %rows : index
    %end = arith.select %is_inside, %N, %c0 : index

    %zero = arith.constant dense<0.0> : !x
    %squares = scf.for %n = %c0 to %end step %BN iter_args(%acc = %zero) -> (!x) {
      %x = systolic.load %X[%m0, %n] : !X -> !x
      %next = math.fma %x, %x, %acc : !x
      scf.yield %next : !x
    }
    %sum = systolic.reduce add %squares along 1 : !x -> !r
    %N_i32 = arith.index_cast %N : index to i32
    %N_f32 = arith.uitofp %N_i32 : i32 to f32
    %count = systolic.broadcast %N_f32 : f32 -> !r
    %mean = arith.divf %sum, %count : !r
    %eps = systolic.broadcast %EPS : f32 -> !r
    %shifted = arith.addf %mean, %eps : !r
    %one = arith.constant dense<1.0> : !r
    %root = math.sqrt %shifted : !r
    %scale = arith.divf %one, %root : !r
    %scales = systolic.broadcast %scale along 1 : !r -> !x

    scf.for %n = %c0 to %end step %BN {
      %x = systolic.load %X[%m0, %n] : !X -> !x
      %w = systolic.load %W[%n] limit [%N] : !W -> !w
      %ws = systolic.broadcast %w along 0 : !w -> !x
      %normalized = arith.mulf %x, %scales : !x
      %y = arith.mulf %normalized, %ws : !x
      %result = func.call @epilogue(%y, %m0, %n) : (!x, index, index) -> !x
      systolic.store %result, %Y[%m0, %n] limit [%rows, %N] : !x, !X
    }
    systolic.return
  }
}
