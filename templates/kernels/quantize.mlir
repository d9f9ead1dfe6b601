// quantize: Y[m, n] = X[m, n] / S[m], rounded to Y's type, with scales S[m] = max over n of |X[m, n]| / MAX_CODE.
//
// A row here is a group of columns: a row of the step has G groups. One work item is BM groups, read twice in blocks of BN
// columns: largest magnitude, codes. Magnitudes are compared as whole numbers, among which NaN is the largest. Y is i8 or
// an 8-bit float; MAX_CODE is the largest number it uses. APPEND = 1: codes and scales are stored at the step's position in caches,
// like rows in kv_append.mlir. ROWS: see matmul.mlir.
// ORDER: the layout of these caches: 0 row by row; 1 in operand order as keys, 2 as values, transposed (#nstf.operand_order).
// With 1 and 2 a row is a row of the step, of which a work item has one of HEADS groups. NX: columns of all groups. YD: columns of
// keys, or rows of transposed values, of one group in the cache of YR x YC. SC: scales, transposed, of each group. L: rows of the cache.
!x = tensor<4x256xf32, #systolic.axes<BM, BN>>
!bits = tensor<4x256xi32, #systolic.axes<BM, BN>>
!r = tensor<4xf32, #systolic.axes<BM>>
!rbits = tensor<4xi32, #systolic.axes<BM>>
!mask = tensor<4xi1, #systolic.axes<BM>>
!X = memref<64x64xf32, #systolic.axes<M, NX>>
!Y = memref<64x64xf32, #systolic.axes<YR, YC>>
!S = memref<64xf32, #systolic.axes<MY>>

module {
  systolic.kernel @quantize(%X: !X, %Y: !Y, %S: !S, %control: !systolic.control, %work: index, %head: index)
      attributes {launch = #systolic.launch<[x, y, scales, control]>,
                  params = {M = 64, MY = 64, N = 64, NX = 64, YR = 64, YC = 64, YD = 0, SC = 0, L = 64, HEADS = 1, BM = 4,
                            BN = 256, ROWS = 0, G = 1, APPEND = 0, ORDER = 0, MAX_CODE = 127.0 : f32},
                  schedule = #systolic.schedule<waves = 4x1>, grid = ["M", "BM", "HEADS", 1]} {
    %BM = systolic.param "BM"
    %BN = systolic.param "BN"
    %N = systolic.param "N"
    %G = systolic.param "G"
    %MAX_CODE = systolic.param "MAX_CODE" : f32
    %APPEND = systolic.param "APPEND"
    %c0 = arith.constant 0 : index
    %step_rows = systolic.control rows %control
    %rows = arith.muli %step_rows, %G : index
    %m0 = arith.muli %work, %BM : index
    %is_inside = arith.cmpi ult, %m0, %rows : index
    %end = arith.select %is_inside, %N, %c0 : index
    %position = systolic.control position %control
    %skipped = arith.muli %position, %G : index
    %place = arith.muli %skipped, %APPEND : index
    %y0 = arith.addi %m0, %place : index
    %all_end = arith.addi %rows, %place : index
    %ORDER = systolic.param "ORDER"
    %YD = systolic.param "YD"
    %SC = systolic.param "SC"
    %L = systolic.param "L"
    %c2 = arith.constant 2 : index
    %is_ordered = arith.cmpi ne, %ORDER, %c0 : index
    %is_transposed = arith.cmpi eq, %ORDER, %c2 : index
    %inside = arith.minui %all_end, %L : index
    %y_end = arith.select %is_ordered, %inside, %all_end : index
    %y_column = arith.muli %head, %YD : index
    %y_column_end = arith.addi %y_column, %N : index
    %x_first = arith.muli %head, %N : index
    %x_end = arith.addi %x_first, %N : index
    %s_row = arith.muli %head, %SC : index
    %s0 = arith.addi %s_row, %y0 : index
    %s_end = arith.addi %s_row, %y_end : index

    %none = arith.constant dense<0> : !bits
    %maxima = scf.for %n = %c0 to %end step %BN iter_args(%acc = %none) -> (!bits) {
      %x_column = arith.addi %x_first, %n : index
      %x = scf.if %is_ordered -> (!x) {
        %of_group = systolic.load %X[%m0, %x_column] limit [%rows, %x_end] : !X -> !x
        scf.yield %of_group : !x
      } else {
        %all = systolic.load %X[%m0, %n] : !X -> !x
        scf.yield %all : !x
      }
      %magnitude = math.absf %x : !x
      %bits = arith.bitcast %magnitude : !x to !bits
      %next = arith.maxsi %acc, %bits : !bits
      scf.yield %next : !bits
    }
    %max_bits = systolic.reduce max %maxima along 1 : !bits -> !rbits
    %max = arith.bitcast %max_bits : !rbits to !r
    %max_codes = systolic.broadcast %MAX_CODE : f32 -> !r
    %scale = arith.divf %max, %max_codes : !r
    systolic.store %scale, %S[%s0] limit [%s_end] : !r, !S

    // If a group's scale is 0, its codes are 0.
    %zero = arith.constant dense<0.0> : !r
    %is_zero = arith.cmpf oeq, %scale, %zero : !r
    %infinity = arith.constant dense<0x7F800000> : !r
    %divisor = arith.select %is_zero, %infinity, %scale : !mask, !r
    %divisors = systolic.broadcast %divisor along 1 : !r -> !x
    %largest = systolic.broadcast %MAX_CODE : f32 -> !x
    %smallest = arith.negf %largest : !x
    scf.for %n = %c0 to %end step %BN {
      %x_column = arith.addi %x_first, %n : index
      %x = scf.if %is_ordered -> (!x) {
        %of_group = systolic.load %X[%m0, %x_column] limit [%rows, %x_end] : !X -> !x
        scf.yield %of_group : !x
      } else {
        %all = systolic.load %X[%m0, %n] : !X -> !x
        scf.yield %all : !x
      }
      %quotient = arith.divf %x, %divisors : !x
      %above = arith.maxnumf %quotient, %smallest : !x
      %code = arith.minnumf %above, %largest : !x
      %column = arith.addi %y_column, %n : index
      scf.if %is_transposed {
        systolic.store %code, %Y[%column, %y0] limit [%y_column_end, %y_end] transposed : !x, !Y
      } else {
        systolic.store %code, %Y[%y0, %column] limit [%y_end, %y_column_end] : !x, !Y
      }
    }
    systolic.return
  }
}
