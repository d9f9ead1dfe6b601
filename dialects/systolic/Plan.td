// The schedule of a loop of products: the plan that systolic-plan-loops writes and later passes apply.
#ifndef NSTF_DIALECTS_SYSTOLIC_PLAN
#define NSTF_DIALECTS_SYSTOLIC_PLAN

include "dialects/systolic/Attrs.td"
include "mlir/IR/EnumAttr.td"

def Systolic_LoopOrder : I32EnumAttr<"LoopOrder", "the order of memory accesses and products in a loop",
    [I32EnumAttrCase<"merged", 0>, I32EnumAttrCase<"turns", 1>]> {
  let cppNamespace = "::nstf::systolic";
}

def Systolic_PlanAttr : Systolic_Attr<"Plan", "plan"> {
  let summary = "the actions of a loop of products for each block";
  let description = [{
    The attribute `systolic.plan` of an `scf.for`. A block is the part of the sum that one iteration of the loop
    multiplies after systolic-stage-operands. `round` lists the actions of the planned loop for each block, in order:

    - `load T +A`: loads the tile of the loop's T-th write, A blocks ahead, into registers; with `pairs` it loads two
      blocks at once in every other block. Numbers above those of the writes are tiles that are not stored to LDS but go
      to products, or to computations of their operands, directly;
    - `write T +A`: writes this tile from registers to LDS;
    - `stage T +A`: copies the T-th tile of those that bypass the registers to LDS;
    - `wait +A`: waits for staged tiles, except those of the newest A blocks;
    - `barrier`;
    - `read R +A step S`: reads the R-th operand for step S of that block's products. Operands are numbered product by
      product, the second one (b) first;
    - `multiply`: computes the products of a step with the operands that were read first; or `multiply P`, the P-th
      product of a loop that does more than add up products, with the rest of the loop's body;
    - `reduce R`: computes the loop's R-th reduction.

    `+0` and `step 0` are omitted. The plan implies the code in front of the loop: all actions that the first block
    expects to be done already.

    A plan with nothing ahead leaves the loop unchanged. In a loop that does more than add up products (attention's loop
    over keys) only loads may be ahead; all other actions keep the order of the loop. If a tile that is not stored to
    LDS is loaded behind the product that uses it, it needs no more registers than without being ahead.

    - `buffers`: the number of LDS buffers for each tile, used in turn.
    - `order`: with `merged` memory accesses are interleaved with independent products; with `turns` the halves of the
      waves alternate between memory accesses and products if a SIMD has two waves.
    - `priorities = [P, Q, R]`: the priorities of a wave from the start of a block, from its barrier, and from its last
      memory access on.
    - `pinned`: the reads and loads in front of the loop keep the order of the loop's rounds.
    - `first_alone`: the first block begins before its row, so it is not loaded as part of a pair.
    - `reads_first`: in front of the loop, only the blocks that the first reads need are loaded before these reads.

    - C1: there are 1 to 3 buffers.
    - C2: a round multiplies.
    - C3: numbers and steps are at least 0, and blocks 0 to 8 ahead.
    - C4: there are no priorities or three, each of 0 to 3.
    - C5: `turns` has no priorities.
    - C6: only loads have `pairs`, and only reads have a step.

    Constraints that involve the loop (systolic-plan-loops):

    - C7: the plan matches the loop: it has each load, write, stage and product of the loop once, and each read and
      product that is computed in steps once for each step.
    - C8: a tile is loaded before it is written, and the registers of a lane hold all tiles in flight.
    - C9: before a read its data was written, or staged and waited for, and a barrier separates the two.
    - C10: a buffer is overwritten after the last read of its previous block, with a barrier between.
    - C11: operands are read before the product that uses them.
    - C12: the buffers fit into LDS.
    - C13: no action is further ahead than the number of the loop's blocks and those of one round.
    - C14: pairs are loaded of tiles whose rows are half a cache line and that are written as loaded, in a loop of
      an even number of blocks that adds up products only, with `first_alone` if the first block begins before its row.
    - C15: in a loop that does more than add up products, only loads are ahead, and all other actions keep the
      order of the loop. The loop has one buffer. It may have two if it begins with a barrier, all writes and another
      barrier, and has no third barrier. The plan then has a single barrier, at the start of a round, writes one block
      ahead, and loads at least two blocks ahead.

    Example: `#systolic.plan<buffers = 2, order = merged, pinned, round = [barrier, read 0 +1, write 0 +2, load 0 +3,
    read 1 +1, write 1 +2, load 1 +3, multiply]>`
  }];
  let parameters = (ins "int64_t":$buffers, "::nstf::systolic::LoopOrder":$order,
                        ArrayRefParameter<"int64_t">:$priorities, "bool":$pinned, "bool":$firstAlone,
                        "bool":$readsFirst,
                        ArrayRefParameter<"::nstf::systolic::PlanAction">:$round);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Whether the plan leaves the loop unchanged.
    bool isAsItStands() const;
    /// Number of products in a round, one for each step of a block.
    int64_t countProducts() const;
    /// Number of blocks after which the roles of buffers and pairs repeat.
    int64_t getBlocksOfRound() const;
    /// The load, or the write, of a tile; null if there is none.
    const PlanAction *find(PlanActionKind kind, int64_t index) const;
  }];
}

#endif
