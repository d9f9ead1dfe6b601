// Operations that order the execution of waves: overlap, branches, waits, barriers, priorities. Each op lists its
// numbered constraints; the verifier uses the same numbers.
#ifndef NSTF_DIALECTS_SYSTOLIC_ORDEROPS
#define NSTF_DIALECTS_SYSTOLIC_ORDEROPS

include "dialects/systolic/Launch.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Systolic_OverlapOp : Systolic_Op<"overlap", [RecursiveMemoryEffects, NoRegionArguments,
                                                 SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "parts whose instructions are interleaved";
  let description = [{
    The parts do not depend on each other: all are executed, and their instructions may be interleaved in any order.
    Lowering interleaves them evenly, weighted by the clocks for which each instruction occupies its pipe, and pins that
    order. The results are the operands of all yields, part after part. A single part keeps its order.
    - C1: there is at least one part.
    - C2: the results have the types of the yielded values.

    ```mlir
    !lds = !systolic.lds<2 x 16x16xf32, unit, #systolic.axes<BM, BK>>
    !tile = tensor<16x16xf32, #systolic.axes<BM, BK>>
    func.func @overlap(%a: !tile, %sum: !tile, %lds: !lds, %next: index) -> (!tile, !tile) {
      %both:2 = systolic.overlap {
        %product = systolic.mma %a, %a, %sum : !tile, !tile -> !tile
        systolic.yield %product : !tile
      } with {
        %b = systolic.read %lds[%next] : !lds -> !tile
        systolic.yield %b : !tile
      } : !tile, !tile
      return %both#0, %both#1 : !tile, !tile
    }
    ```
  }];
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region VariadicRegion<SizedRegion<1>>:$parts);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Systolic_IfAnyOp : Systolic_Op<"if_any", [RecursiveMemoryEffects, RecursivelySpeculatable, NoRegionArguments,
                                             SingleBlockImplicitTerminator<"YieldOp">,
                                             RangedTypesMatchWith<"what stands otherwise has the results' types",
                                                                  "results",
                                                                  "otherwise", "$_self">]> {
  let summary = "a region that a wave executes if it holds any set element of the condition";
  let description = [{
    results[i] is the i-th value that the region yields if the wave holds an element of `condition` that is set, else
    otherwise[i]. The layouts determine which elements a wave holds. The program gives the same numbers for all layouts
    if the region yields otherwise[i] again wherever no set element requests a change: for example, a row whose scale
    stays the same is multiplied by 1. Programs must satisfy this.

    - C1: the condition's elements are i1.
    - C2: the region yields values of the results' types.
    - C3: the region only computes: it has no memory access, no op of order and no product. The ops of a called
      function are checked when it is inlined.
    - C4: no data moves between waves in the region, because another wave may skip it. Lowering checks this.

    ```mlir
    !tile = tensor<16x64xf32, #systolic.axes<BM, BN>>
    !row = tensor<64xf32, #systolic.axes<BN>>
    !asks = tensor<64xi1, #systolic.axes<BN>>
    func.func @if_any(%sums: !tile, %scale: !row, %next: !row, %is_larger: !asks) -> (!tile, !row) {
      %kept:2 = systolic.if_any %is_larger {
        %new = arith.select %is_larger, %next, %scale : !asks, !row
        %ratio = arith.divf %scale, %new : !row
        %ratios = systolic.broadcast %ratio along 0 : !row -> !tile
        %rescaled = arith.mulf %sums, %ratios : !tile
        systolic.yield %rescaled, %new : !tile, !row
      } else %sums, %scale : !asks -> !tile, !row
      return %kept#0, %kept#1 : !tile, !row
    }
    ```
  }];
  let arguments = (ins Arg<Systolic_Tile, "the elements that request the region">:$condition,
                       Arg<Variadic<AnyType>, "the results if no element is set">:$otherwise);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$condition $body `else` $otherwise attr-dict `:` type($condition) `->` type($results)";
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1; // removes results that are unused or the same in both cases
}

def Systolic_YieldOp : Systolic_Op<"yield", [Pure, ParentOneOf<["OverlapOp", "IfAnyOp"]>, ReturnLike, Terminator]> {
  let summary = "ends a part of an overlap, or the region of an if_any, and yields its results";
  let description = [{
    See the examples of `overlap` and `if_any`.

    ```mlir
    func.func @nothing() {
      systolic.overlap {
        systolic.yield
      } with {
        systolic.yield
      }
      return
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins), [{ }]>];
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def Systolic_WaitOp : Systolic_Op<"wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits until at most the newest `count` memory accesses of the wave are in flight";
  let description = [{
    Accesses complete in order. A `stage` counts as `getAccesses` accesses of each wave, a load or a store as one for
    each instruction.
    - C1: `count` is at least 0 and at most 63, the limit of the hardware counter.

    ```mlir
    func.func @wait() {
      systolic.wait 16
      return
    }
    ```
  }];
  let arguments = (ins I64Attr:$count);
  let assemblyFormat = "$count attr-dict";
  let hasVerifier = 1;
}

def Systolic_BarrierOp : Systolic_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits until every wave of the workgroup has arrived with its LDS accesses completed";
  let description = [{
    With `nowait` it waits only for the waves to arrive, not for their accesses. With `pinned` no instruction moves
    across it.

    ```mlir
    func.func @barrier() {
      systolic.barrier
      systolic.barrier nowait pinned
      return
    }
    ```
  }];
  let arguments = (ins UnitAttr:$nowait, UnitAttr:$pinned);
  let assemblyFormat = "(`nowait` $nowait^)? (`pinned` $pinned^)? attr-dict";
}

def Systolic_PriorityOp : Systolic_Op<"priority", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "sets the priority of the wave's instructions from here on";
  let description = [{
    Among the waves of a SIMD that can issue, the hardware picks one of the highest level. A wave begins with level 0.

    - C1: the level is 0 to 3.

    ```mlir
    func.func @priority() {
      systolic.priority 2
      return
    }
    ```
  }];
  let arguments = (ins I64Attr:$level);
  let assemblyFormat = "$level attr-dict";
  let hasVerifier = 1;
}

def Systolic_SkewOp : Systolic_Op<"skew", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "delays the second half of the workgroup's waves by one barrier from here on";
  let description = [{
    The halves of the waves thereby alternate between the stretches of code that barriers separate. With `end` the first
    half executes one more barrier, and the halves are in step again. The workgroup must have an even number of waves,
    which systolic-schedule-loop ensures.

    ```mlir
    func.func @turns() {
      systolic.skew
      systolic.barrier nowait
      systolic.skew end
      return
    }
    ```
  }];
  let arguments = (ins UnitAttr:$end);
  let assemblyFormat = "(`end` $end^)? attr-dict";
}

#endif
