// rope: Y[r + p, j] = X[r, j] * cos(t, f(j)) -/+ X[r, partner(j)] * sin(t, f(j)); the rest of a head is copied.
//
// Rows are heads: row r of a step is head r mod H of token t = r / H. The table has, for each position, RD/2 cosines
// and then RD/2 sines, already scaled. By default j is paired with j + RD/2; INTERLEAVED = 1 pairs 2i with 2i + 1.
// APPEND = 1: rows are stored at the step's position in a KV cache, as in kv_append.mlir. ORDER = 1: that cache has
// keys in operand order, in which blocks of 16 positions are rows of blocks of heads of DY columns (#nstf.operand_order).
// One work item is BR rows of one head each.
!x = tensor<32x64xf32, #systolic.axes<BR, BD>>
!row = tensor<32xi32, #systolic.axes<BR>>
!col = tensor<64xi32, #systolic.axes<BD>>
!mask = tensor<64xi1, #systolic.axes<BD>>
!factor = tensor<64xf32, #systolic.axes<BD>>
!X = memref<64x64xf32, #systolic.axes<R, D>>
!T = memref<512x64xf32, #systolic.axes<CTX, RD>>
!Y = memref<64x64xf32, #systolic.axes<RY, DY>>
!row_mask = tensor<32xi1, #systolic.axes<BR>>

