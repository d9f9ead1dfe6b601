// attention: Y[t, h] = softmax(scale * Q[t, h] . K[0..n, g]) . V[0..n, g], with an online softmax.
//
// Rows are (token, query head of one key head): row r of key head g is query head g*G + r mod G of token r / G, with
// G = H / HK, so that the heads of a group share the keys they read. One work item is BQ such rows of one key head.
// The products are transposed, S' = K . Q' and O' = V' . P, so that the first product's result has the register layout
// of the second one's operand. DP is the head size D rounded up to whole cells; the columns past D are zeros.
// CAUSAL = 1: token t sees the keys up to its own position; otherwise all keys of the step. CACHED = 1: keys and values
// are caches, filled up to the step's last position. WINDOW: a token sees only the last WINDOW of its keys, its own key
// included; 0: all. If a row sees no key of its first blocks, its sum begins with the first key that it sees.
// Keys that a row does not see have weight 0. An infinity or NaN among their values therefore affects the rows that share
// their block.
// OPERAND: the type of Q, K and V. Scores, sums and the output are f32; the weights are rounded to OPERAND.
// Weights are 2^(score * factor - reference) with factor = |SCALE| * log2(e). A row's reference is its largest scaled score, but it is
// only replaced when it grows by more than 8. So weights are at most 2^8, few blocks change a reference, and a row's bits depend on
// this row alone. The initial reference is far above the score of an unseen key, so unseen keys have weight 0 in the first block too.
// Partial sums of the unrounded weights stay in their lanes until all keys are processed.
// CODES = 1: K and V are codes, with a scale for each key and head in KS and VS. A key's scale multiplies its scores, a value's its
// weights. f16 holds every code, and the conversion to f16 takes the fewest instructions, so OPERAND is f16 if queries have 16 bits.
// A row of queries is then divided by the power of two below its largest magnitude. Weights are divided by a power of two near the
// largest scale that the row has seen, so that neither overflows nor vanishes. The sums that divide the result are sums of
// weights without scales.
// ORDER = 1: keys, values and scales are in operand order (#nstf.operand_order). V is transposed. Each key head has KD columns of K
// and VD rows of V; a head's padding is 0. DK: the head size in the product with keys, DP or KD. Scales are transposed, too.
// SR, SC: their rows and columns. FINITE = 1: whatever memory holds for a value is a finite number.
// RAISE = 1: 1152 is added to codes of i8 before the product, which f16 holds exactly and which saves one instruction for two codes.
// Scores then start at -1152 times the sum of the row's query. The rounding error of these sums is at most 2^-14 of a code.
// Memory beyond the last position affects no row, whatever it holds.
// Waves: one row of waves, which divide the BQ query rows among themselves.
// PARTS: the number of workgroups that divide a work item's keys among themselves. Part p has the blocks p, p + PARTS and so on, so
// a part's keys are the same in every launch. Each part stores each row's O, its reference and its sum in `partials`, and the last
// workgroup to arrive adds the parts in order. If one part has all keys, it stores the result alone. For BQ = 16 it adds row by row,
// all parts of a row at once. For more rows a part's results stand in `tiles`, as products leave them, and all rows are added part by
// part; then only as many parts take part as there are KEYS keys for.
// CREWS: the number of consecutive parts in one workgroup, one for each crew. The crews of the last workgroup add one row each at a time.
!qt = tensor<16x16x!systolic.operand, #systolic.axes<DK, BQ>>
!qf = tensor<16x16xf32, #systolic.axes<DK, BQ>>
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
!sums = tensor<4x16xf32, #systolic.axes<4, BQ>>
!asks = tensor<4x16xi1, #systolic.axes<4, BQ>>
!row_asks = tensor<16xi1, #systolic.axes<BQ>>
!scale = tensor<32x1xf32, #systolic.axes<BK, 1>>
!Q = memref<64x64x!systolic.operand, #systolic.axes<RQ, D>>
!K = memref<64x64x!systolic.operand, #systolic.axes<L, F>>
!V = memref<64x64x!systolic.operand, #systolic.axes<VR, VC>>
!S = memref<64x1xf32, #systolic.axes<SR, SC>>
!Y = memref<64x64xf32, #systolic.axes<RQ, D>>
!partials = memref<64x32xf32, #systolic.axes<RQ * PARTS, DX>>
!tiles = memref<64x16xf32, #systolic.axes<RG / BQ * HK * PARTS * DX, BQ>>
!arrived = memref<64xi32, #systolic.axes<RQ>>
!column = tensor<1x16xf32, #systolic.axes<1, BQ>>
!of_parts = tensor<4x16xf32, #systolic.axes<PARTS, DP>>
!by_part = tensor<4x1xf32, #systolic.axes<PARTS, 1>>
!part_number = tensor<4x1xi32, #systolic.axes<PARTS, 1>>
!part_mask = tensor<4x1xi1, #systolic.axes<PARTS, 1>>
!part_list = tensor<4xf32, #systolic.axes<PARTS>>
!features = tensor<16xf32, #systolic.axes<DP>>
!line = tensor<1x16xf32, #systolic.axes<1, DP>>
!one = tensor<1xf32, #systolic.axes<1>>

