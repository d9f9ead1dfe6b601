// short_softmax: softmax of rows that one tile holds, read once.
!x = tensor<4x256xf32, #systolic.axes<BM, BN>>
!i = tensor<4x256xi32, #systolic.axes<BM, BN>>
!r = tensor<4xf32, #systolic.axes<BM>>
!mask = tensor<4x256xi1, #systolic.axes<BM, BN>>
!X = memref<64x64xf32, #systolic.axes<M, N>>

module {
  systolic.kernel @short_softmax(%X: !X, %Y: !X, %control: !systolic.control, %work: index)
      attributes {launch = #systolic.launch<[x, y, control]>, schedule = #systolic.schedule<waves = 4x1>,
                  params = {M = 64, N = 64, BM = 4, BN = 256, ROWS = 0}, grid = ["M", "BM"]} {
    %BM = systolic.param "BM"
    %N = systolic.param "N"
    %c0 = arith.constant 0 : index
    %rows = systolic.control rows %control
    %m0 = arith.muli %work, %BM : index
    %x = systolic.load %X[%m0, %c0] : !X -> !x

    %j = systolic.iota along 1 : !i
    %N_i32 = arith.index_cast %N : index to i32
    %end = systolic.broadcast %N_i32 : i32 -> !i
    %outside = arith.cmpi uge, %j, %end : !i
    %lowest = arith.constant dense<0xFF800000> : !x
    %masked = arith.select %outside, %lowest, %x : !mask, !x

    %max = systolic.reduce max %masked along 1 : !x -> !r
    %maxima = systolic.broadcast %max along 1 : !r -> !x
    %shifted = arith.subf %masked, %maxima : !x
    %e = math.exp %shifted : !x
    %sum = systolic.reduce add %e along 1 : !x -> !r
    %sums = systolic.broadcast %sum along 1 : !r -> !x
    %y = arith.divf %e, %sums : !x
    systolic.store %y, %Y[%m0, %c0] limit [%rows, %N] : !x, !X
    systolic.return
  }
}
