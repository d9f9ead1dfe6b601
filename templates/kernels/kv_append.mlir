// kv_append: Y[m + p, n] = X[m, n], where p is the step's position: stores rows in their place in a KV cache.
//
// Rows that rope computes are not stored in between: rope.mlir has the same shift, APPEND. L: rows of the cache.
// ORDER: the cache's layout: 0 row by row; 1 in operand order as keys, 2 as values, which are transposed (#nstf.operand_order).
// With 1 and 2 each head of D columns is padded to DS columns, and C is the total of all heads; PADDED = 1: DS is more than D.
// Padding is 0. The cache in memory has more than L rows. ROWS: see matmul.mlir. OPERAND: the type of rows and cache.
!x = tensor<4x256x!systolic.operand, #systolic.axes<BM, BN>>
!X = memref<64x64x!systolic.operand, #systolic.axes<M, N>>
!Y = memref<64x64x!systolic.operand, #systolic.axes<YR, YC>>
!col = tensor<256xi32, #systolic.axes<BN>>
!mask = tensor<256xi1, #systolic.axes<BN>>

module {
  // The rows with every head padded to DS columns.
  func.func private @pad(%X: !X, %m0: index, %n0: index) -> !x {
    %N = systolic.param "N"
    %D = systolic.param "D"
    %DS = systolic.param "DS"
    %c0 = arith.constant 0 : index
    %j = systolic.iota along 0 : !col
    %n0_i32 = arith.index_cast %n0 : index to i32
    %first = systolic.broadcast %n0_i32 : i32 -> !col
    %column = arith.addi %j, %first : !col
    %DS_i32 = arith.index_cast %DS : index to i32
    %stride = systolic.broadcast %DS_i32 : i32 -> !col
    %head = arith.divui %column, %stride : !col
    %feature = arith.remui %column, %stride : !col
    %D_i32 = arith.index_cast %D : index to i32
    %size = systolic.broadcast %D_i32 : i32 -> !col
    %begin = arith.muli %head, %size : !col
    %from = arith.addi %begin, %feature : !col
    %N_i32 = arith.index_cast %N : index to i32
    %nowhere = systolic.broadcast %N_i32 : i32 -> !col
    %is_feature = arith.cmpi ult, %feature, %size : !col
    %place = arith.select %is_feature, %from, %nowhere : !mask, !col
    %x = systolic.load %X[%m0, %c0] cols(%place : !col) : !X -> !x
    return %x : !x
  }

  systolic.kernel @kv_append(%X: !X, %Y: !Y, %control: !systolic.control, %block_m: index, %block_n: index)
      attributes {launch = #systolic.launch<[x, y, control]>,
                  params = {M = 64, N = 64, C = 64, YR = 64, YC = 64, D = 64, DS = 64, L = 64, ORDER = 0, PADDED = 0, BM = 4, BN = 256, ROWS = 0,
                            OPERAND = f32},
                  schedule = #systolic.schedule<waves = 4x1>,
                  grid = ["M", "BM", "C", "BN"]} {
    %BM = systolic.param "BM"
    %BN = systolic.param "BN"
    %C = systolic.param "C"
    %ORDER = systolic.param "ORDER"
    %PADDED = systolic.param "PADDED"
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %rows = systolic.control rows %control
    %position = systolic.control position %control
    %m0 = arith.muli %block_m, %BM : index
    %n0 = arith.muli %block_n, %BN : index
    %y0 = arith.addi %m0, %position : index
    %end = arith.addi %rows, %position : index

    %is_padded = arith.cmpi ne, %PADDED, %c0 : index
    %x = scf.if %is_padded -> (!x) {
      %padded = func.call @pad(%X, %m0, %n0) : (!X, index, index) -> !x
      scf.yield %padded : !x
    } else {
      %plain = systolic.load %X[%m0, %n0] : !X -> !x
      scf.yield %plain : !x
    }
    %L = systolic.param "L"
    %is_ordered = arith.cmpi ne, %ORDER, %c0 : index
    %is_transposed = arith.cmpi eq, %ORDER, %c2 : index
    %inside = arith.minui %end, %L : index
    %last = arith.select %is_ordered, %inside, %end : index
    scf.if %is_transposed {
      systolic.store %x, %Y[%n0, %y0] limit [%C, %last] transposed : !x, !Y
    } else {
      systolic.store %x, %Y[%y0, %n0] limit [%last, %C] : !x, !Y
    }
    systolic.return
  }
}