module {
  // Row r of the work item's key head as a row of Q: token * H + head.
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

  // Which keys of a block each row may see.
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
    // The distance to a later key wraps around to 2^31 or more. A key that is not later exists.
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

  // A block's scores, scales and values as its rows see them. Scores of keys that a row must not see become the lowest
  // score.
  func.func private @mask(%scores: !s, %v_scales: !s, %v: !vt, %k0: index, %own: !ri, %length: index) -> (!s, !s, !vt) {
    %is_seen = func.call @sees(%k0, %own, %length) : (index, !ri, index) -> !mask
    %lowest = arith.constant dense<-1.0e30> : !s
    %zero = arith.constant dense<0.0> : !s
    %seen = arith.select %is_seen, %scores, %lowest : !mask, !s
    %seen_scales = arith.select %is_seen, %v_scales, %zero : !mask, !s
    // In row order, keys that don't exist are not loaded, and finite values have weight 0.
    %ORDER = systolic.param "ORDER"
    %FINITE = systolic.param "FINITE"
    %c0 = arith.constant 0 : index
    %is_ordered = arith.cmpi ne, %ORDER, %c0 : index
    %may_be_undefined = arith.cmpi eq, %FINITE, %c0 : index
    %is_chosen = arith.andi %is_ordered, %may_be_undefined : i1
    %values = scf.if %is_chosen -> (!vt) {
      %existing = func.call @existing(%v, %k0, %length) : (!vt, index, index) -> !vt
      scf.yield %existing : !vt
    } else {
      scf.yield %v : !vt
    }
    return %seen, %seen_scales, %values : !s, !s, !vt
  }

  // The values of a block of keys, with 0 for keys that don't exist.
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
    %ORDER = systolic.param "ORDER"
    %HK = systolic.param "HK"
    %c0 = arith.constant 0 : index
    %is_codes = arith.cmpi ne, %CODES, %c0 : index
    %is_ordered = arith.cmpi ne, %ORDER, %c0 : index
    %result = scf.if %is_codes -> (!scale) {
      %loaded = scf.if %is_ordered -> (!scale) {
        %side_by_side = systolic.load %buffer[%head, %k0] transposed : !S -> !scale
        scf.yield %side_by_side : !scale
      } else {
        %by_rows = systolic.load %buffer[%k0, %head] limit [%length, %HK] : !S -> !scale
        scf.yield %by_rows : !scale
      }
      scf.yield %loaded : !scale
    } else {
      %none = arith.constant dense<1.0> : !scale
      scf.yield %none : !scale
    }
    return %result : !scale
  }

  // Queries of 16 bits as f16, divided by a power of two for each row so that they are less than 2; and these powers.
  func.func private @fit_queries(%q: !qf) -> (!qt, !r) {
    %sizes = math.absf %q : !qf
    %largest = systolic.reduce max %sizes along 0 : !qf -> !r
    // Scores must stay far from those of unseen keys.
    %least = arith.constant dense<0x35800000> : !r
    %most = arith.constant dense<0x4e800000> : !r
    %above = arith.maxnumf %largest, %least : !r
    %within = arith.minnumf %above, %most : !r
    %bits = arith.bitcast %within : !r to !ri
    %exponents = arith.constant dense<0x7f800000> : !ri
    %power = arith.andi %bits, %exponents : !ri
    %one_squared = arith.constant dense<0x7f000000> : !ri
    %inverse_power = arith.subi %one_squared, %power : !ri
    %unit = arith.bitcast %power : !ri to !r
    %inverse = arith.bitcast %inverse_power : !ri to !r
    %inverses = systolic.broadcast %inverse along 0 : !r -> !qf
    %fitted = arith.mulf %q, %inverses : !qf
    %operand = arith.truncf %fitted : !qf to !qt
    return %operand, %unit : !qt, !r
  }

  // Weights times the scales of their values, divided by the unit and times 2^6, the most that keeps them within f16.
  func.func private @weigh(%p: !s, %scales: !s, %unit: !r) -> !s {
    %exponent = arith.bitcast %unit : !r to !ri
    %times_64 = arith.constant dense<0x82000000> : !ri
    %inverse_exponent = arith.subi %times_64, %exponent : !ri
    %inverse = arith.bitcast %inverse_exponent : !ri to !r
    %inverses = systolic.broadcast %inverse along 0 : !r -> !s
    %factors = arith.mulf %scales, %inverses : !s
    %weights = arith.mulf %p, %factors : !s
    return %weights : !s
  }

  // Whether one loop processes all blocks of a part. For one cell of rows a part has few blocks, and the code of a second loop
  // costs more to fetch from memory than a branch.
  func.func private @has_one_loop() -> i1 {
    %PARTS = systolic.param "PARTS"
    %BQ = systolic.param "BQ"
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %is_split = arith.cmpi ne, %PARTS, %c1 : index
    %is_cell = arith.cmpi ule, %BQ, %c16 : index
    %has_one_loop = arith.andi %is_split, %is_cell : i1
    return %has_one_loop : i1
  }

  // Processes a block of keys: updates the rows' results, references, sums and units. Every row sees the keys up to `inside`.
  func.func private @attend(%k: !kv, %v: !vt, %k_scale: !scale, %v_scale: !scale, %q: !qt, %start: !s, %factor: !r, %k0: index,
                            %own: !ri, %length: index, %is_masked: i1, %inside: index, %o: !o, %reference: !r, %sum: !sums,
                            %unit: !r) -> (!o, !r, !sums, !r) {
    %CODES = systolic.param "CODES"
    %BK = systolic.param "BK"
    %c0 = arith.constant 0 : index
    %is_codes = arith.cmpi ne, %CODES, %c0 : index
    %RAISE = systolic.param "RAISE"
    %is_raised = arith.cmpi ne, %RAISE, %c0 : index
    %keys = scf.if %is_raised -> (!kv) {
      %offset = arith.constant dense<1152.0> : !kv
      %raised = arith.addf %k, %offset fastmath<reassoc,nsz> : !kv
      scf.yield %raised : !kv
    } else {
      scf.yield %k : !kv
    }
    %products = systolic.mma %keys, %q, %start : !kv, !qt -> !s
    %all_scores = scf.if %is_codes -> (!s) {
      %k_scales = systolic.broadcast %k_scale each along 1 : !scale -> !s
      %scaled = arith.mulf %products, %k_scales : !s
      scf.yield %scaled : !s
    } else {
      scf.yield %products : !s
    }
    %v_scales = systolic.broadcast %v_scale each along 1 : !scale -> !s
    %has_one_loop = func.call @has_one_loop() : () -> i1
    %scores, %seen_scales, %values = scf.if %is_masked -> (!s, !s, !vt) {
      // Few of a part's blocks need a mask.
      %masked:3 = scf.if %has_one_loop -> (!s, !s, !vt) {
        %k_end = arith.addi %k0, %BK : index
        %reaches_out = arith.cmpi ugt, %k_end, %inside : index
        %asks = systolic.broadcast %reaches_out : i1 -> !row_asks
        %seen:3 = systolic.if_any %asks {
          %some:3 = func.call @mask(%all_scores, %v_scales, %v, %k0, %own, %length)
              : (!s, !s, !vt, index, !ri, index) -> (!s, !s, !vt)
          systolic.yield %some#0, %some#1, %some#2 : !s, !s, !vt
        } else %all_scores, %v_scales, %v : !row_asks -> !s, !s, !vt
        scf.yield %seen#0, %seen#1, %seen#2 : !s, !s, !vt
      } else {
        %seen:3 = func.call @mask(%all_scores, %v_scales, %v, %k0, %own, %length)
            : (!s, !s, !vt, index, !ri, index) -> (!s, !s, !vt)
        scf.yield %seen#0, %seen#1, %seen#2 : !s, !s, !vt
      }
      scf.yield %masked#0, %masked#1, %masked#2 : !s, !s, !vt
    } else {
      scf.yield %all_scores, %v_scales, %v : !s, !s, !vt
    }
    %block_scale = scf.if %is_codes -> (!sums) {
      %sizes = math.absf %seen_scales : !s
      %largest = systolic.reduce max %sizes along 0 parts 4 : !s -> !sums
      scf.yield %largest : !sums
    } else {
      %none = arith.constant dense<0.0> : !sums
      scf.yield %none : !sums
    }
    %exponent, %new_reference, %new_unit, %kept_sum, %kept_o
        = func.call @fit(%scores, %block_scale, %factor, %reference, %unit, %sum, %o)
        : (!s, !sums, !r, !r, !r, !sums, !o) -> (!s, !r, !r, !sums, !o)
    %p = math.exp2 %exponent fastmath<afn> : !s
    // The sum is of weights without the values' scales.
    %block_sum = systolic.reduce add %p along 0 parts 4 : !s -> !sums
    %next_sum = arith.addf %kept_sum, %block_sum : !sums
    %weights = scf.if %is_codes -> (!s) {
      %scaled = func.call @weigh(%p, %seen_scales, %new_unit) : (!s, !s, !r) -> !s
      scf.yield %scaled : !s
    } else {
      scf.yield %p : !s
    }
    %p_rounded = arith.truncf %weights fastmath<nnan,afn> : !s to !p
    %next_o = systolic.mma %values, %p_rounded, %kept_o : !vt, !p -> !o
    return %next_o, %new_reference, %next_sum, %new_unit : !o, !r, !sums, !r
  }

  // A block's exponents. Raises references and units to fit its scores and scales, and rescales sums and results to match.
  // If a score exceeds the row's reference by more than weights may grow, the block's largest score becomes the reference;
  // if a scale is at least two units, the unit becomes the power of two not above it. Other rows stay the same, bit for bit.
  func.func private @fit(%scores: !s, %block_scale: !sums, %factor: !r, %reference: !r, %unit: !r, %sum: !sums, %o: !o)
      -> (!s, !r, !r, !sums, !o) {
    %CODES = systolic.param "CODES"
    %c0 = arith.constant 0 : index
    %is_codes = arith.cmpi ne, %CODES, %c0 : index
    %factor_s = systolic.broadcast %factor along 0 : !r -> !s
    %shift = arith.negf %reference : !r
    %shifts = systolic.broadcast %shift along 0 : !r -> !s
    %exponent = math.fma %scores, %factor_s, %shifts : !s
    %largest = systolic.reduce max %exponent along 0 parts 4 : !s -> !sums
    %bounds = arith.constant dense<8.0> : !sums
    %has_grown = arith.cmpf ogt, %largest, %bounds : !sums
    %asks = scf.if %is_codes -> (!asks) {
      %units = systolic.broadcast %unit along 0 : !r -> !sums
      %two_units = arith.addf %units, %units : !sums
      %is_larger = arith.cmpf oge, %block_scale, %two_units : !sums
      %either = arith.ori %has_grown, %is_larger : !asks
      scf.yield %either : !asks
    } else {
      scf.yield %has_grown : !asks
    }
    %new:5 = systolic.if_any %asks {
      %row_largest = systolic.reduce max %largest along 0 : !sums -> !r
      %bound = arith.constant dense<8.0> : !r
      %grows = arith.cmpf ogt, %row_largest, %bound : !r
      %row_max = systolic.reduce max %scores along 0 : !s -> !r
      %scaled_max = arith.mulf %row_max, %factor : !r
      %new_reference = arith.select %grows, %scaled_max, %reference : !row_asks, !r
      %new_shift = arith.negf %new_reference : !r
      %new_shifts = systolic.broadcast %new_shift along 0 : !r -> !s
      %new_exponent = math.fma %scores, %factor_s, %new_shifts : !s
      %log_shrink = arith.subf %reference, %new_reference : !r
      %shrink = math.exp2 %log_shrink fastmath<afn> : !r
      %new_unit, %o_shrink = scf.if %is_codes -> (!r, !r) {
        %row_scale = systolic.reduce max %block_scale along 0 : !sums -> !r
        %scale_or_unit = arith.maxnumf %unit, %row_scale : !r
        %bits = arith.bitcast %scale_or_unit : !r to !ri
        %exponents = arith.constant dense<0x7f800000> : !ri
        %power_bits = arith.andi %bits, %exponents : !ri
        %power = arith.bitcast %power_bits : !ri to !r
        %ratio = arith.divf %unit, %power : !r
        %both = arith.mulf %shrink, %ratio : !r
        scf.yield %power, %both : !r, !r
      } else {
        scf.yield %unit, %shrink : !r, !r
      }
      %sum_shrinks = systolic.broadcast %shrink along 0 : !r -> !sums
      %kept_sum = arith.mulf %sum, %sum_shrinks : !sums
      %o_shrinks = systolic.broadcast %o_shrink along 0 : !r -> !o
      %kept_o = arith.mulf %o, %o_shrinks : !o
      systolic.yield %new_exponent, %new_reference, %new_unit, %kept_sum, %kept_o : !s, !r, !r, !sums, !o
    } else %exponent, %reference, %unit, %sum, %o : !asks -> !s, !r, !r, !sums, !o
    return %new#0, %new#1, %new#2, %new#3, %new#4 : !s, !r, !r, !sums, !o
  }

  // The first key of a part's first block, among the keys from `first` on.
  func.func private @part_begin(%first: index, %part: index, %parts: index) -> index {
    %BK = systolic.param "BK"
    %first_block = arith.divui %first, %BK : index
    %first_part = arith.remui %first_block, %parts : index
    %part_after = arith.addi %part, %parts : index
    %blocks_until = arith.subi %part_after, %first_part : index
    %blocks_skipped = arith.remui %blocks_until, %parts : index
    %keys_skipped = arith.muli %blocks_skipped, %BK : index
    %begin = arith.addi %first, %keys_skipped : index
    return %begin : index
  }

  // Stores the results of one part of the keys at [(head * rows + row) * PARTS + part].
  func.func private @leave(%o: !o, %reference: !r, %sum: !r, %partials: !partials, %first: index, %limit: index, %q0: index,
                           %part: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %DP = systolic.param "DP"
    %DX = systolic.param "DX"
    %PARTS = systolic.param "PARTS"
    %q0_i32 = arith.index_cast %q0 : index to i32
    %first_row = systolic.broadcast %q0_i32 : i32 -> !ri
    %row_in_block = systolic.iota along 0 : !ri
    %row = arith.addi %row_in_block, %first_row : !ri
    %PARTS_i32 = arith.index_cast %PARTS : index to i32
    %parts = systolic.broadcast %PARTS_i32 : i32 -> !ri
    %part_i32 = arith.index_cast %part : index to i32
    %own = systolic.broadcast %part_i32 : i32 -> !ri
    %start = arith.muli %row, %parts : !ri
    %place = arith.addi %start, %own : !ri
    systolic.store %o, %partials[%first, %c0] limit [%limit, %DX] rows(%place : !ri) transposed : !o, !partials
    %reference_column = systolic.broadcast %reference along 0 : !r -> !column
    systolic.store %reference_column, %partials[%first, %DP] limit [%limit, %DX] rows(%place : !ri) transposed : !column, !partials
    %sum_column = systolic.broadcast %sum along 0 : !r -> !column
    %sum_at = arith.addi %DP, %c1 : index
    systolic.store %sum_column, %partials[%first, %sum_at] limit [%limit, %DX] rows(%place : !ri) transposed : !column, !partials
    return
  }

  // The result of a row, whose parts that have keys are stored from `begin` to `end`.
  func.func private @merge(%partials: !partials, %begin: index, %end: index) -> !line {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %DP = systolic.param "DP"
    %DX = systolic.param "DX"
    %sum_at = arith.addi %DP, %c1 : index
    %stored = systolic.load %partials[%begin, %DP] limit [%end, %DX] : !partials -> !by_part
    %sum = systolic.load %partials[%begin, %sum_at] limit [%end, %DX] : !partials -> !by_part
    %o = systolic.load %partials[%begin, %c0] limit [%end, %DX] : !partials -> !of_parts
    %active = arith.subi %end, %begin : index
    %active_i32 = arith.index_cast %active : index to i32
    %actives = systolic.broadcast %active_i32 : i32 -> !part_number
    %number = systolic.iota along 0 : !part_number
    %is_there = arith.cmpi ult, %number, %actives : !part_number
    %minus_infinity = arith.constant dense<0xff800000> : !by_part
    %reference = arith.select %is_there, %stored, %minus_infinity : !part_mask, !by_part
    %largest = systolic.reduce max %reference along 0 : !by_part -> !one
    %largest_of_all = systolic.broadcast %largest along 0 : !one -> !by_part
    %exponent = arith.subf %reference, %largest_of_all : !by_part
    %weight = math.exp2 %exponent fastmath<afn> : !by_part
    %weighted_sum = arith.mulf %sum, %weight : !by_part
    %total = systolic.reduce add %weighted_sum along 0 : !by_part -> !one
    %unit = arith.constant dense<1.0> : !one
    %share = arith.divf %unit, %total : !one
    %shares = systolic.broadcast %share along 1 : !one -> !line
    %weight_list = systolic.reduce add %weight along 1 : !by_part -> !part_list
    %weights = systolic.broadcast %weight_list along 1 : !part_list -> !of_parts
    %weighted = arith.mulf %o, %weights : !of_parts
    %features = systolic.reduce add %weighted along 0 : !of_parts -> !features
    %line = systolic.broadcast %features along 0 : !features -> !line
    %average = arith.mulf %line, %shares : !line
    return %average : !line
  }

  // Stores what a part gives a work item in the tile from row `first` on: O, then a row of references and a row of sums.
  func.func private @leave_tile(%o: !o, %reference: !r, %sum: !r, %tiles: !tiles, %first: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %DP = systolic.param "DP"
    systolic.store %o, %tiles[%first, %c0] : !o, !tiles
    %reference_row = arith.addi %first, %DP : index
    %references = systolic.broadcast %reference along 0 : !r -> !column
    systolic.store %references, %tiles[%reference_row, %c0] : !column, !tiles
    %sum_row = arith.addi %reference_row, %c1 : index
    %sums = systolic.broadcast %sum along 0 : !r -> !column
    systolic.store %sums, %tiles[%sum_row, %c0] : !column, !tiles
    return
  }

  // Adds up a work item's parts, whose tiles begin at row `first`, in order. The result has the layout of products' results,
  // which `own` has, so that a lane stores four numbers of a row at once.
  func.func private @merge_tiles(%own: !o, %tiles: !tiles, %first: index, %active: index) -> !o {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %DP = systolic.param "DP"
    %DX = systolic.param "DX"
    %zeros = arith.constant dense<0.0> : !o
    %has_none = arith.cmpi eq, %active, %c0 : index
    %zero_o = arith.select %has_none, %own, %zeros : !o
    %zero_sum = arith.constant dense<0.0> : !column
    %lowest = arith.constant dense<0xff800000> : !column
    %merged:3 = scf.for %part = %c0 to %active step %c1
        iter_args(%o = %zero_o, %reference = %lowest, %sum = %zero_sum) -> (!o, !column, !column) {
      %rows_before = arith.muli %part, %DX : index
      %o_row = arith.addi %first, %rows_before : index
      %part_o = systolic.load %tiles[%o_row, %c0] : !tiles -> !o
      %reference_row = arith.addi %o_row, %DP : index
      %part_reference = systolic.load %tiles[%reference_row, %c0] : !tiles -> !column
      %sum_row = arith.addi %reference_row, %c1 : index
      %part_sum = systolic.load %tiles[%sum_row, %c0] : !tiles -> !column
      %next_reference = arith.maxnumf %reference, %part_reference : !column
      %exponent = arith.subf %reference, %next_reference : !column
      %weight = math.exp2 %exponent fastmath<afn> : !column
      %part_exponent = arith.subf %part_reference, %next_reference : !column
      %part_weight = math.exp2 %part_exponent fastmath<afn> : !column
      %kept_sum = arith.mulf %sum, %weight : !column
      %next_sum = math.fma %part_sum, %part_weight, %kept_sum : !column
      %weights = systolic.broadcast %weight each along 0 : !column -> !o
      %part_weights = systolic.broadcast %part_weight each along 0 : !column -> !o
      %kept_o = arith.mulf %o, %weights : !o
      %next_o = math.fma %part_o, %part_weights, %kept_o : !o
      scf.yield %next_o, %next_reference, %next_sum : !o, !column, !column
    }
    %one = arith.constant dense<1.0> : !column
    %share = arith.divf %one, %merged#2 : !column
    %shares = systolic.broadcast %share each along 0 : !column -> !o
    %average = arith.mulf %merged#0, %shares : !o
    return %average : !o
  }

  systolic.kernel @attention(%Q: !Q, %K: !K, %V: !V, %KS: !S, %VS: !S, %Y: !Y, %control: !systolic.control,
                             %partials: !partials, %tiles: !tiles, %arrived: !arrived, %block: index, %head: index, %part_group: index)
      attributes {launch = #systolic.launch<[q, k, v, k_scales = none, v_scales = none, y, control, partials = scratch,
                                             tiles = scratch, arrived = zeros]>,
                  params = {RT = 64, RG = 64, RQ = 64, L = 64, F = 64, VR = 64, VC = 64, H = 1, HK = 1, G = 1, D = 64, DP = 16,
                            DX = 32, DK = 16, KD = 64, VD = 64, SR = 64, SC = 1, ORDER = 0, FINITE = 0, RAISE = 0, BQ = 16, BK = 32, PARTS = 1, KEYS = 256, CREWS = 1,
                            ROWS = 0, CAUSAL = 1, CACHED = 1, CODES = 0, SCALE = 1.0 : f32,
                            WINDOW = 0, OPERAND = f16},
                  schedule = #systolic.schedule<waves = 1x1>,
                  grid = ["RG", "BQ", "HK", 1, "PARTS", "CREWS"]} {
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
    %true = arith.constant true
    %step_rows = systolic.control rows %control
    %position = systolic.control position %control
    %rows = arith.muli %step_rows, %G : index
    // The last rows see most keys: they come first, and short work items fill the gaps that long ones leave.
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

    // Keys that any row of this block sees: up to its last token's position, or all.
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

    // The block of keys in which the first token's window begins. Blocks always begin at multiples of BK, so that a row
    // adds its keys in the same order wherever the step begins.
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
    %CODES = systolic.param "CODES"
    %is_codes = arith.cmpi ne, %CODES, %c0 : index
    %q, %q_unit = scf.if %is_codes -> (!qt, !r) {
      %numbers = systolic.load %Q[%head_row, %c0] limit [%query_limit, %D] rows(%query_rows : !ri) transposed : !Q -> !qf
      %fitted:2 = func.call @fit_queries(%numbers) : (!qf) -> (!qt, !r)
      scf.yield %fitted#0, %fitted#1 : !qt, !r
    } else {
      %numbers = systolic.load %Q[%head_row, %c0] limit [%query_limit, %D] rows(%query_rows : !ri) transposed : !Q -> !qt
      %ones = arith.constant dense<1.0> : !r
      scf.yield %numbers, %ones : !qt, !r
    }

    %ORDER = systolic.param "ORDER"
    %is_ordered = arith.cmpi ne, %ORDER, %c0 : index
    %KD = systolic.param "KD"
    %VD = systolic.param "VD"
    %f0 = arith.muli %head, %KD : index
    %f_end = arith.addi %f0, %D : index
    %v0 = arith.muli %head, %VD : index
    %v_end = arith.addi %v0, %D : index
    // The sign of a negative scale moves to the queries, so that the largest score is that of the largest product.
    %f0_f32 = arith.constant 0.0 : f32
    %is_negative = arith.cmpf olt, %SCALE, %f0_f32 : f32
    %q_negated = arith.negf %q : !qt
    %q_signed = arith.select %is_negative, %q_negated, %q : !qt
    %RAISE = systolic.param "RAISE"
    %is_raised = arith.cmpi ne, %RAISE, %c0 : index
    %zero_scores = arith.constant dense<0.0> : !s
    %start = scf.if %is_raised -> (!s) {
      %offset = arith.constant dense<-1152.0> : !kv
      %below = systolic.mma %offset, %q_signed, %zero_scores : !kv, !qt -> !s
      scf.yield %below : !s
    } else {
      scf.yield %zero_scores : !s
    }
    %magnitude = math.absf %SCALE : f32
    %smallest = arith.constant 1.0e-20 : f32
    %log2e = arith.constant 1.44269504 : f32
    %positive = arith.maxnumf %magnitude, %smallest : f32
    %factor_of_all = arith.mulf %positive, %log2e : f32
    %factors = systolic.broadcast %factor_of_all : f32 -> !r
    %factor = arith.mulf %factors, %q_unit : !r

    // The blocks of keys up to here are whole, and every row sees them.
    %seen_blocks = arith.divui %all_see, %BK : index
    %blocks_inside = arith.select %is_inside, %seen_blocks, %c0 : index
    %seen_inside = arith.muli %blocks_inside, %BK : index
    %unmasked_end = arith.select %has_window, %first, %seen_inside : index

    // This part's first block, and its first block that is not whole or not seen by every row. A crew beyond the last
    // part has no blocks. Of tiles only as many parts take part as there are KEYS keys for.
    %PARTS = systolic.param "PARTS"
    %CREWS = systolic.param "CREWS"
    %is_split = arith.cmpi ne, %PARTS, %c1 : index
    %has_one_loop = func.call @has_one_loop() : () -> i1
    %has_tiles = arith.cmpi ugt, %is_split, %has_one_loop : i1
    %KEYS = systolic.param "KEYS"
    %keys_of_part = arith.maxui %KEYS, %c1 : index
    %parts_of_keys = arith.divui %end, %keys_of_part : index
    %some_parts = arith.maxui %parts_of_keys, %c1 : index
    %parts_of_tiles = arith.minui %some_parts, %PARTS : index
    %parts = arith.select %has_tiles, %parts_of_tiles, %PARTS : index
    %stride = arith.muli %BK, %parts : index
    %group_part = arith.muli %part_group, %CREWS : index
    %crew = systolic.crew of %CREWS
    %part = arith.addi %group_part, %crew : index
    %is_alike = arith.cmpi eq, %CREWS, %c1 : index
    %has_all = arith.cmpi ugt, %is_alike, %has_tiles : i1
    %is_below = arith.cmpi ult, %part, %parts : index
    %is_part = arith.select %has_all, %true, %is_below : i1
    %part_end = arith.select %is_part, %end, %c0 : index
    %part_first = func.call @part_begin(%first, %part, %parts) : (index, index, index) -> index
    %part_unmasked_end = func.call @part_begin(%unmasked_end, %part, %parts) : (index, index, index) -> index
    %own_masked_first = arith.select %is_part, %part_unmasked_end, %part_first : index
    %masked_first = arith.select %has_one_loop, %part_first, %own_masked_first : index
    %false = arith.constant false
    %zero_o = arith.constant dense<0.0> : !o
    %zero_sums = arith.constant dense<0.0> : !sums
    %unseen_score = arith.constant dense<-1.0e29> : !r
    %first_reference = arith.mulf %unseen_score, %factor : !r
    %smallest_unit = arith.constant dense<0x0d800000> : !r
    %own = func.call @positions(%q0, %before) : (index, index) -> !ri
    %unmasked:4 = scf.for %k0 = %part_first to %masked_first step %stride
        iter_args(%o = %zero_o, %reference = %first_reference, %sum = %zero_sums, %unit = %smallest_unit) -> (!o, !r, !sums, !r) {
      %k = scf.if %is_ordered -> (!kv) {
        %all_keys = systolic.load %K[%k0, %f0] : !K -> !kv
        scf.yield %all_keys : !kv
      } else {
        %keys = systolic.load %K[%k0, %f0] limit [%length, %f_end] : !K -> !kv
        scf.yield %keys : !kv
      }
      %k_scale = func.call @scales(%KS, %k0, %head, %length) : (!S, index, index, index) -> !scale
      %v_scale = func.call @scales(%VS, %k0, %head, %length) : (!S, index, index, index) -> !scale
      %v = scf.if %is_ordered -> (!vt) {
        %all_values = systolic.load %V[%v0, %k0] : !V -> !vt
        scf.yield %all_values : !vt
      } else {
        %values = systolic.load %V[%k0, %v0] limit [%length, %v_end] transposed : !V -> !vt
        scf.yield %values : !vt
      }
      %next:4 = func.call @attend(%k, %v, %k_scale, %v_scale, %q_signed, %start, %factor, %k0, %own, %length, %false, %all_see, %o, %reference, %sum, %unit)
          : (!kv, !vt, !scale, !scale, !qt, !s, !r, index, !ri, index, i1, index, !o, !r, !sums, !r) -> (!o, !r, !sums, !r)
      scf.yield %next#0, %next#1, %next#2, %next#3 : !o, !r, !sums, !r
    }
    // With a window, the first blocks need a mask too.
    %inside = arith.select %has_window, %c0, %all_see : index
    // Rows' positions are relative to the block's first key and are updated each round; otherwise LLVM would keep as
    // many copies of them through the loop as a lane has scores.
    %begin_i32 = arith.index_cast %masked_first : index to i32
    %begin = systolic.broadcast %begin_i32 : i32 -> !ri
    %first_ahead = arith.subi %own, %begin : !ri
    %stride_i32 = arith.index_cast %stride : index to i32
    %advance = systolic.broadcast %stride_i32 : i32 -> !ri
    %state:5 = scf.for %k0 = %masked_first to %part_end step %stride
        iter_args(%o = %unmasked#0, %reference = %unmasked#1, %sum = %unmasked#2, %unit = %unmasked#3, %ahead = %first_ahead)
        -> (!o, !r, !sums, !r, !ri) {
      %k0_i32 = arith.index_cast %k0 : index to i32
      %here = systolic.broadcast %k0_i32 : i32 -> !ri
      %own_now = arith.addi %ahead, %here : !ri
      %next_ahead = arith.subi %ahead, %advance : !ri
      // Keys that don't exist have arbitrary scores, but no row sees them.
      %k = scf.if %is_ordered -> (!kv) {
        %all_keys = systolic.load %K[%k0, %f0] : !K -> !kv
        scf.yield %all_keys : !kv
      } else {
        %keys = systolic.load %K[%k0, %f0] limit [%length, %f_end] : !K -> !kv
        scf.yield %keys : !kv
      }
      %k_scale = func.call @scales(%KS, %k0, %head, %length) : (!S, index, index, index) -> !scale
      %v_scale = func.call @scales(%VS, %k0, %head, %length) : (!S, index, index, index) -> !scale
      %v = scf.if %is_ordered -> (!vt) {
        %all_values = systolic.load %V[%v0, %k0] : !V -> !vt
        scf.yield %all_values : !vt
      } else {
        %values = systolic.load %V[%k0, %v0] limit [%length, %v_end] transposed : !V -> !vt
        scf.yield %values : !vt
      }
      %next:4 = func.call @attend(%k, %v, %k_scale, %v_scale, %q_signed, %start, %factor, %k0, %own_now, %length, %true, %inside, %o, %reference, %sum, %unit)
          : (!kv, !vt, !scale, !scale, !qt, !s, !r, index, !ri, index, i1, index, !o, !r, !sums, !r) -> (!o, !r, !sums, !r)
      scf.yield %next#0, %next#1, %next#2, %next#3, %next_ahead : !o, !r, !sums, !r, !ri
    }
    %o = scf.if %is_codes -> (!o) {
      %one_64th = arith.constant dense<0.015625> : !r
      %unit = arith.mulf %state#3, %one_64th : !r
      %units = systolic.broadcast %unit along 0 : !r -> !o
      %scaled = arith.mulf %state#0, %units : !o
      scf.yield %scaled : !o
    } else {
      scf.yield %state#0 : !o
    }
    // One division per row.
    %row_sum = systolic.reduce add %state#2 along 0 : !sums -> !r
    %one = arith.constant dense<1.0> : !r
    %share = arith.divf %one, %row_sum : !r
    %shares = systolic.broadcast %share along 0 : !r -> !o
    %average = arith.mulf %o, %shares : !o
    %result_rows = func.call @rows(%q0) : (index) -> !ri
    scf.if %is_split {
      %keys = arith.subi %end, %first : index
      %BK_minus_1 = arith.subi %BK, %c1 : index
      %keys_rounded = arith.addi %keys, %BK_minus_1 : index
      %blocks_seen = arith.divui %keys_rounded, %BK : index
      %parts_seen = arith.minui %blocks_seen, %parts : index
      // The blocks of a window may belong to any parts: then all parts take part, even those without blocks.
      %active = arith.select %has_window, %parts, %parts_seen : index
      %sees_keys = arith.cmpi ult, %part_first, %part_end : index
      %is_inside_part = arith.andi %is_inside, %is_part : i1
      %has_part = arith.select %has_window, %is_inside_part, %sees_keys : i1
      // All crews of a workgroup must reach the same `arrive`: they take part if the workgroup's first part does.
      %group_first = func.call @part_begin(%first, %group_part, %parts) : (index, index, index) -> index
      %group_sees_keys = arith.cmpi ult, %group_first, %end : index
      %may_take_part = arith.select %has_window, %is_inside, %group_sees_keys : i1
      %takes_tile = arith.andi %may_take_part, %is_part : i1
      %takes_part = arith.select %has_tiles, %takes_tile, %may_take_part : i1
      scf.if %takes_part {
        %is_alone = arith.cmpi eq, %active, %c1 : index
        scf.if %is_alone {
          scf.if %has_part {
            systolic.store %average, %Y[%head_row, %c0] limit [%query_limit, %D] rows(%result_rows : !ri) transposed : !o, !Y
          }
        } else {
          %HK = systolic.param "HK"
          %DX = systolic.param "DX"
          %rows_before = arith.muli %head, %rows : index
          %partials_first = arith.muli %rows_before, %PARTS : index
          %partials_used = arith.muli %rows, %PARTS : index
          %partials_end = arith.addi %partials_first, %partials_used : index
          %items_before = arith.muli %block, %HK : index
          %item = arith.addi %items_before, %head : index
          %tiles_before = arith.muli %item, %PARTS : index
          %tiles_first = arith.muli %tiles_before, %DX : index
          scf.if %has_part {
            scf.if %has_one_loop {
              func.call @leave(%o, %state#1, %row_sum, %partials, %partials_first, %partials_end, %q0, %part)
                  : (!o, !r, !r, !partials, index, index, index, index) -> ()
            } else {
              %own_before = arith.muli %part, %DX : index
              %tile_first = arith.addi %tiles_first, %own_before : index
              func.call @leave_tile(%o, %state#1, %row_sum, %tiles, %tile_first) : (!o, !r, !r, !tiles, index) -> ()
            }
          }
          %CREWS_minus_1 = arith.subi %CREWS, %c1 : index
          %active_rounded = arith.addi %active, %CREWS_minus_1 : index
          %groups = arith.divui %active_rounded, %CREWS : index
          %is_last = systolic.arrive %arrived[%item] of %groups : !arrived
          scf.if %is_last {
            scf.if %has_one_loop {
              %row_first = arith.addi %q0, %crew : index
              scf.for %row = %row_first to %q_last step %CREWS {
                %parts_before = arith.muli %row, %PARTS : index
                %parts_begin = arith.addi %partials_first, %parts_before : index
                %parts_end = arith.addi %parts_begin, %active : index
                %line = func.call @merge(%partials, %parts_begin, %parts_end) : (!partials, index, index) -> !line
                %token = arith.divui %row, %G : index
                %inner = arith.remui %row, %G : index
                %token_row = arith.muli %token, %H : index
                %row_of_head = arith.addi %head_row, %inner : index
                %y_row = arith.addi %token_row, %row_of_head : index
                systolic.store %line, %Y[%y_row, %c0] limit [%query_limit, %D] : !line, !Y
              }
            } else {
              %merged = func.call @merge_tiles(%o, %tiles, %tiles_first, %active) : (!o, !tiles, index, index) -> !o
              systolic.store %merged, %Y[%head_row, %c0] limit [%query_limit, %D] rows(%result_rows : !ri) transposed : !o, !Y
            }
          }
        }
      }
    } else {
      scf.if %is_part {
        systolic.store %average, %Y[%head_row, %c0] limit [%query_limit, %D] rows(%result_rows : !ri) transposed : !o, !Y
      }
    }
    systolic.return
  }
}
