// Operations between the workgroups of a launch, and between the crews of a workgroup. Each lists its numbered constraints;
// the verifier carries the same numbers.
#ifndef NSTF_DIALECTS_SYSTOLIC_SYSTOLICDEVICEOPS
#define NSTF_DIALECTS_SYSTOLIC_SYSTOLICDEVICEOPS

include "dialects/systolic/SystolicMemoryOps.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Systolic_ArriveOp : Systolic_Op<"arrive", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "counts a workgroup that is done with its part, and says whether it is the last of `count`";
  let description = [{
    `counters[i]` counts who arrived. It is zero before the first workgroup arrives, and the last one leaves it at zero.
    Nobody waits: the last workgroup goes on with what all of them have stored, the others end. What a workgroup stored
    before it arrived is what the last one loads after, on whichever XCD they are. All lanes get the same answer.

    Which workgroup is the last changes from run to run; what it computes must not, so it combines the parts in their
    order. All crews of a workgroup come here; they count as one, and what each of them stored before is there after.

    - arrive_c1: the counters are a buffer of i32 and rank 1.

    ```mlir
    !counters = memref<64xi32, #systolic.axes<M>>
    func.func @arrive(%counters: !counters, %item: index, %parts: index) -> i1 {
      %is_last = systolic.arrive %counters[%item] of %parts : !counters
      return %is_last : i1
    }
    ```
  }];
  let arguments = (ins Arg<Systolic_Buffer, "how many have arrived, one number for each group of workgroups">:$counters,
                       Arg<Index, "which of the counters">:$index,
                       Arg<Index, "how many workgroups arrive, at least 1">:$count);
  let results = (outs I1:$isLast);
  let assemblyFormat = "$counters `[` $index `]` `of` $count attr-dict `:` type($counters)";
  let hasVerifier = 1;
}

def Systolic_CrewOp : Systolic_Op<"crew", [Pure]> {
  let summary = "which of the `count` crews of its workgroup this is";
  let description = [{
    Crews are groups of waves that each run the kernel's program for themselves, side by side on one compute unit: layouts,
    arrays and reductions are of one crew, and only `systolic.arrive` brings them together. Of one number of crews a
    workgroup has as many times the waves; without this operation it is one crew. All waves of a crew get the same
    number, from 0 on.

    - crew_c1: the count, where it is known, is at least 1. systolic-select-array refuses more than the chip has waves for.
    - crew_c2: a kernel has one count.

    ```mlir
    func.func @first_row(%rows: index) -> index {
      %count = arith.constant 4 : index
      %crew = systolic.crew of %count
      %first = arith.muli %crew, %rows : index
      return %first : index
    }
    ```
  }];
  let arguments = (ins Arg<Index, "how many there are, a constant once the kernel is instantiated">:$count);
  let results = (outs Index:$result);
  let assemblyFormat = "`of` $count attr-dict";
  let hasCanonicalizeMethod = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The count, where it is a constant.
    std::optional<int64_t> getKnownCount();
  }];
}

#endif
