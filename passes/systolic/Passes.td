// Passes on tile programs, in the order they run. Each pass checks its preconditions (Preconditions.h) and names the
// missing pass in one line. Running a pass twice is an error or changes nothing. File, class, flag and test share one
// name: InsertPrefetch.cpp, InsertPrefetchPass, systolic-insert-prefetch, test/passes/systolic/insert-prefetch.mlir.
#ifndef NSTF_PASSES_SYSTOLIC_PASSES
#define NSTF_PASSES_SYSTOLIC_PASSES

include "mlir/Pass/PassBase.td"

def InstantiatePass : Pass<"systolic-instantiate"> {
  let summary = "sets a template's parameters and resizes every type by its axis names";
  let description = [{
    Takes the parameters of the one kernel in a module or nstf.part, which the option overrides. Resizes tiles, buffers,
    splat constants and the signatures of the slots, and turns every `systolic.param` into a constant. It works on types
    and attributes and substitutes no text. `systolic.control rows` becomes the number of rows, or the tokens of the
    step if that number is known only at run time. `!systolic.operand` becomes the type that the parameter OPERAND
    names, `!systolic.accumulator` the type in which its products are summed. Each parameter is an option of its own
    name, and so is each field of the schedule, without its unit: `systolic-instantiate{BM=48 BN=96 waves=3x1 sum=all}`.

    Preconditions: there is one `systolic.kernel`; tiles have axes, not fragments.
  }];
  let options = [ListOption<"params", "params", "std::string",
                            "parameters and fields of the schedule to override, NAME=VALUE">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def OrderWorkgroupsPass : Pass<"systolic-order-workgroups", "::nstf::systolic::KernelOp"> {
  let summary = "maps workgroups to the work items of a grid";
  let description = [{
    A template has a work index for each axis of its grid; a launch counts workgroups from 0. In row-by-row order the
    last axis changes fastest, so consecutive workgroups read the same rows. But the chip distributes consecutive
    workgroups over its XCDs in turn, and each XCD has its own L2. The alternative order gives each XCD a contiguous run
    of work items, and passes through a window of rows column by column. The pass chooses the order in which the work
    items that run on an XCD at the same time share more of the bytes that loops load. It counts their distinct rows and
    columns; remarks give that share before and after, in percent.

    If the first axis grows with the tokens of a step, the order is chosen for the largest launch. Runs and the last
    window then end where the control block's tokens require. Without a target the order is row by row.

    Preconditions: instantiated, so that the sizes of the grid are final; at most the first axis grows with the tokens
    of a step.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def DropUnusedArgumentsPass : Pass<"systolic-drop-unused-arguments", "::nstf::systolic::KernelOp"> {
  let summary = "removes the control block and the buffers that a kernel does not read";
  let description = [{
    Once its parameters are constants, a kernel for a fixed number of rows reads neither `tokens` nor `position`, and
    the size of none of its buffers depends on the launch's tokens. Its launcher then needs no control block. A buffer
    that is `none` in the kernel's launch, because the operation has no value for it, is removed; it is an error if
    something still reads it.

    Preconditions: instantiated, slots inlined, one work index; canonicalized, so that dead code is gone.
  }];
}

def ExpandMathPass : Pass<"systolic-expand-math", "::nstf::systolic::KernelOp"> {
  let summary = "expands tanh and erf to arithmetic and exp";
  let description = [{
    The chips have no instruction for either. The expansion is for scalars and tiles of f32, with an error of at most
    1e-7; signed zeros, infinities and NaNs give the correct results.

    Precondition: instantiated, slots inlined.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def AlignBlocksPass : Pass<"systolic-align-blocks", "::nstf::systolic::KernelOp"> {
  let summary = "makes the last block of a sum of products end with the sum";
  let description = [{
    If a block's columns do not divide a sum, the last block would be ragged, and in a single loop every load would have
    to check for the end of its row. The pass instead shifts all blocks back, so that the first one begins before the
    first column and the last one ends with the sum. The columns before the first count as 0, like everything out of
    bounds. Only the first block is ragged then, and a pipelined loop loads it in front of its rounds. If a block's rows
    are half a cache line of the L1 and there are 16 blocks or more, the pass also makes their number even, by an empty
    block, so that they can be loaded in pairs.

    The pass refuses (with a missed remark) if the column is used for more than an index into buffers that end with the
    sum: for codes that are decoded, or for a buffer stored in blocks.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def SplitReductionPass : Pass<"systolic-split-reduction", "::nstf::systolic::KernelOp"> {
  let summary = "divides the columns of sums of products among waves";
  let description = [{
    A product of few tiles leaves compute units idle. If its tiles are made small enough for all compute units, a
    workgroup has too few waves to hide latency. The schedule's `waves` therefore may place several waves along K: each
    accumulates a part of the sum in registers of its own, and after the loop the parts are added through LDS in the
    order of their numbers (`systolic.sum_parts`). The parts stay within the workgroup, so no result depends on the
    order in which workgroups finish. If waves are placed along K only, each takes a contiguous run of a block's columns
    (`runs`) if the run has 64 bytes of memory or more; otherwise they take cells in turn. Sums that have this number of
    parts already stay unchanged.

    The pass refuses (with a missed remark) if the kernel has products other than terms of sums that begin with 0, if
    the parts would need more waves than a workgroup may have, or if they would take more than half of the LDS.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def SplitSumsPass : Pass<"systolic-split-sums", "::nstf::systolic::KernelOp"> {
  let summary = "accumulates long sums of products in parts";
  let description = [{
    The rounding error of a float sum grows with the square root of the number of its terms: for K = 4096, sums of 512
    columns are 4 times as exact as one of 4096. The schedule's `sum` gives the number of rounds that are accumulated
    separately before they are added to the total; by default all of them. It applies to loops that carry only sums of
    products. The total takes as many accumulators again, so only tiles with few accumulators use it.

    Preconditions: instantiated, slots inlined; no array yet.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def SelectWaveSizePass : Pass<"systolic-select-wave-size", "::nstf::systolic::KernelOp"> {
  let summary = "chooses between wave32 and wave64";
  let description = [{
    On a chip with one wave size there is no choice. On a chip with two, a kernel with matrix products takes the
    target's preferred size, and a kernel without takes the wider wave if its tiles fill it. `wave-size` forces a size;
    it is an error if the target lacks it.

    Preconditions: instantiated, slots inlined; no array yet.
  }];
  let options = [Option<"waveSize", "wave-size", "int64_t", "0", "32 or 64; 0: choose">];
}

def SelectArrayPass : Pass<"systolic-select-array", "::nstf::systolic::KernelOp"> {
  let summary = "chooses the virtual systolic array: its waves, and the matrix instruction of its cells";
  let description = [{
    The schedule's `waves` give the number of waves along the rows and columns of a product. The cell is the target's
    largest single-block instruction for the operands' type that divides every product's wave tile and leaves at most
    128 accumulator registers in a lane.

    The depth of a cell along K, which may take several instructions, is chosen so that a lane holds 16 consecutive
    bytes of an operand, which one LDS access fetches; it holds 4 elements if K is not a multiple of that depth. If a
    product's result is another product's operand, the rows of a cell are chained; a lane holds 4 elements if the cell
    has too few rows for that. Results that are stored by rows are computed with exchanged operands, so that a lane's
    accumulators, and its stores, run along rows.

    The array is that of one crew (`systolic.crew`). The pass rejects a tile that takes more registers in a lane than a
    wave has, more waves than a workgroup may have (counting all its crews), crews of several waves, and fields of the
    schedule for products in a kernel without products.
  }];
}

def ShareLoadsPass : Pass<"systolic-share-loads", "::nstf::systolic::KernelOp"> {
  let summary = "merges equal loads of several loops";
  let description = [{
    If a kernel reads its rows several times, for a maximum, a sum and the result, and one block holds a row, the pass
    keeps the rows in registers: in loops that have one round, loads of the same tile become one load in front of the
    loops. Loads behind a store stay, because the store may have written the data that they read.

    Tiles held this way take at most 64 registers in a lane. Remarks list the shared loads and, as missed, the others.

    Preconditions: `array` and `wave_size` are set; no layouts yet.
  }];
}

def AssignLayoutsPass : Pass<"systolic-assign-layouts", "::nstf::systolic::KernelOp"> {
  let summary = "assigns a layout to every tile";
  let description = [{
    The seeds are first the results of matrix products, then their operands, then the remaining tiles, larger ones
    first, with a blocked layout. From each seed the layout spreads through elementwise ops, loops, broadcasts and
    reductions. Where two layouts meet, a `convert_layout` is inserted.

    An operand that is loaded from memory keeps its blocked layout, along the rows of memory, up to the product. There
    are two exceptions, which are loaded directly in the product's layout: a tile that only the wave that multiplies it
    loads, once and before the loop; and memory stored in the order of operands (`systolic.packed`), with the
    elementwise ops on it. In an array with `runs` each wave loads its own columns, along the rows of memory, and the
    conversion follows the load directly, so that computations on the tile have the product's layout.

    Remarks list the operands that are loaded from packed memory in this way.

    Preconditions: `array` and `wave_size` are set; no layouts yet.
  }];
}

def StageOperandsPass : Pass<"systolic-stage-operands", "::nstf::systolic::KernelOp"> {
  let summary = "moves operands from memory to the products through LDS";
  let description = [{
    A layout conversion between lanes of a loaded tile (with elementwise ops on it) for a product becomes a write to an
    LDS array of its own and a read from it, between barriers. Tiles that are loaded together share the barriers. The
    array is stored in the order of memory. Its swizzle is the one for which writing and reading take the fewest clocks;
    the pass finds it by enumerating the lanes over the phases of the chip's LDS (passes/analysis/LdsLayout.h).

    Memory stored in the order of operands (`systolic.packed`) goes through an array packed alike. A tile that is an
    unmodified part of a buffer, in whole dwords, can bypass the registers: it becomes a `systolic.stage`, and a `wait`
    before the barrier. It does so if the schedule has `through = lds`, or has no `through` and the option `stage` is
    set.

    In an array with `runs`, the tiles that each wave loads for itself stay conversions, through an array in which each
    wave has its own part, without a barrier (`apart`).

    If the waves do not divide a tile's rows (224 on 8 waves, 16 on 4), the tile is padded for load and write with rows
    behind its own that the range check drops. So no two waves load the same data, and no wave writes under a condition.

    If the rows of memory do not run along the elements that a lane multiplies (the values of attention), lanes load
    patches of several rows and transpose them in registers, and the array is stored in the product's order; otherwise
    it would be read element by element. A loop reuses the arrays of an earlier loop that is finished.

    Remarks give the width of the accesses and the clocks that bank conflicts cost for each wave and tile. A missed
    remark names accesses with conflicts that no swizzle avoids, and a tile for which no LDS is left, which stays a
    conversion (`systolic.unstaged`).

    Preconditions: `array` and `wave_size` are set, layouts are assigned.
  }];
  let options = [Option<"stage", "stage", "bool", "false", "go past the registers where that is possible">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def PlanLoopsPass : Pass<"systolic-plan-loops", "::nstf::systolic::KernelOp"> {
  let summary = "plans the order of loads, LDS accesses and products of each loop of products";
  let description = [{
    Writes a plan (`systolic.plan`, a #systolic.plan) on every loop of products, which later passes apply. It sets the
    number of LDS buffers, how many blocks loads and writes are ahead of their products, which tiles are loaded in pairs
    of blocks, the order of all actions, and priorities.

    A loop that only adds up products of tiles that it loads through LDS becomes a software pipeline over two LDS
    buffers: the loads of a block are issued two blocks, and its writes to LDS one block, before its products. Products
    are computed in steps of one cell along K. The operands of a step are read from LDS in the step before. There is one
    barrier in each block, in front of the step that reads the first operands of the next block.

    If a block has one step, all its operands are in registers before its products. Its buffer takes the block two
    ahead, which was loaded three ahead, and the accesses between the two barriers around a block may come in any order.
    If rows of a block are half a cache line of the L1 and the number of blocks is even, every other block loads two
    blocks at once: of one tile in even blocks, of the other in odd ones. If a SIMD has two waves or more, priorities
    fall along such a block: 2 behind the barrier, 1 behind the memory accesses, 0 at the start of the next block. The
    waves of a SIMD then reach the barrier one after the other. Otherwise the oldest wave would arrive first, and the
    last one would execute the rest of its block alone.

    If LDS has room for one buffer only, the next block waits in registers until the last step of the present one, and
    is written then, between two barriers.

    A loop that does more than add up products (attention's) loads its tiles for LDS a round ahead, behind the barrier
    after the present round's writes. If LDS has room for two buffers and a second wave on each SIMD, blocks are instead
    loaded two blocks and written one block before their products.

    Tiles that bypass the registers (`systolic.stage`) are as many blocks ahead as there are buffers, three if LDS has
    room. A buffer is staged again behind the barrier after its last read, and a counted wait precedes the barrier in
    front of its first read.

    The remark gives the distance in blocks between a load and its products, and the distance that the latency of HBM
    requires (latency over the matrix clocks of a block); both also in clocks (`cover`). It also gives the bytes in
    flight of a compute unit, and the unit's share of latency times bandwidth.

    A loop stays unchanged (with a missed remark) if it writes no tile to LDS that it loaded, if its loads depend on the
    round before, or if it has one block; also if the tiles in flight do not fit into the registers, or, with a single
    wave on a SIMD, into the lines of the L1; and if only one buffer is left for blocks of one step.

    A loop that has a plan keeps it. `plan` names a file with a plan for each loop of products, in order. Such plans are
    checked against the loop (plan_c7 to plan_c15 of #systolic.plan).

    Preconditions: `array` and `wave_size` are set, layouts are assigned, operands are staged.
  }];
  let options = [Option<"planFile", "plan", "std::string", "", "file with a #systolic.plan for each loop of products">];
}

def InsertPrefetchPass : Pass<"systolic-insert-prefetch", "::nstf::systolic::KernelOp"> {
  let summary = "prefetches the operands of loops of products as planned";
  let description = [{
    Rewrites each loop of products according to its plan (#systolic.plan). A round of the new loop covers as many blocks
    as there are buffers, and an even number if some are loaded in pairs, so that buffer numbers are constants. All
    actions that the first block expects to be done are placed in front of the loop. Loads past the last block are
    disabled and give zeros. Blocks that do not fill a round follow the loop. In a loop that does more than add up
    products, tiles that are loaded ahead are carried in registers.

    A plan that does not match its loop is an error.

    Precondition: loops are planned.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def ScheduleLoopPass : Pass<"systolic-schedule-loop", "::nstf::systolic::KernelOp"> {
  let summary = "interleaves memory accesses with products";
  let description = [{
    In loops of products, an operation goes into a `systolic.overlap` with a product if it stands between the previous
    product and this one, moves tiles, and the product does not depend on it. Barriers move along if the product depends
    on none of these operations; otherwise all operations in front of the last barrier stay in place. If the plan has
    `pinned`, the reads and loads between the last barrier and such a loop become an overlap of one part, which keeps
    their order. The plan's priorities are set at the start of a block, behind its barrier and behind its memory
    accesses.

    Loops without tiles in LDS are different if one product takes the result of another, or if the array has `runs`.
    Each load of the next round stays in place, behind the product that used the previous tile, as an overlap of one
    part. The loads in front of the loop keep their order alike. A wait then covers only the older part of the loads in
    flight.

    If the plan's order is `turns` and there are two waves on a SIMD, they alternate instead (ping-pong): memory
    accesses and products become clusters between barriers, products have priority, and half of the waves is one barrier
    ahead. A cluster waits for its LDS accesses before the barrier at its end if the next cluster accesses the same
    buffer.

    Preconditions: loops are planned, and rewritten according to their plans.
  }];
}

def WidenStoresPass : Pass<"systolic-widen-stores", "::nstf::systolic::KernelOp"> {
  let summary = "stores results in whole segments of memory, at least 8 bytes in a lane";
  let description = [{
    The tile of a product's store gets a layout along the rows of memory. The tile is converted through the LDS of
    finished loops, as a `view` of one of their arrays, in several parts if the array is smaller, with a swizzle like
    that of operands. If memory's type is narrower, the tile is rounded before the conversion. If the epilogue loads
    tiles of the result's shape, the conversion precedes these loads, so that they run along rows too.

    The decision is made by the clocks of a workgroup for the address unit and the LDS (passes/analysis/Costs.h).
    Remarks give the bytes of a lane and of a segment before and after; a missed remark gives the reason why a store
    stays unchanged.

    Preconditions: layouts are assigned, loops are rewritten according to their plans; no scratch yet.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def AllocateScratchPass : Pass<"systolic-allocate-scratch", "::nstf::systolic::KernelOp"> {
  let summary = "allocates one shared LDS scratch for layout conversions and reductions across waves";
  let description = [{
    Barriers separate the uses, unless a use stays within the one wave of a crew, so all uses share the same memory. The
    scratch has the size of the largest use, once for each crew. The kernel gets an i8 LDS argument marked
    `systolic.scratch`. If that would leave a SIMD room for one wave in place of two, or exceed the target's LDS, an
    array whose last access stands before the first use of scratch becomes the scratch, too, with a barrier between.
    A remark gives the LDS size of the whole kernel; more than the target has is an error.

    Preconditions: `wave_size` is set, layouts are assigned; no scratch yet.
  }];
}

#endif
