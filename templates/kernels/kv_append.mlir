// kv_append: Y[m + p, n] = X[m, n], with p the step's position: rows go to their place in a KV cache.
//
// Rows that come out of rope are not stored in between: rope.mlir has the same shift, APPEND. L: rows of the cache.
// ROWS: see matmul.mlir. OPERAND: the type of rows and cache.
!x = tensor<4x256x!systolic.operand, #systolic.axes<BM, BN>>
!X = memref<64x64x!systolic.operand, #systolic.axes<M, N>>
!Y = memref<64x64x!systolic.operand, #systolic.axes<L, N>>

module {
  systolic.kernel @kv_append(%X: !X, %Y: !Y, %control: !systolic.control, %block_m: index, %block_n: index)
      attributes {launch = #systolic.launch<[x, y, control]>,
                  params = {M = 64, L = 64, N = 64, BM = 4, BN = 256, ROWS = 0, OPERAND = f32},
                  schedule = #systolic.schedule<waves = 4x1>,
                  grid = ["M", "BM", "N", "BN"]} {
    %BM = systolic.param "BM"
    %BN = systolic.param "BN"
    %N = systolic.param "N"
    %rows = systolic.control rows %control
    %position = systolic.control position %control
    %m0 = arith.muli %block_m, %BM : index
    %n0 = arith.muli %block_n, %BN : index
    %y0 = arith.addi %m0, %position : index
    %end = arith.addi %rows, %position : index

    %x = systolic.load %X[%m0, %n0] : !X -> !x
    systolic.store %x, %Y[%y0, %n0] limit [%end, %N] : !x, !Y
    systolic.return
  }
}
