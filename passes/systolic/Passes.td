// Passes on tile programs, in the order they run. What a pass needs it checks (Preconditions.h): what was to come before is
// named in one line. Run twice, a pass is an error or changes nothing. File, class, flag and test share one name:
// InsertPrefetch.cpp, InsertPrefetchPass, systolic-insert-prefetch, test/passes/systolic/insert-prefetch.mlir.
#ifndef NSTF_PASSES_SYSTOLIC_PASSES
#define NSTF_PASSES_SYSTOLIC_PASSES

include "mlir/Pass/PassBase.td"

def InstantiatePass : Pass<"systolic-instantiate"> {
  let summary = "sets a template's parameters and resizes every type by its axis names";
  let description = [{
    Takes the parameters of the one kernel in a module or nstf.part, overridden by the option, resizes tiles, buffers,
    splat constants and the signatures of the slots, and turns every `systolic.param` into a constant. No text
    substitution. `systolic.control rows` becomes the number of rows, or where that is known only when the kernel runs,
    the tokens of the step.
    `!systolic.operand` becomes the type that the parameter OPERAND names, `!systolic.accumulator` the type in which its
    products are summed up.
    Each parameter is an option by its own name, and so is each field of the schedule, without its unit:
    `systolic-instantiate{BM=48 BN=96 waves=3x1 sum=all}`.

    Precondition: it holds one `systolic.kernel`, tiles carry axes, not fragments.
  }];
  let options = [ListOption<"params", "params", "std::string", "parameters and fields of the schedule to override, NAME=VALUE">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def OrderWorkgroupsPass : Pass<"systolic-order-workgroups", "::nstf::systolic::KernelOp"> {
  let summary = "gives the work items of a grid an order";
  let description = [{
    A template has a work index for each axis of its grid; a launch counts workgroups from 0. Row by row the last axis changes
    fastest, so that neighbours read the same rows. But the chip deals workgroups out to its XCDs one at a time, and each XCD has
    an L2 of its own: where more of what loops load is then shared by the work items that an XCD's compute units hold at
    once, each XCD gets a run of neighbours, and goes through a window of rows column by column. Decided by counting the
    rows and columns that are different among them; remarks have that share before and after, in percent.

    Where the first axis grows with the tokens of a step, the order is chosen for the largest launch, and runs and the last window
    end where the control block's tokens say. Row by row remains without a target.

    Precondition: instantiated, so that the sizes of the grid are final. Only the first axis may grow with the tokens of a
    step.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def DropUnusedArgumentsPass : Pass<"systolic-drop-unused-arguments", "::nstf::systolic::KernelOp"> {
  let summary = "takes off a kernel the control block and buffers that it does not read";
  let description = [{
    A kernel for a fixed number of rows reads neither `tokens` nor `position` once its parameters are constants, and no
    buffer of it ends with the launch's tokens. Then whoever launches it need not have a control block. A buffer that is
    `none` in its launch, because the operation has nothing for it, goes away; an error where something still reads it.

    Preconditions: instantiated, slots inlined, one work index; canonicalized, so that what is not needed is gone.
  }];
}

def ExpandMathPass : Pass<"systolic-expand-math", "::nstf::systolic::KernelOp"> {
  let summary = "writes tanh and erf as arithmetic and exp";
  let description = [{
    The chips have no instruction for either. On numbers and tiles of f32, with an error of at most 1e-7; signed zeros,
    infinities and what is not a number come out as they should.

    Precondition: instantiated, slots inlined.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def AlignBlocksPass : Pass<"systolic-align-blocks", "::nstf::systolic::KernelOp"> {
  let summary = "blocks of a sum of products end where the sum does";
  let description = [{
    Where a block's columns do not divide a sum, the last block would be ragged, and with it, in one loop, every load would
    look for the end of its row. Instead the blocks begin so far before the first column that the last one ends with the
    sum: what lies there counts as 0, as everything outside memory does. The first block alone is ragged then, and a
    pipelined loop loads it in front of its rounds. Where a block's rows are halves of the L1's lines and blocks are 16 or
    more, they are made even in number, by one of nothing, so that they can come by pairs.

    Refused (with a missed remark) where the column is more than a place in buffers that end with the sum: of codes
    that are decoded, or where memory holds blocks.

    Preconditions: instantiated, slots inlined; no array yet.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def SplitReductionPass : Pass<"systolic-split-reduction", "::nstf::systolic::KernelOp"> {
  let summary = "waves share out the columns of sums of products";
  let description = [{
    A product of few tiles leaves compute units idle, and its tiles, made small enough for all of them, leave no work for the
    waves that hide each other's waiting. The schedule's `waves` say how many stand along K: each adds up a part of the sum
    by itself, in registers of its own, and after the loop the parts are added through LDS, in the order of their numbers
    (`systolic.sum_parts`). Nothing leaves the workgroup, so no result depends on who comes first. Where waves stand along K
    alone, each takes a run of a block's columns (`runs`) if that is 64 bytes of memory or more, otherwise cells in turn. Sums that are in so many parts already
    stay as they are.

    Refused (with a missed remark) where the kernel has other products than terms of sums that begin with 0, and where the
    parts would be more waves than a workgroup has, or take more than half of the LDS.

    Preconditions: instantiated, slots inlined; no array yet.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def SplitSumsPass : Pass<"systolic-split-sums", "::nstf::systolic::KernelOp"> {
  let summary = "adds up long sums of products in parts";
  let description = [{
    The rounding error of a float sum grows with the root of the number of its terms: for K = 4096, sums of 512 columns are
    4 times as exact as one of 4096. The schedule's `sum` says how many rounds of a loop that carries nothing but sums of
    products are summed up by themselves before they join the total; all of them where it does not say. A total takes as many accumulators
    again, so that only tiles of few have one.

    Preconditions: instantiated, slots inlined; no array yet.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def SelectWaveSizePass : Pass<"systolic-select-wave-size", "::nstf::systolic::KernelOp"> {
  let summary = "chooses between wave32 and wave64";
  let description = [{
    A chip with one wave size leaves no choice. Where there are two, a kernel with matrix products takes the target's
    preferred size; one that only streams takes the wider wave, as long as its tiles fill it.
    `wave-size` forces one; it is an error where the target lacks it.

    Preconditions: instantiated, slots inlined; no array yet.
  }];
  let options = [Option<"waveSize", "wave-size", "int64_t", "0", "32 or 64; 0: choose">];
}

def SelectArrayPass : Pass<"systolic-select-array", "::nstf::systolic::KernelOp"> {
  let summary = "lays out the virtual systolic array: waves, and the matrix instruction of its cells";
  let description = [{
    The schedule's `waves` say how many stand along the rows and columns of a product. The cell is the
    target's largest single-block instruction for the operands' type that divides every product's wave tile and leaves
    at most 128 accumulator registers a lane. A cell is so deep along K that a lane holds 16 bytes of an operand side by
    side, which one LDS access fetches; 4 elements where K is no multiple of that. Where a product's result is another's
    operand, the rows of a cell are chained; 4 elements where it has too few rows for that. It may be several instructions
    deep. Results that are stored by rows
    are made with exchanged operands, so that a lane's accumulators, and its stores, run along rows.

    The array is of one crew (`systolic.crew`). A tile that would take more registers a lane than a wave has is refused, and so
    are more waves than a workgroup has, of all its crews, crews of several waves, and fields of the schedule that are of
    products alone where there are none.

    Preconditions: instantiated, slots inlined; `wave_size` is set; no layouts yet.
  }];
}

def ShareLoadsPass : Pass<"systolic-share-loads", "::nstf::systolic::KernelOp"> {
  let summary = "loads once what several loops load";
  let description = [{
    A kernel that reads its rows several times, for a maximum, a sum and the result, keeps them in registers where one block
    holds a row: of loops that have one round, the loads of the same tile become one in front of them. Loads behind a store
    stay, since what is stored to may be what they read.

    Tiles that are held this way take at most 64 registers a lane. Remarks say what was shared and what was not (missed).

    Preconditions: `array` and `wave_size` are set; no layouts yet.
  }];
}

def AssignLayoutsPass : Pass<"systolic-assign-layouts", "::nstf::systolic::KernelOp"> {
  let summary = "gives every tile its layout";
  let description = [{
    Seeds are the matrix products' results, then their operands, then the remaining tiles, larger ones first, with a
    blocked layout; after each seed the layout spreads through elementwise ops, loops, broadcasts and reductions. Where
    two layouts meet, a `convert_layout` goes between.

    What a product takes from memory keeps its blocked layout, along the rows of memory, up to the product; but what the one
    wave that multiplies it loads once, before the loop, is loaded as the product takes it, and so is what memory holds in
    the order of operands (`systolic.packed`), with elementwise ops on it. Of an array of `runs` each wave loads its own
    columns, along the rows of memory, and a conversion follows the load: what is computed of it is computed as it is
    multiplied.

    Remarks say which operands are loaded so from packed memory.

    Preconditions: `array` and `wave_size` are set; no layouts yet.
  }];
}

def StageOperandsPass : Pass<"systolic-stage-operands", "::nstf::systolic::KernelOp"> {
  let summary = "what memory gives goes through LDS to the products";
  let description = [{
    A layout conversion between lanes of a loaded tile (elementwise ops on it included) for a product becomes a write to an
    LDS array of its own and a read from it, between barriers; those whose tiles are loaded together share the
    barriers. The array lies as memory does. Its swizzle is the one with which writing and reading take fewest clocks, found
    by enumerating the lanes over the phases of the chip's LDS (passes/analysis/LdsLayout.h).

    What memory holds in the order of operands (`systolic.packed`) goes through an array packed alike. Where the schedule
    says `through = lds`, or does not say and `stage` is set, a tile that is a part of a buffer as it is, in whole dwords,
    goes past the registers: `systolic.stage`, and a `wait` before the barrier.

    What each wave of an array of `runs` loads for itself stays a conversion, through an array in which it has its own
    part: no barrier (`apart`).

    A tile whose rows the waves do not divide (224 on 8 waves, 16 on 4) is loaded and written with rows of nothing behind
    its own, which the range check drops: no wave loads what another does, and none writes under a condition.

    Where the rows of memory don't run along what a lane multiplies (the values of attention), lanes load patches of several
    rows, turn them in their registers, and the array lies as the product takes it: else it would be read element by
    element. A loop takes the arrays of one that is over.

    Remarks say how wide the accesses are and the clocks that bank conflicts cost a wave and tile; a missed one names
    what no swizzle helps, and a tile for which no LDS is left, which stays a conversion (`systolic.unstaged`).

    Preconditions: `array` and `wave_size` are set, layouts are assigned.
  }];
  let options = [Option<"stage", "stage", "bool", "false", "go past the registers where that is possible">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def PlanLoopsPass : Pass<"systolic-plan-loops", "::nstf::systolic::KernelOp"> {
  let summary = "decides what each loop of products does when";
  let description = [{
    Writes a plan (`systolic.plan`, a #systolic.plan) on every loop of products, which later passes carry out: how many
    buffers of LDS, how many blocks a load and a write is ahead of its products, what comes by pairs of blocks, in which
    order, with which priorities.

    A loop that does nothing but add up products of what it loads through LDS becomes a software pipeline over two LDS
    buffers: the loads of a block are issued two blocks, and written to LDS one block, before its products. These are
    made in steps of a cell along K; what a step reads from LDS is read in the step before, and there is one barrier a
    block, before the step in which the next block's first is read.
    A block of one step is in registers before its products: its buffer takes the block two ahead, which was loaded three
    ahead, and there is no order between the two barriers around a block. Where rows of a block are half a line of the L1
    and blocks are even in number, every other block loads two at once, of one tile in even blocks, of the other in odd
    ones. Where a SIMD has two waves or more, priorities fall along such a block: 2 behind the barrier, 1 behind the memory
    work, 0 where the next block begins. A SIMD's waves so come to the barrier in turns; else the oldest would be there
    first, and the last be alone with the rest of its block.
    Where LDS has room for one buffer only, the next block waits in registers until the last step of the present one, and
    is written then, between two barriers.

    A loop that does more than that (attention's) loads what it writes to LDS a round ahead, behind the barrier after the
    writes of the present one.

    What goes past the registers (`systolic.stage`) is as many blocks ahead as there are buffers, three where LDS has room:
    a buffer is staged anew behind the barrier after its last read, and waited for by count before the barrier in front of
    its first.

    The remark has the distance, in blocks between a load and its products, beside that which the latency of HBM asks for
    (over the matrix clocks of a block), both in clocks too (`cover`), and the bytes under way of a compute unit beside its
    share of latency times bandwidth.

    A loop stays as it stands (with a missed remark) that writes nothing to LDS that it loaded, whose loads depend on the
    round before, of one block, and where what is on its way does not fit in the registers, or not in the lines of the L1
    while a wave is alone on its SIMD, or where one buffer is left for blocks of one step.

    A loop that has a plan keeps it, and `plan` names a file with one for each loop of products, in their order: then it is
    checked against the loop (plan_c7 to plan_c15 of #systolic.plan).

    Preconditions: `array` and `wave_size` are set, layouts are assigned, operands are staged.
  }];
  let options = [Option<"planFile", "plan", "std::string", "", "file with a #systolic.plan for each loop of products">];
}

def InsertPrefetchPass : Pass<"systolic-insert-prefetch", "::nstf::systolic::KernelOp"> {
  let summary = "what a loop of products needs is on its way while the products before it are made";
  let description = [{
    Makes each loop of products anew, as its plan says (#systolic.plan). The loop covers as many blocks a round as there
    are buffers, and an even number where some come by pairs, so that the number of a buffer is a constant. What its first
    block takes for done is done in front of it; loads past the last block are none and give zeros; blocks that don't fill a
    round stand behind the loop. Of a loop that does more than add up products, tiles that are loaded ahead are carried in
    registers.

    A plan that the loop can't have is an error.

    Precondition: loops are planned.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def ScheduleLoopPass : Pass<"systolic-schedule-loop", "::nstf::systolic::KernelOp"> {
  let summary = "memory work flows beside products";
  let description = [{
    In loops of products: what stands before a product, is no further than the product before it, moves tiles and is not
    needed by the product, goes into a `systolic.overlap` with it. Barriers go with it where the product needs none of
    that; else what stands before the last of them stays there. Where the plan says `pinned`, what a kernel reads and loads
    between the last barrier and such a loop is an overlap of one part, so that it keeps its order. The plan's priorities
    stand where a block begins, behind its barrier and behind its memory work.

    A loop of which one product takes what is made of another, and none of whose tiles goes through LDS, keeps each load of the next round where it
    stands, behind the product that took the tile before it, as an overlap of one part, and the loads in front of it too: what it
    waits for is then the older part of what is on its way.

    Where the plan's order is `turns` and there are two waves a SIMD, they take turns instead (ping-pong): memory work and
    products become clusters between barriers, products have priority, and half of the waves is one barrier ahead. A
    cluster's LDS accesses are waited for before the barrier at its end where the next one touches the same buffer.

    Preconditions: loops are planned, and as their plans want them.
  }];
}

def WidenStoresPass : Pass<"systolic-widen-stores", "::nstf::systolic::KernelOp"> {
  let summary = "results go to memory in whole segments, at least 8 bytes a lane";
  let description = [{
    A store of a product gets its tile in a layout along the rows of memory. The tile goes there through the LDS of loops
    that are done, as a `view` of one of its arrays, part by part if that holds no more: with a swizzle like that of operands. Rounded to memory's
    type before, where it is narrower; where the epilogue loads tiles of the result's shape, before these, so that they
    are loaded along rows as well.

    Decided by the clocks of a workgroup: those of the address unit and of the LDS (passes/analysis/Costs.h). Remarks say
    bytes a lane and of a segment before and after; a missed one says why a store stays.

    Preconditions: layouts are assigned, loops are as their plans want them; no scratch yet.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def AllocateScratchPass : Pass<"systolic-allocate-scratch", "::nstf::systolic::KernelOp"> {
  let summary = "gives layout conversions and reductions across waves one shared piece of LDS";
  let description = [{
    Each use is fenced by barriers, or within a crew's wave, so the largest decides, once for each crew. The kernel gets an i8 LDS argument marked
    `systolic.scratch`. Says in a remark how much LDS the kernel takes in all, and refuses more than the target has.

    Preconditions: `wave_size` is set, layouts are assigned; no scratch yet.
  }];
}

#endif
