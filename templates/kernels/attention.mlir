// attention: Y[t, h] = softmax(scale * Q[t, h] . K[0..n, g]) . V[0..n, g], with an online softmax.
//
// Rows are (token, query head of one key head): row r of key head g is query head g*G + r mod G of token r / G, with
// G = H / HK, so that the heads of a group share the keys they read. One work item is BQ such rows of one key head.
// Written transposed: S' = K . Q' and O' = V' . P, so that the first product's result is, as it lies in the registers,
// the second one's operand. DP is the head size D rounded up to whole cells; the columns past D are zeros.
// CAUSAL = 1: token t sees the keys up to its own position; otherwise all keys of the step. CACHED = 1: keys and values
// are caches, filled up to the step's last position. WINDOW: a token sees only the last so many of its keys, itself
// included; 0: all. A row that sees nothing of its first blocks starts its sum anew with the first key it sees.
// Keys that a row does not see weigh 0, so an infinite or undefined number among their values reaches the rows that share
// their block.
// OPERAND: the type of Q, K and V. Scores, sums and the output are f32; the weights are rounded to that type.
// Waves: one row of WN, each with BQ / WN rows of the queries.
!qt = tensor<16x16x!systolic.operand, #systolic.axes<DP, BQ>>
!kv = tensor<32x16x!systolic.operand, #systolic.axes<BK, DP>>
!vt = tensor<16x32x!systolic.operand, #systolic.axes<DP, BK>>
!p = tensor<32x16x!systolic.operand, #systolic.axes<BK, BQ>>
!s = tensor<32x16xf32, #systolic.axes<BK, BQ>>
!si = tensor<32x16xi32, #systolic.axes<BK, BQ>>
!mask = tensor<32x16xi1, #systolic.axes<BK, BQ>>
!o = tensor<16x16xf32, #systolic.axes<DP, BQ>>
!r = tensor<16xf32, #systolic.axes<BQ>>
!ri = tensor<16xi32, #systolic.axes<BQ>>
!Q = memref<64x64x!systolic.operand, #systolic.axes<RQ, D>>
!K = memref<64x64x!systolic.operand, #systolic.axes<L, F>>
!Y = memref<64x64xf32, #systolic.axes<RQ, D>>

