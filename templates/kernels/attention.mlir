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
// Weights are powers of two, of scores times |SCALE| * log2(e): one instruction each. A row's largest score so far starts
// above that of a key it does not see, so that such keys weigh 0 from the first block on.
// CODES = 1: K and V are codes, with a scale for each key and head in KS and VS. A key's scale multiplies its scores, a value's its
// weights. Weights are then in units of a power of two that is not far from the largest scale that the row has seen, so that those
// of f16 neither overflow nor vanish; the sums that the result is divided by are of weights without scales.
// ORDER = 1: keys and values lie in operand order (#nstf.operand_order), every key head KD columns of K and VD rows of V, which
// is transposed, after the one before; what fills up a head is 0. DK: the head size as keys are multiplied, DP or KD.
// What lies behind the last position, whatever it is, reaches no row.
// Waves: one row of them, which share out the BQ rows of the queries.
!qt = tensor<16x16x!systolic.operand, #systolic.axes<DK, BQ>>
!kv = tensor<32x16x!systolic.operand, #systolic.axes<BK, DK>>
!vt = tensor<16x32x!systolic.operand, #systolic.axes<DP, BK>>
!vi = tensor<16x32xi32, #systolic.axes<DP, BK>>
!vmask = tensor<16x32xi1, #systolic.axes<DP, BK>>
!p = tensor<32x16x!systolic.operand, #systolic.axes<BK, BQ>>
!s = tensor<32x16xf32, #systolic.axes<BK, BQ>>
!si = tensor<32x16xi32, #systolic.axes<BK, BQ>>
!mask = tensor<32x16xi1, #systolic.axes<BK, BQ>>
!o = tensor<16x16xf32, #systolic.axes<DP, BQ>>
!r = tensor<16xf32, #systolic.axes<BQ>>
!ri = tensor<16xi32, #systolic.axes<BQ>>
!scale = tensor<32x1xf32, #systolic.axes<BK, 1>>
!Q = memref<64x64x!systolic.operand, #systolic.axes<RQ, D>>
!K = memref<64x64x!systolic.operand, #systolic.axes<L, F>>
!V = memref<64x64x!systolic.operand, #systolic.axes<VR, VC>>
!S = memref<64x1xf32, #systolic.axes<L, HK>>
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

  // The position of each row's own token.
  func.func private @positions(%q0: index, %position: index) -> !ri {
    %G = systolic.param "G"
    %row_in_block = systolic.iota along 0 : !ri
    %q0_i32 = arith.index_cast %q0 : index to i32
    %first_row = systolic.broadcast %q0_i32 : i32 -> !ri
    %row = arith.addi %row_in_block, %first_row : !ri
    %G_i32 = arith.index_cast %G : index to i32
    %group = systolic.broadcast %G_i32 : i32 -> !ri
    %token = arith.divui %row, %group : !ri
    %position_i32 = arith.index_cast %position : index to i32
    %start = systolic.broadcast %position_i32 : i32 -> !ri
    %own = arith.addi %token, %start : !ri
    return %own : !ri
  }

  // Which keys of a block a row may see.
  func.func private @sees(%k0: index, %own_of_row: !ri, %length: index) -> !mask {
    %CAUSAL = systolic.param "CAUSAL"
    %WINDOW = systolic.param "WINDOW"
    %c0 = arith.constant 0 : index
    %key_in_block = systolic.iota along 0 : !si
    %k0_i32 = arith.index_cast %k0 : index to i32
    %first_key = systolic.broadcast %k0_i32 : i32 -> !si
    %key = arith.addi %key_in_block, %first_key : !si
    %own = systolic.broadcast %own_of_row along 0 : !ri -> !si
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
    return %is_seen : !mask
  }

  // The values of a block of keys, 0 of those that are not there.
  func.func private @existing(%v: !vt, %k0: index, %length: index) -> !vt {
    %key_in_block = systolic.iota along 1 : !vi
    %k0_i32 = arith.index_cast %k0 : index to i32
    %length_i32 = arith.index_cast %length : index to i32
    %left = arith.subi %length_i32, %k0_i32 : i32
    %keys_left = systolic.broadcast %left : i32 -> !vi
    %exists = arith.cmpi slt, %key_in_block, %keys_left : !vi
    %zero = arith.constant dense<0.0> : !vt
    %result = arith.select %exists, %v, %zero : !vmask, !vt
    return %result : !vt
  }

  // The scales of a block of keys.
  func.func private @scales(%buffer: !S, %k0: index, %head: index, %length: index) -> !scale {
    %CODES = systolic.param "CODES"
    %HK = systolic.param "HK"
    %c0 = arith.constant 0 : index
    %is_codes = arith.cmpi ne, %CODES, %c0 : index
    %result = scf.if %is_codes -> (!scale) {
      %loaded = systolic.load %buffer[%k0, %head] limit [%length, %HK] : !S -> !scale
      scf.yield %loaded : !scale
    } else {
      %none = arith.constant dense<1.0> : !scale
      scf.yield %none : !scale
    }
    return %result : !scale
  }

  // Weights times the scales of their values, in the unit that these make of the one before, and the old unit in the new one.
  func.func private @weigh(%p: !s, %scales: !s, %unit: !r) -> (!s, !r, !r) {
    %sizes = math.absf %scales : !s
    %block_largest = systolic.reduce max %sizes along 0 : !s -> !r
    %largest = arith.maxnumf %unit, %block_largest : !r
    %bits = arith.bitcast %largest : !r to !ri
    %exponents = arith.constant dense<0x7f800000> : !ri
    %exponent = arith.andi %bits, %exponents : !ri
    %next_unit = arith.bitcast %exponent : !ri to !r
    %one_squared = arith.constant dense<0x7f000000> : !ri
    %inverse_exponent = arith.subi %one_squared, %exponent : !ri
    %inverse = arith.bitcast %inverse_exponent : !ri to !r
    %ratio = arith.mulf %unit, %inverse : !r
    %inverses = systolic.broadcast %inverse along 0 : !r -> !s
    %factors = arith.mulf %scales, %inverses : !s
    %weights = arith.mulf %p, %factors : !s
    return %weights, %next_unit, %ratio : !s, !r, !r
  }

  // A block of keys: the rows' results, largest scores, sums and units with it.
  func.func private @attend(%k: !kv, %v: !vt, %k_scale: !scale, %v_scale: !scale, %q: !qt, %factor: f32, %k0: index,
                            %own: !ri, %length: index, %is_masked: i1, %o: !o, %max: !r, %sum: !r, %unit: !r)
      -> (!o, !r, !r, !r) {
    %CODES = systolic.param "CODES"
    %c0 = arith.constant 0 : index
    %is_codes = arith.cmpi ne, %CODES, %c0 : index
    %zero = arith.constant dense<0.0> : !s
    %sums = systolic.mma %k, %q, %zero : !kv, !qt -> !s
    %products = scf.if %is_codes -> (!s) {
      %k_scales = systolic.broadcast %k_scale each along 1 : !scale -> !s
      %scaled = arith.mulf %sums, %k_scales : !s
      scf.yield %scaled : !s
    } else {
      scf.yield %sums : !s
    }
    // Scores of keys that a row must not see become the smallest there is.
    %v_scales = systolic.broadcast %v_scale each along 1 : !scale -> !s
    %scores, %seen_scales = scf.if %is_masked -> (!s, !s) {
      %is_seen = func.call @sees(%k0, %own, %length) : (index, !ri, index) -> !mask
      %lowest = arith.constant dense<-1.0e30> : !s
      %seen = arith.select %is_seen, %products, %lowest : !mask, !s
      %seen_scales = arith.select %is_seen, %v_scales, %zero : !mask, !s
      scf.yield %seen, %seen_scales : !s, !s
    } else {
      scf.yield %products, %v_scales : !s, !s
    }
    %factor_s = systolic.broadcast %factor : f32 -> !s
    %factor_r = systolic.broadcast %factor : f32 -> !r
    %block_max = systolic.reduce max %scores along 0 : !s -> !r
    %next_max = arith.maxnumf %max, %block_max : !r
    %drop = arith.subf %max, %next_max : !r
    %scaled_drop = arith.mulf %drop, %factor_r : !r
    %shrink = math.exp2 %scaled_drop fastmath<afn> : !r
    %scaled_max = arith.mulf %next_max, %factor_r : !r
    %shift = arith.negf %scaled_max : !r
    %shift_rows = systolic.broadcast %shift along 0 : !r -> !s
    %exponent = math.fma %scores, %factor_s, %shift_rows : !s
    %p = math.exp2 %exponent fastmath<afn> : !s
    %weights, %next_unit, %o_shrink = scf.if %is_codes -> (!s, !r, !r) {
      %w:3 = func.call @weigh(%p, %seen_scales, %unit) : (!s, !s, !r) -> (!s, !r, !r)
      %both = arith.mulf %shrink, %w#2 : !r
      scf.yield %w#0, %w#1, %both : !s, !r, !r
    } else {
      scf.yield %p, %unit, %shrink : !s, !r, !r
    }
    %p_rounded = arith.truncf %weights fastmath<nnan> : !s to !p
    // The sum is of the weights as they are used, so that equal ones round without bias; with scales, of those without.
    %p_used = scf.if %is_codes -> (!s) {
      scf.yield %p : !s
    } else {
      %rounded = arith.extf %p_rounded : !p to !s
      scf.yield %rounded : !s
    }
    %block_sum = systolic.reduce add %p_used along 0 : !s -> !r
    %next_sum = math.fma %sum, %shrink, %block_sum : !r
    %shrinks = systolic.broadcast %o_shrink along 0 : !r -> !o
    %kept = arith.mulf %o, %shrinks : !o
    %next_o = systolic.mma %v, %p_rounded, %kept : !vt, !p -> !o
    return %next_o, %next_max, %next_sum, %next_unit : !o, !r, !r, !r
  }

  systolic.kernel @attention(%Q: !Q, %K: !K, %V: !V, %KS: !S, %VS: !S, %Y: !Y, %control: !systolic.control,
                             %block: index, %head: index)
      attributes {launch = #systolic.launch<[q, k, v, k_scales = none, v_scales = none, y, control]>,
                  params = {RG = 64, RQ = 64, L = 64, F = 64, VR = 64, VC = 64, H = 1, HK = 1, G = 1, D = 64, DP = 16,
                            DK = 16, KD = 64, VD = 64, ORDER = 0, BQ = 16, BK = 32,
                            ROWS = 0, CAUSAL = 1, CACHED = 1, CODES = 0, SCALE = 1.0 : f32,
                            WINDOW = 0, OPERAND = f16},
                  schedule = #systolic.schedule<waves = 1x1>,
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
    %rows = arith.muli %step_rows, %G : index
    // The last rows see most keys: they come first, and short work items fill what the long ones leave.
    %BQ_minus_1 = arith.subi %BQ, %c1 : index
    %rows_rounded = arith.addi %rows, %BQ_minus_1 : index
    %blocks = arith.divui %rows_rounded, %BQ : index
    %is_block = arith.cmpi ult, %block, %blocks : index
    %blocks_left = arith.subi %blocks, %block : index
    %mirrored = arith.subi %blocks_left, %c1 : index
    %own_block = arith.select %is_block, %mirrored, %block : index
    %q0 = arith.muli %own_block, %BQ : index
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
    %has_window = arith.cmpi ne, %WINDOW, %c0 : index
    %skips = arith.andi %has_window, %is_far : i1
    %blocks_unseen = arith.select %skips, %unseen_block, %c0 : index
    %first = arith.muli %blocks_unseen, %BK : index

    %all_see = arith.select %is_causal, %after_first, %length : index

    %head_row = arith.muli %head, %G : index
    %query_rows = func.call @rows(%q0) : (index) -> !ri
    %query_limit = arith.muli %step_rows, %H : index
    %q = systolic.load %Q[%head_row, %c0] limit [%query_limit, %D] rows(%query_rows : !ri) transposed : !Q -> !qt

    %ORDER = systolic.param "ORDER"
    %is_ordered = arith.cmpi ne, %ORDER, %c0 : index
    %KD = systolic.param "KD"
    %VD = systolic.param "VD"
    %f0 = arith.muli %head, %KD : index
    %f_end = arith.addi %f0, %D : index
    %v0 = arith.muli %head, %VD : index
    %v_end = arith.addi %v0, %D : index
    // A negative scale is the queries': the largest score is then that of the largest product.
    %f0_f32 = arith.constant 0.0 : f32
    %is_negative = arith.cmpf olt, %SCALE, %f0_f32 : f32
    %q_negated = arith.negf %q : !qt
    %q_signed = arith.select %is_negative, %q_negated, %q : !qt
    %magnitude = math.absf %SCALE : f32
    %smallest = arith.constant 1.0e-20 : f32
    %log2e = arith.constant 1.44269504 : f32
    %positive = arith.maxnumf %magnitude, %smallest : f32
    %factor = arith.mulf %positive, %log2e : f32

    // Of the blocks of keys, those up to here are whole and seen by every row.
    %seen_blocks = arith.divui %all_see, %BK : index
    %blocks_inside = arith.select %is_inside, %seen_blocks, %c0 : index
    %seen_inside = arith.muli %blocks_inside, %BK : index
    %unmasked_end = arith.select %has_window, %first, %seen_inside : index
    %false = arith.constant false
    %true = arith.constant true
    %zero_o = arith.constant dense<0.0> : !o
    %zero_r = arith.constant dense<0.0> : !r
    %unseen_max = arith.constant dense<-1.0e29> : !r
    %smallest_unit = arith.constant dense<0x0d800000> : !r
    %own = func.call @positions(%q0, %before) : (index, index) -> !ri
    %unmasked:4 = scf.for %k0 = %first to %unmasked_end step %BK
        iter_args(%o = %zero_o, %max = %unseen_max, %sum = %zero_r, %unit = %smallest_unit) -> (!o, !r, !r, !r) {
      %k = scf.if %is_ordered -> (!kv) {
        %all_keys = systolic.load %K[%k0, %f0] : !K -> !kv
        scf.yield %all_keys : !kv
      } else {
        %keys = systolic.load %K[%k0, %f0] limit [%length, %f_end] : !K -> !kv
        scf.yield %keys : !kv
      }
      %v = scf.if %is_ordered -> (!vt) {
        %all_values = systolic.load %V[%v0, %k0] : !V -> !vt
        scf.yield %all_values : !vt
      } else {
        %values = systolic.load %V[%k0, %v0] limit [%length, %v_end] transposed : !V -> !vt
        scf.yield %values : !vt
      }
      %k_scale = func.call @scales(%KS, %k0, %head, %length) : (!S, index, index, index) -> !scale
      %v_scale = func.call @scales(%VS, %k0, %head, %length) : (!S, index, index, index) -> !scale
      %next:4 = func.call @attend(%k, %v, %k_scale, %v_scale, %q_signed, %factor, %k0, %own, %length, %false, %o, %max, %sum, %unit)
          : (!kv, !vt, !scale, !scale, !qt, f32, index, !ri, index, i1, !o, !r, !r, !r) -> (!o, !r, !r, !r)
      scf.yield %next#0, %next#1, %next#2, %next#3 : !o, !r, !r, !r
    }
    // Rows' positions are counted from the block's first key on, from round to round: else LLVM would hold as many copies of
    // them through the loop as a lane has scores.
    %begin_i32 = arith.index_cast %unmasked_end : index to i32
    %begin = systolic.broadcast %begin_i32 : i32 -> !ri
    %first_ahead = arith.subi %own, %begin : !ri
    %BK_i32 = arith.index_cast %BK : index to i32
    %advance = systolic.broadcast %BK_i32 : i32 -> !ri
    %state:5 = scf.for %k0 = %unmasked_end to %end step %BK
        iter_args(%o = %unmasked#0, %max = %unmasked#1, %sum = %unmasked#2, %unit = %unmasked#3, %ahead = %first_ahead)
        -> (!o, !r, !r, !r, !ri) {
      %k0_i32 = arith.index_cast %k0 : index to i32
      %here = systolic.broadcast %k0_i32 : i32 -> !ri
      %own_now = arith.addi %ahead, %here : !ri
      %next_ahead = arith.subi %ahead, %advance : !ri
      // Keys that are not there score anything, and no row sees them.
      %k = scf.if %is_ordered -> (!kv) {
        %all_keys = systolic.load %K[%k0, %f0] : !K -> !kv
        scf.yield %all_keys : !kv
      } else {
        %keys = systolic.load %K[%k0, %f0] limit [%length, %f_end] : !K -> !kv
        scf.yield %keys : !kv
      }
      %v = scf.if %is_ordered -> (!vt) {
        %all_values = systolic.load %V[%v0, %k0] : !V -> !vt
        %existing = func.call @existing(%all_values, %k0, %length) : (!vt, index, index) -> !vt
        scf.yield %existing : !vt
      } else {
        %values = systolic.load %V[%k0, %v0] limit [%length, %v_end] transposed : !V -> !vt
        scf.yield %values : !vt
      }
      %k_scale = func.call @scales(%KS, %k0, %head, %length) : (!S, index, index, index) -> !scale
      %v_scale = func.call @scales(%VS, %k0, %head, %length) : (!S, index, index, index) -> !scale
      %next:4 = func.call @attend(%k, %v, %k_scale, %v_scale, %q_signed, %factor, %k0, %own_now, %length, %true, %o, %max, %sum, %unit)
          : (!kv, !vt, !scale, !scale, !qt, f32, index, !ri, index, i1, !o, !r, !r, !r) -> (!o, !r, !r, !r)
      scf.yield %next#0, %next#1, %next#2, %next#3, %next_ahead : !o, !r, !r, !r, !ri
    }
    %sums = systolic.broadcast %state#2 along 0 : !r -> !o
    %average = arith.divf %state#0, %sums : !o
    %CODES = systolic.param "CODES"
    %is_codes = arith.cmpi ne, %CODES, %c0 : index
    %result = scf.if %is_codes -> (!o) {
      %units = systolic.broadcast %state#3 along 0 : !r -> !o
      %scaled = arith.mulf %average, %units : !o
      scf.yield %scaled : !o
    } else {
      scf.yield %average : !o
    }
    %result_rows = func.call @rows(%q0) : (index) -> !ri
    systolic.store %result, %Y[%head_row, %c0] limit [%query_limit, %D] rows(%result_rows : !ri) transposed : !o, !Y
    systolic.return
  }
}
