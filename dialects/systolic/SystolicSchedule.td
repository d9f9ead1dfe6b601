// How the work of a kernel is laid out over waves and in time, as its template and its tuning row want it.
#ifndef NSTF_DIALECTS_SYSTOLIC_SYSTOLICSCHEDULE
#define NSTF_DIALECTS_SYSTOLIC_SYSTOLICSCHEDULE

include "dialects/systolic/SystolicAttrs.td"

def Systolic_ScheduleAttr : Systolic_Attr<"Schedule", "schedule"> {
  let summary = "waves of a kernel, and what is done when in its loops of products";
  let description = [{
    The choices that a template and a tuning row make beside sizes of tiles. A field that is not there is left to the passes.

    | field | written | says | read by |
    |---|---|---|---|
    | `waves` | `RxC` or `RxCxK` | waves along the rows and the columns of a tile, and along what is summed up | systolic-split-reduction, systolic-select-array |
    | `sum` | blocks, or `all` | how many blocks of a sum are added up by themselves before they join the total; without it all | systolic-split-sums |
    | `buffers` | number | buffers of LDS for what the products of a loop read, each of a block | systolic-plan-loops |
    | `ahead` | blocks | how many blocks lie between a load and its products | systolic-plan-loops |
    | `through` | `registers` or `lds` | the way of operands to LDS: by the registers, or past them | systolic-stage-operands |
    | `order` | `merged` or `turns` | memory work flows beside products, or halves of the waves take turns at one and the other | systolic-plan-loops |
    | `priorities` | `falling` or `none` | of waves along a block | systolic-plan-loops |

    Texts of other places (tuning rows, `nstfc kernel --set`) have the same fields in the same grammar
    (support/Schedule.h); there `sum` and `ahead` may have their unit, blocks.

    - schedule_c1: `waves` are 1 to 1024 in each direction.
    - schedule_c2: `sum` is `all` or at least 1 block.
    - schedule_c3: `buffers` are 1 to 3.
    - schedule_c4: `ahead` is at least 1 block.
    - schedule_c5: `through` is `registers` or `lds`, `order` is `merged` or `turns`, `priorities` are `falling` or `none`.
    - schedule_c6: past the registers (`lds`) `ahead` is at most `buffers`: what is on its way has its place in LDS.
    - schedule_c7: `priorities` that fall are of a `merged` order: halves that take turns have priorities of their own.
    - schedule_c8: there is no other field, and each is said once.

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
