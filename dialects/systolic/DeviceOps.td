// Operations between the workgroups of a launch, and between the crews of a workgroup. Each op lists its numbered
// constraints; the verifier uses the same numbers.
#ifndef NSTF_DIALECTS_SYSTOLIC_DEVICEOPS
#define NSTF_DIALECTS_SYSTOLIC_DEVICEOPS

include "dialects/systolic/MemoryOps.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Systolic_ArriveOp : Systolic_Op<"arrive", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "counts a finished workgroup, and returns whether it is the last of `count`";
  let description = [{
    `counters[i]` counts the workgroups that have arrived. It is zero before the first workgroup arrives, and the last
    one resets it to zero. No workgroup waits: the last one continues with the results that all of them stored, and the
    others end. Stores of a workgroup before its arrival are visible to loads of the last workgroup after its arrival,
    also across XCDs. All lanes get the same result.

    The last workgroup differs from run to run, but its result must not. It therefore combines the parts in their order.
    All crews of a workgroup execute the op together; they count as one, and stores of each crew before the op are
    visible after it.

    - C1: the counters are a buffer of i32 and rank 1.

    ```mlir
    !counters = memref<64xi32, #systolic.axes<M>>
    func.func @arrive(%counters: !counters, %item: index, %parts: index) -> i1 {
      %is_last = systolic.arrive %counters[%item] of %parts : !counters
      return %is_last : i1
    }
    ```
  }];
  let arguments = (ins Arg<Systolic_Buffer, "counters of arrived workgroups, one for each group">:$counters,
                       Arg<Index, "index of the counter">:$index,
                       Arg<Index, "number of workgroups that arrive, at least 1">:$count);
  let results = (outs I1:$isLast);
  let assemblyFormat = "$counters `[` $index `]` `of` $count attr-dict `:` type($counters)";
  let hasVerifier = 1;
}

def Systolic_CrewOp : Systolic_Op<"crew", [Pure]> {
  let summary = "the number of this crew among the `count` crews of its workgroup";
  let description = [{
    Crews are groups of waves that each run the kernel's program independently, side by side on one compute unit.
    Layouts, LDS arrays and reductions belong to one crew, and only `systolic.arrive` synchronises crews. A workgroup
    with n crews has n times as many waves; without this op a workgroup is one crew. All waves of a crew get the same
    number, starting from 0.

    - C1: the count, if it is known, is at least 1. systolic-select-array rejects more crews than the chip has
      waves for.
    - C2: all ops of a kernel have the same count.

    ```mlir
    func.func @first_row(%rows: index) -> index {
      %count = arith.constant 4 : index
      %crew = systolic.crew of %count
      %first = arith.muli %crew, %rows : index
      return %first : index
    }
    ```
  }];
  let arguments = (ins Arg<Index, "number of crews, a constant once the kernel is instantiated">:$count);
  let results = (outs Index:$result);
  let assemblyFormat = "`of` $count attr-dict";
  let hasCanonicalizeMethod = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The count, if it is a constant.
    std::optional<int64_t> getKnownCount();
  }];
}

#endif
