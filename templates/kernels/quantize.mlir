// quantize: Y[m, n] = X[m, n] / S[m], rounded to Y's type, with scales S[m] = max over n of |X[m, n]| / MAX_CODE.
//
// A row here is a group of columns: a row of the step has G of them. One work item is BM groups, read twice in blocks of BN
// columns: largest magnitude, codes. Magnitudes are compared as whole numbers, among which a NaN is the largest. Y is of i8 or
// an 8-bit float, MAX_CODE its largest number in use. APPEND = 1: codes and scales go to the step's position in caches of them, as
// rows of kv_append.mlir do. ROWS: see matmul.mlir.
!x = tensor<4x256xf32, #systolic.axes<BM, BN>>
!bits = tensor<4x256xi32, #systolic.axes<BM, BN>>
!r = tensor<4xf32, #systolic.axes<BM>>
!rbits = tensor<4xi32, #systolic.axes<BM>>
!mask = tensor<4xi1, #systolic.axes<BM>>
!X = memref<64x64xf32, #systolic.axes<M, N>>
!Y = memref<64x64xf32, #systolic.axes<MY, N>>
!S = memref<64xf32, #systolic.axes<MY>>

module {
  systolic.kernel @quantize(%X: !X, %Y: !Y, %S: !S, %control: !systolic.control, %work: index)
      attributes {launch = #systolic.launch<[x, y, scales, control]>,
                  params = {M = 64, MY = 64, N = 64, BM = 4, BN = 256, ROWS = 0, G = 1, APPEND = 0,
                            MAX_CODE = 127.0 : f32},
                  schedule = #systolic.schedule<waves = 4x1>, grid = ["M", "BM"]} {
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
    %y_end = arith.addi %rows, %place : index

    %none = arith.constant dense<0> : !bits
    %maxima = scf.for %n = %c0 to %end step %BN iter_args(%acc = %none) -> (!bits) {
      %x = systolic.load %X[%m0, %n] : !X -> !x
      %magnitude = math.absf %x : !x
      %bits = arith.bitcast %magnitude : !x to !bits
      %next = arith.maxsi %acc, %bits : !bits
      scf.yield %next : !bits
    }
    %max_bits = systolic.reduce max %maxima along 1 : !bits -> !rbits
    %max = arith.bitcast %max_bits : !rbits to !r
    %max_codes = systolic.broadcast %MAX_CODE : f32 -> !r
    %scale = arith.divf %max, %max_codes : !r
    systolic.store %scale, %S[%y0] limit [%y_end] : !r, !S

    // Codes of a group whose scale is 0 are 0.
    %zero = arith.constant dense<0.0> : !r
    %is_zero = arith.cmpf oeq, %scale, %zero : !r
    %infinity = arith.constant dense<0x7F800000> : !r
    %divisor = arith.select %is_zero, %infinity, %scale : !mask, !r
    %divisors = systolic.broadcast %divisor along 1 : !r -> !x
    %largest = systolic.broadcast %MAX_CODE : f32 -> !x
    %smallest = arith.negf %largest : !x
    scf.for %n = %c0 to %end step %BN {
      %x = systolic.load %X[%m0, %n] : !X -> !x
      %quotient = arith.divf %x, %divisors : !x
      %above = arith.maxnumf %quotient, %smallest : !x
      %code = arith.minnumf %above, %largest : !x
      systolic.store %code, %Y[%y0, %n] limit [%y_end, %N] : !x, !Y
    }
    systolic.return
  }
}
