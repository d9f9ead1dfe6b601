// What a loop of products does when: the plan that systolic-plan-loops writes and later passes carry out.
#ifndef NSTF_DIALECTS_SYSTOLIC_SYSTOLICPLAN
#define NSTF_DIALECTS_SYSTOLIC_SYSTOLICPLAN

include "dialects/systolic/SystolicAttrs.td"
include "mlir/IR/EnumAttr.td"

def Systolic_LoopOrder : I32EnumAttr<"LoopOrder", "how memory work and products share the time of a loop",
    [I32EnumAttrCase<"merged", 0>, I32EnumAttrCase<"turns", 1>]> {
  let cppNamespace = "::nstf::systolic";
}

def Systolic_PlanAttr : Systolic_Attr<"Plan", "plan"> {
  let summary = "what a loop of products does, block by block";
  let description = [{
    The attribute `systolic.plan` of an `scf.for`. A block is what the loop multiplies in a round as systolic-stage-operands
    left it; `round` is what the planned loop does for each block, in order:

    - `load T +A`: the tile that the loop's T-th write takes, of A blocks ahead, into registers; with `pairs` two blocks at
      once, every other time. Tiles behind those of the writes go past LDS, to products or what these are made of;
    - `write T +A`: from there to LDS;
    - `stage T +A`: the T-th tile that goes to LDS past the registers;
    - `wait +A`: until what was staged has come, all but that of the newest A blocks;
    - `barrier`;
    - `read R +A step S`: the R-th operand for the S-th step of that block's products; operands are counted product by
      product, the second one (b) first;
    - `multiply`: the products of a step, which take what was read first; or `multiply P`, the P-th product of a loop that
      does more than add up products, which the rest of its body goes with;
    - `reduce R`: its R-th reduction.

    `+0` and `step 0` are left out. What comes in front of the loop follows: what its first block takes for done.

    A plan in which nothing is ahead leaves the loop as it stands. Of a loop that does more than add up products (the keys
    of attention) loads may be ahead; the rest stands in the plan as in the loop. A tile past LDS that is loaded behind its
    product takes no more registers than one that is not ahead.

    - `buffers`: of LDS for each tile, used in turn.
    - `order`: `merged`, what may flow beside products does; `turns`: halves of the waves take turns at memory work and
      products, where a SIMD has two.
    - `priorities = [P, Q, R]`: a wave's from the begin of a block, from its barrier and from its last memory work on.
    - `pinned`: what is read and loaded in front of the loop comes in the order of its rounds.
    - `first_alone`: the first block begins before its row, so it does not come by pairs.
    - `reads_first`: of what is loaded in front of the loop, the first reads wait for as little as they can.

    - plan_c1: there are 1 to 3 buffers.
    - plan_c2: a round multiplies.
    - plan_c3: numbers and steps are at least 0, and blocks 0 to 8 ahead.
    - plan_c4: there are no priorities or three, each of 0 to 3.
    - plan_c5: turns have no priorities.
    - plan_c6: only loads come by pairs, and only what is read has a step.

    With the loop (systolic-plan-loops):

    - plan_c7: it is the loop's: all that this loads, writes, stages, reads and multiplies stands there once, reads once for
      each step.
    - plan_c8: a tile is loaded before it is written, into registers that a lane has.
    - plan_c9: what is read is there: written or staged and waited for, and a barrier stands between.
    - plan_c10: a buffer is written anew behind the last read of what it held, and a barrier between.
    - plan_c11: operands are read before the product that takes them.
    - plan_c12: the buffers fit into LDS.
    - plan_c13: what is ahead of the first block is in the loop, or in the round that fills it up.
    - plan_c14: pairs are of halves of a line, of tiles that are written as they are loaded, in a loop of an even number of
      blocks, and the first block comes alone where it begins before its row.
    - plan_c15: a loop that does more than add up products has its loads alone ahead, and all else stands in its order. It
      has one buffer; or two, if it begins with a barrier, all that it writes and another barrier and has no third: then
      it writes a block ahead, behind a single barrier at its begin, what was loaded two blocks ahead or more.

    Example: `#systolic.plan<buffers = 2, order = merged, pinned, round = [barrier, read 0 +1, write 0 +2, load 0 +3, read 1
    +1, write 1 +2, load 1 +3, multiply]>`
  }];
  let parameters = (ins "int64_t":$buffers, "::nstf::systolic::LoopOrder":$order,
                        ArrayRefParameter<"int64_t">:$priorities, "bool":$pinned, "bool":$firstAlone, "bool":$readsFirst,
                        ArrayRefParameter<"::nstf::systolic::PlanAction">:$round);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Whether the loop stays as it stands.
    bool isAsItStands() const;
    /// Times that a block multiplies.
    int64_t countProducts() const;
    /// After so many blocks buffers and pairs have the same roles again.
    int64_t getBlocksOfRound() const;
    /// The load, or the write, of a tile; null where there is none.
    const PlanAction *find(PlanActionKind kind, int64_t index) const;
  }];
}

#endif