module {
  // The places of rows in a cache in operand order: row (t / 16 * H + h) * 16 + t mod 16 is head h of position t. Rows
  // outside the step or past the cache's end have no place.
  func.func private @places(%r: !row, %t: !row, %heads: !row, %rows: index) -> !row {
    %RY = systolic.param "RY"
    %inner = arith.remui %r, %heads : !row
    %block_rows = arith.constant dense<16> : !row
    %block = arith.divui %t, %block_rows : !row
    %in_block = arith.remui %t, %block_rows : !row
    %first = arith.muli %block, %heads : !row
    %of_head = arith.addi %first, %inner : !row
    %begin = arith.muli %of_head, %block_rows : !row
    %place = arith.addi %begin, %in_block : !row
    %rows_i32 = arith.index_cast %rows : index to i32
    %all = systolic.broadcast %rows_i32 : i32 -> !row
    %is_there = arith.cmpi ult, %r, %all : !row
    %RY_i32 = arith.index_cast %RY : index to i32
    %nowhere = systolic.broadcast %RY_i32 : i32 -> !row
    %result = arith.select %is_there, %place, %nowhere : !row_mask, !row
    return %result : !row
  }

  systolic.kernel @rope(%X: !X, %T: !T, %Y: !Y, %control: !systolic.control, %work: index)
      attributes {launch = #systolic.launch<[x, table, y, control]>,
                  params = {R = 64, RY = 64, D = 64, DY = 64, H = 1, RD = 64, CTX = 512, BR = 32, BD = 64,
                            ROWS = 0, APPEND = 0, ORDER = 0, INTERLEAVED = 0},
                  schedule = #systolic.schedule<waves = 4x1>, grid = ["R", "BR"]} {
    %BR = systolic.param "BR"
    %D = systolic.param "D"
    %H = systolic.param "H"
    %RD = systolic.param "RD"
    %CTX = systolic.param "CTX"
    %APPEND = systolic.param "APPEND"
    %INTERLEAVED = systolic.param "INTERLEAVED"
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %step_rows = systolic.control rows %control
    %position = systolic.control position %control
    %rows = arith.muli %step_rows, %H : index
    %r0 = arith.muli %work, %BR : index
    %skipped = arith.muli %position, %H : index
    %place = arith.muli %skipped, %APPEND : index
    %y0 = arith.addi %r0, %place : index
    %end = arith.addi %rows, %place : index

    // The partner, frequency and sign of each column.
    %j = systolic.iota along 0 : !col
    %half_index = arith.divui %RD, %c2 : index
    %half_i32 = arith.index_cast %half_index : index to i32
    %half = systolic.broadcast %half_i32 : i32 -> !col
    %RD_i32 = arith.index_cast %RD : index to i32
    %rotary = systolic.broadcast %RD_i32 : i32 -> !col
    %zero_col = arith.constant dense<0> : !col
    %one_col = arith.constant dense<1> : !col
    %two_col = arith.constant dense<2> : !col
    %is_low_half = arith.cmpi ult, %j, %half : !col
    %up = arith.addi %j, %half : !col
    %down = arith.subi %j, %half : !col
    %partner_half = arith.select %is_low_half, %up, %down : !mask, !col
    %frequency_half = arith.select %is_low_half, %j, %down : !mask, !col
    %partner_pair = arith.xori %j, %one_col : !col
    %frequency_pair = arith.divui %j, %two_col : !col
    %parity = arith.andi %j, %one_col : !col
    %is_low_pair = arith.cmpi eq, %parity, %zero_col : !col
    %is_interleaved = arith.cmpi ne, %INTERLEAVED, %c0 : index
    %partner_rotated = arith.select %is_interleaved, %partner_pair, %partner_half : !col
    %frequency_rotated = arith.select %is_interleaved, %frequency_pair, %frequency_half : !col
    %is_low = arith.select %is_interleaved, %is_low_pair, %is_low_half : !mask
    %is_rotated = arith.cmpi ult, %j, %rotary : !col
    %partner = arith.select %is_rotated, %partner_rotated, %j : !mask, !col
    %frequency = arith.select %is_rotated, %frequency_rotated, %zero_col : !mask, !col
    %sine_place = arith.addi %frequency, %half : !col

    // The position of each row.
    %i = systolic.iota along 0 : !row
    %r0_i32 = arith.index_cast %r0 : index to i32
    %first = systolic.broadcast %r0_i32 : i32 -> !row
    %r = arith.addi %i, %first : !row
    %H_i32 = arith.index_cast %H : index to i32
    %heads = systolic.broadcast %H_i32 : i32 -> !row
    %token = arith.divui %r, %heads : !row
    %position_i32 = arith.index_cast %position : index to i32
    %start = systolic.broadcast %position_i32 : i32 -> !row
    %t = arith.addi %token, %start : !row

    %x = systolic.load %X[%r0, %c0] : !X -> !x
    %other = systolic.load %X[%r0, %c0] cols(%partner : !col) : !X -> !x
    %cosine_table = systolic.load %T[%c0, %c0] limit [%CTX, %RD] rows(%t : !row) cols(%frequency : !col) : !T -> !x
    %sine_table = systolic.load %T[%c0, %c0] limit [%CTX, %RD] rows(%t : !row) cols(%sine_place : !col) : !T -> !x

    %one = arith.constant dense<1.0> : !factor
    %minus_one = arith.constant dense<-1.0> : !factor
    %zero = arith.constant dense<0.0> : !factor
    %sign_rotated = arith.select %is_low, %minus_one, %one : !mask, !factor
    %sign = arith.select %is_rotated, %sign_rotated, %zero : !mask, !factor
    %pass = arith.select %is_rotated, %zero, %one : !mask, !factor
    %signs = systolic.broadcast %sign along 0 : !factor -> !x
    %passes = systolic.broadcast %pass along 0 : !factor -> !x
    %rotated_ones = arith.select %is_rotated, %one, %zero : !mask, !factor
    %turns = systolic.broadcast %rotated_ones along 0 : !factor -> !x
    %cosine_part = arith.mulf %cosine_table, %turns : !x
    %cosine = arith.addf %cosine_part, %passes : !x
    %sine = arith.mulf %sine_table, %signs : !x
    %turned = arith.mulf %other, %sine : !x
    %y = math.fma %x, %cosine, %turned : !x
    %ORDER = systolic.param "ORDER"
    %is_ordered = arith.cmpi ne, %ORDER, %c0 : index
    scf.if %is_ordered {
      %RY = systolic.param "RY"
      %places = func.call @places(%r, %t, %heads, %rows) : (!row, !row, !row, index) -> !row
      systolic.store %y, %Y[%c0, %c0] limit [%RY, %D] rows(%places : !row) : !x, !Y
    } else {
      systolic.store %y, %Y[%y0, %c0] limit [%end, %D] : !x, !Y
    }
    systolic.return
  }
}
