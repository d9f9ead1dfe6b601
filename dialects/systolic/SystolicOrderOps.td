// Operations that say in which order waves do what: side by side, one after the other, urgent or not. Each lists its
// numbered constraints; the verifier carries the same numbers.
#ifndef NSTF_DIALECTS_SYSTOLIC_SYSTOLICORDEROPS
#define NSTF_DIALECTS_SYSTOLIC_SYSTOLICORDEROPS

include "dialects/systolic/SystolicLaunch.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Systolic_OverlapOp : Systolic_Op<"overlap", [RecursiveMemoryEffects, NoRegionArguments,
                                                 SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "parts that flow side by side";
  let description = [{
    Nothing flows between the parts: all are done, their instructions in any interleaving. Lowering merges them evenly by
    what each instruction takes of its pipe, and pins that order. The results are what the parts yield, one after the other.
    A part alone keeps its order.
    - overlap_c1: there is at least one part.
    - overlap_c2: the results have the types of what is yielded.

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
                                             RangedTypesMatchWith<"what stands otherwise has the results' types", "results",
                                                                  "otherwise", "$_self">]> {
  let summary = "what a wave computes where any element of the condition that it holds is set";
  let description = [{
    results[i] = what the region yields where the wave holds an element of `condition` that is set, else otherwise[i]. Waves
    hold what the layouts say, so a program gives the same numbers under any of them if the region yields otherwise[i] again
    for what no set element asks to change: a row of its own scale keeps it, multiplied by 1. Programs do.

    - if_any_c1: the condition's elements are i1.
    - if_any_c2: the region yields values of the results' types.
    - if_any_c3: the region computes: it has no access to memory, nothing of order and no product. What a call does is
      looked at when it is inlined.
    - if_any_c4: nothing in the region goes from wave to wave, for another may skip it. Lowering checks that.

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
  let arguments = (ins Arg<Systolic_Tile, "whether an element asks for it">:$condition,
                       Arg<Variadic<AnyType>, "the results where none does">:$otherwise);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$condition $body `else` $otherwise attr-dict `:` type($condition) `->` type($results)";
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1; // what is the same either way, or not used, is no result
}

def Systolic_YieldOp : Systolic_Op<"yield", [Pure, ParentOneOf<["OverlapOp", "IfAnyOp"]>, ReturnLike, Terminator]> {
  let summary = "ends a part of an overlap, or the region of an if_any, with its results";
  let description = [{
    The examples are those of `overlap` and `if_any`.

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
  let summary = "waits until no more than the newest `count` accesses to memory of the wave are on their way";
  let description = [{
    Accesses are done in order. A `stage` takes `getAccesses` of each wave, a load or a store one for each instruction.
    - wait_c1: `count` is at least 0 and at most 63, which is what the hardware counts to.

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
  let summary = "waits until every wave of the workgroup is here and its LDS accesses are done";
  let description = [{
    With `nowait` it waits for the waves alone, whatever they have on their way. With `pinned` no instruction moves over it.

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
  let summary = "how urgent the wave's instructions are from here on";
  let description = [{
    Of the waves of a SIMD that could issue, one of the highest level does. A wave begins with 0.

    - priority_c1: the level is 0 to 3.

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
  let summary = "the second half of the workgroup's waves is one barrier behind from here on";
  let description = [{
    So halves of the waves take turns at what stands between barriers. With `end` the halves meet again. A workgroup has an
    even number of waves where it stands, which systolic-schedule-loop sees to.

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