module {
  // Row r of the work item's key head, as query row token * H + head; and its token.
  func.func private @rows(%q0: index) -> !ri {
    %G = systolic.param "G"
    %G_i32 = arith.index_cast %G : index to i32
    %group = systolic.broadcast %G_i32 : i32 -> !ri
    %q0_i32 = arith.index_cast %q0 : index to i32
    %first = systolic.broadcast %q0_i32 : i32 -> !ri
    %i = systolic.iota along 0 : !ri
    %r = arith.addi %i, %first : !ri
    %token = arith.divui %r, %group : !ri
    %inner = arith.remui %r, %group : !ri
    %H = systolic.param "H"
    %H_i32 = arith.index_cast %H : index to i32
    %heads = systolic.broadcast %H_i32 : i32 -> !ri
    %start = arith.muli %token, %heads : !ri
    %row = arith.addi %start, %inner : !ri
    return %row : !ri
  }

  // Scores of keys that a row must not see become the lowest there is.
  func.func private @mask(%scores: !s, %k0: index, %q0: index, %length: index, %position: index) -> !s {
    %G = systolic.param "G"
    %CAUSAL = systolic.param "CAUSAL"
    %WINDOW = systolic.param "WINDOW"
    %c0 = arith.constant 0 : index
    %key_in_block = systolic.iota along 0 : !si
    %k0_i32 = arith.index_cast %k0 : index to i32
    %first_key = systolic.broadcast %k0_i32 : i32 -> !si
    %key = arith.addi %key_in_block, %first_key : !si
    %row_in_block = systolic.iota along 1 : !si
    %q0_i32 = arith.index_cast %q0 : index to i32
    %first_row = systolic.broadcast %q0_i32 : i32 -> !si
    %row = arith.addi %row_in_block, %first_row : !si
    %G_i32 = arith.index_cast %G : index to i32
    %group = systolic.broadcast %G_i32 : i32 -> !si
    %token = arith.divui %row, %group : !si
    %position_i32 = arith.index_cast %position : index to i32
    %start = systolic.broadcast %position_i32 : i32 -> !si
    %own = arith.addi %token, %start : !si
    %length_i32 = arith.index_cast %length : index to i32
    %end = systolic.broadcast %length_i32 : i32 -> !si
    %exists = arith.cmpi ult, %key, %end : !si
    // The distance to a later key wraps around to 2^31 and more. A key that is not later exists.
    %distance = arith.subi %own, %key : !si
    %WINDOW_i32 = arith.index_cast %WINDOW : index to i32
    %wrapped = arith.constant 0x80000000 : i32
    %has_window = arith.cmpi ne, %WINDOW, %c0 : index
    %reach = arith.select %has_window, %WINDOW_i32, %wrapped : i32
    %window = systolic.broadcast %reach : i32 -> !si
    %is_near = arith.cmpi ult, %distance, %window : !si
    %is_causal = arith.cmpi ne, %CAUSAL, %c0 : index
    %is_seen = arith.select %is_causal, %is_near, %exists : !mask
    %lowest = arith.constant dense<-1.0e30> : !s
    %result = arith.select %is_seen, %scores, %lowest : !mask, !s
    return %result : !s
  }

  systolic.kernel @attention(%Q: !Q, %K: !K, %V: !K, %Y: !Y, %control: !systolic.control, %block: index, %head: index)
      attributes {launch = #systolic.launch<[q, k, v, y, control]>,
                  params = {RG = 64, RQ = 64, L = 64, F = 64, H = 1, HK = 1, G = 1, D = 64, DP = 16, BQ = 16, BK = 32,
                            WM = 1, WN = 1, ROWS = 0, CAUSAL = 1, CACHED = 1, SCALE = 1.0 : f32, WINDOW = 0,
                            OPERAND = f16},
                  grid = ["RG", "BQ", "HK", 1]} {
    %BQ = systolic.param "BQ"
    %BK = systolic.param "BK"
    %G = systolic.param "G"
    %D = systolic.param "D"
    %CAUSAL = systolic.param "CAUSAL"
    %CACHED = systolic.param "CACHED"
    %SCALE = systolic.param "SCALE" : f32
    %WINDOW = systolic.param "WINDOW"
    %H = systolic.param "H"
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %step_rows = systolic.control rows %control
    %position = systolic.control position %control
    %q0 = arith.muli %block, %BQ : index
    %rows = arith.muli %step_rows, %G : index
    %before = arith.muli %position, %CACHED : index
    %length = arith.addi %step_rows, %before : index

    // Keys any row of this block sees: up to its last token's position, or all.
    %q_end = arith.addi %q0, %BQ : index
    %q_last = arith.minui %q_end, %rows : index
    %G_minus_1 = arith.subi %G, %c1 : index
    %q_rounded = arith.addi %q_last, %G_minus_1 : index
    %token_end = arith.divui %q_rounded, %G : index
    %causal_end = arith.addi %token_end, %before : index
    %is_causal = arith.cmpi ne, %CAUSAL, %c0 : index
    %seen = arith.select %is_causal, %causal_end, %length : index
    %is_inside = arith.cmpi ult, %q0, %rows : index
    %end = arith.select %is_inside, %seen, %c0 : index

    // The block of keys that the window of its first token begins in. Blocks begin at multiples of BK always, so that a
    // row adds up its keys in the same order wherever the step begins.
    %token_first = arith.divui %q0, %G : index
    %own_first = arith.addi %token_first, %before : index
    %after_first = arith.addi %own_first, %c1 : index
    %is_far = arith.cmpi ugt, %after_first, %WINDOW : index
    %unseen = arith.subi %after_first, %WINDOW : index
    %unseen_block = arith.divui %unseen, %BK : index
    %unseen_start = arith.muli %unseen_block, %BK : index
    %has_window = arith.cmpi ne, %WINDOW, %c0 : index
    %skips = arith.andi %has_window, %is_far : i1
    %first = arith.select %skips, %unseen_start, %c0 : index

    %head_row = arith.muli %head, %G : index
    %query_rows = func.call @rows(%q0) : (index) -> !ri
    %query_limit = arith.muli %step_rows, %H : index
    %q = systolic.load %Q[%head_row, %c0] limit [%query_limit, %D] rows(%query_rows : !ri) transposed : !Q -> !qt

    %f0 = arith.muli %head, %D : index
    %f_end = arith.addi %f0, %D : index
    %scale = systolic.broadcast %SCALE : f32 -> !s
    %zero_s = arith.constant dense<0.0> : !s
    %zero_o = arith.constant dense<0.0> : !o
    %zero_r = arith.constant dense<0.0> : !r
    %lowest = arith.constant dense<-1.0e30> : !r
    %state:3 = scf.for %k0 = %first to %end step %BK iter_args(%o = %zero_o, %max = %lowest, %sum = %zero_r)
        -> (!o, !r, !r) {
      %k = systolic.load %K[%k0, %f0] limit [%length, %f_end] : !K -> !kv
      %v = systolic.load %V[%k0, %f0] limit [%length, %f_end] transposed : !K -> !vt
      %products = systolic.mma %k, %q, %zero_s : !kv, !qt -> !s
      %scaled = arith.mulf %products, %scale : !s
      %scores = func.call @mask(%scaled, %k0, %q0, %length, %before) : (!s, index, index, index, index) -> !s
      %block_max = systolic.reduce max %scores along 0 : !s -> !r
      %next_max = arith.maxnumf %max, %block_max : !r
      %drop = arith.subf %max, %next_max : !r
      %shrink = math.exp %drop : !r
      %max_rows = systolic.broadcast %next_max along 0 : !r -> !s
      %shifted = arith.subf %scores, %max_rows : !s
      %p = math.exp %shifted : !s
      // The sum is of the weights as they are used, so that equal ones round without bias.
      %p_rounded = arith.truncf %p : !s to !p
      %p_used = arith.extf %p_rounded : !p to !s
      %block_sum = systolic.reduce add %p_used along 0 : !s -> !r
      %next_sum = math.fma %sum, %shrink, %block_sum : !r
      %shrinks = systolic.broadcast %shrink along 0 : !r -> !o
      %kept = arith.mulf %o, %shrinks : !o
      %next_o = systolic.mma %v, %p_rounded, %kept : !vt, !p -> !o
      scf.yield %next_o, %next_max, %next_sum : !o, !r, !r
    }
    %sums = systolic.broadcast %state#2 along 0 : !r -> !o
    %result = arith.divf %state#0, %sums : !o
    %result_rows = func.call @rows(%q0) : (index) -> !ri
    systolic.store %result, %Y[%head_row, %c0] limit [%query_limit, %D] rows(%result_rows : !ri) transposed : !o, !Y
    systolic.return
  }
}
