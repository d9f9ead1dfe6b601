// The choices of a template and its tuning row: the distribution of a kernel's work over waves, and its order in time.
#ifndef NSTF_DIALECTS_SYSTOLIC_SCHEDULE
#define NSTF_DIALECTS_SYSTOLIC_SCHEDULE

include "dialects/systolic/Attrs.td"

def Systolic_ScheduleAttr : Systolic_Attr<"Schedule", "schedule"> {
  let summary = "the waves of a kernel, and the schedule of its loops of products";
  let description = [{
    The choices of a template and a tuning row other than tile sizes. Passes decide each field that is absent.

    - `waves` (`RxC` or `RxCxK`): waves along the rows and the columns of a tile, and along the dimension that is
      summed. Read by systolic-split-reduction and systolic-select-array.
    - `sum` (blocks, or `all`): the number of blocks of a sum that are accumulated separately before they are added to
      the total; by default all. Read by systolic-split-sums.
    - `buffers` (number): LDS buffers for the operands of a loop's products, each of one block. Read by
      systolic-plan-loops.
    - `ahead` (blocks): the distance between a load and its products. Read by systolic-plan-loops.
    - `through` (`registers` or `lds`): whether operands are copied to LDS through registers or directly. Read by
      systolic-stage-operands.
    - `order` (`merged` or `turns`): whether memory accesses are interleaved with products, or halves of the waves
      alternate between the two. Read by systolic-plan-loops.
    - `priorities` (`falling` or `none`): the priorities of waves along a block. Read by systolic-plan-loops.

    Tuning rows and `nstfc kernel --set` have the same fields in the same grammar (support/Schedule.h); there `sum` and
    `ahead` may be followed by their unit, blocks.

    - C1: `waves` are 1 to 1024 in each direction.
    - C2: `sum` is `all` or at least 1 block.
    - C3: `buffers` are 1 to 3.
    - C4: `ahead` is at least 1 block.
    - C5: `through` is `registers` or `lds`, `order` is `merged` or `turns`, `priorities` are `falling` or
      `none`.
    - C6: with `through = lds`, `ahead` is at most `buffers`, because each block in flight needs its place in
      LDS.
    - C7: `priorities = falling` needs the order `merged`, because `turns` sets priorities of its own.
    - C8: there is no other field, and each is given once.

    ```mlir
    systolic.kernel @scheduled(%work: index)
        attributes {params = {}, grid = [], schedule = #systolic.schedule<waves = 2x4, sum = 16, buffers = 2, ahead = 2,
                    through = registers, order = merged, priorities = falling>} {
      systolic.return
    }
    ```
  }];
  let parameters = (ins "::nstf::support::Schedule":$fields);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif
