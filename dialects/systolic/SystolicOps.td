// Operations of the systolic dialect: kernels, order and computation, and those of memory by inclusion. Each lists its
// formula and its numbered constraints; the verifier carries the same numbers.
#ifndef NSTF_DIALECTS_SYSTOLIC_SYSTOLICOPS
#define NSTF_DIALECTS_SYSTOLIC_SYSTOLICOPS

include "dialects/systolic/SystolicMemoryOps.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// Kernels

def Systolic_KernelOp
    : Systolic_Op<"kernel", [IsolatedFromAbove, AutomaticAllocationScope, Symbol, FunctionOpInterface]> {
  let summary = "what one workgroup does with one work item";
  let description = [{
    The role of a block argument is its type: a memref with axes is a buffer, `!systolic.control` the control block of
    the run, `index` a work index, `!systolic.lds` an array in LDS. Who launches the kernel decides where they come
    from; `launch` says so of buffers and the control block.

    `params` are what a template can be instantiated with: whole numbers, f32 numbers and types. `grid` lists axes, each
    a pair (extent, tile) of a parameter and a parameter or a number: their rounded-up quotients multiply to the number of
    work items. A template has a work index for each axis; systolic-order-work makes one of them, which counts the work
    items. `array` and `wave_size` are set by passes.

    - kernel_c1: there is one work index, or one for each axis of `grid`.
    - kernel_c2: there are no results.
    - kernel_c3: every argument is a buffer, a control block, a work index or an LDS array.
    - kernel_c4: `grid` is pairs of an extent, which is a parameter, and a tile, which is a parameter or a number; all are
      at least 1.
    - kernel_c5: `wave_size`, where given, is 32 or 64.
    - kernel_c6: the argument marked `systolic.scratch` is one LDS buffer of rank 1 and type i8.
    - kernel_c7: an argument with `systolic.per_token = n`, n at least 1, is a buffer of n elements for each token of the
      launch, its type the most there can be. Where that is more than one token, a control block says how many there are.
    - kernel_c8: `launch` has an entry for each buffer and control block, in the order of the arguments.
    - kernel_c9: `per_token` of `launch` names parameters of the kernel.

    ```mlir
    systolic.kernel @copy(%X: memref<100xf32, #systolic.axes<N>>, %Y: memref<100xf32, #systolic.axes<N>>, %work: index)
        attributes {params = {N = 100, BN = 64}, grid = ["N", "BN"]} {
      %BN = systolic.param "BN"
      %n0 = arith.muli %work, %BN : index
      %x = systolic.load %X[%n0] : memref<100xf32, #systolic.axes<N>> -> tensor<64xf32, #systolic.axes<BN>>
      systolic.store %x, %Y[%n0] : tensor<64xf32, #systolic.axes<BN>>, memref<100xf32, #systolic.axes<N>>
      systolic.return
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type, DictionaryAttr:$params,
                       ArrayAttr:$grid, OptionalAttr<Systolic_ArrayAttr>:$array, OptionalAttr<I64Attr>:$wave_size,
                       OptionalAttr<Systolic_LaunchAttr>:$launch, OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    /// The value of a parameter, or nothing where the kernel has none of that name.
    std::optional<int64_t> getParam(::llvm::StringRef name);
    /// Elements for each token of a buffer that ends with the launch's tokens; 0 where it ends with its type, as one
    /// for a single token does.
    int64_t getElementsPerToken(unsigned argument);
    /// An axis of the grid: the parameter that is its extent, and the extent of one work item along it.
    struct GridAxis {
      ::mlir::StringAttr extent;
      int64_t tile;
    };
    ::llvm::SmallVector<GridAxis> getGridAxes();
    /// Work items along an axis, and of a launch, at the present parameters.
    int64_t getNumWorkItems(const GridAxis &axis);
    /// The arguments that `launch` has entries for, in its order.
    ::llvm::SmallVector<unsigned> getLaunchedArguments();
    /// The buffer that has this name in `launch`.
    std::optional<unsigned> findBuffer(::llvm::StringRef name);
    /// Puts a buffer that nothing is bound to before argument `index`. Precondition: no other is bound.
    void insertBuffer(unsigned index, ::mlir::MemRefType type, ::llvm::StringRef name);
    /// Work items of a launch at the present parameters.
    int64_t getNumWorkItems();
  }];
}

def Systolic_ReturnOp : Systolic_Op<"return", [Pure, HasParent<"KernelOp">, ReturnLike, Terminator]> {
  let summary = "ends a kernel";
  let description = [{
    ```mlir
    systolic.kernel @nothing(%work: index) attributes {params = {}, grid = []} {
      systolic.return
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Systolic_ParamOp : Systolic_Op<"param", [Pure]> {
  let summary = "the value of a kernel parameter; `systolic-instantiate` makes it a constant";
  let description = [{
    A whole number unless a type is said.

    ```mlir
    func.func private @slot() -> (index, f32) {
      %BM = systolic.param "BM"
      %EPS = systolic.param "EPS" : f32
      return %BM, %EPS : index, f32
    }
    ```
  }];
  let arguments = (ins StrAttr:$name);
  let results = (outs AnyTypeOf<[Index, F32]>:$result);
  let hasCustomAssemblyFormat = 1;
}

// Order

def Systolic_OverlapOp : Systolic_Op<"overlap", [RecursiveMemoryEffects, NoRegionArguments,
                                                 SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "parts that flow side by side";
  let description = [{
    Nothing flows between the parts: all are done, their instructions in any interleaving. Lowering merges them evenly by
    what each instruction takes of its pipe, and pins that order. The results are what the parts yield, one after the other.
    - overlap_c1: there are two parts or more.
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

def Systolic_YieldOp : Systolic_Op<"yield", [Pure, HasParent<"OverlapOp">, ReturnLike, Terminator]> {
  let summary = "ends a part of an overlap with its results";
  let description = [{
    The example is that of `overlap`.

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

// Computation

def Systolic_MmaOp : Systolic_Op<"mma", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "result = acc + a * b on the matrix cores";
  let description = [{
    - mma_c1: a is MxK, b KxN, acc MxN.
    - mma_c2: a and b have the same element type.

    ```mlir
    !a = tensor<16x32xf16, #systolic.axes<BM, BK>>
    !b = tensor<32x64xf16, #systolic.axes<BK, BN>>
    !c = tensor<16x64xf32, #systolic.axes<BM, BN>>
    func.func @mma(%a: !a, %b: !b, %acc: !c) -> !c {
      %c = systolic.mma %a, %b, %acc : !a, !b -> !c
      return %c : !c
    }
    ```
  }];
  let arguments = (ins Arg<Systolic_Tile, "MxK">:$a, Arg<Systolic_Tile, "KxN">:$b, Arg<Systolic_Tile, "MxN">:$acc);
  let results = (outs Systolic_Tile:$result);
  let assemblyFormat = "$a `,` $b `,` $acc attr-dict `:` type($a) `,` type($b) `->` type($acc)";
  let hasVerifier = 1;
}

def Systolic_ReduceKind : I32EnumAttr<"ReduceKind", "how elements combine",
    [I32EnumAttrCase<"add", 0>, I32EnumAttrCase<"max", 1>, I32EnumAttrCase<"min", 2>, I32EnumAttrCase<"maximum", 3>,
     I32EnumAttrCase<"minimum", 4>]> {
  let cppNamespace = "::nstf::systolic";
}

def Systolic_ReduceOp : Systolic_Op<"reduce", [Pure]> {
  let summary = "combines a tile's elements along one dimension";
  let description = [{
    The order is fixed: registers first, then lanes and waves as a tree. Integers are signed. Of floats `max` and `min`
    pass over a NaN, `maximum` and `minimum` give it on.
    - reduce_c1: the dimension exists, and the result is the tile without it.
    - reduce_c2: elements are numbers, not i1.

    ```mlir
    !tile = tensor<4x64xf32, #systolic.axes<BM, BN>>
    !row = tensor<4xf32, #systolic.axes<BM>>
    func.func @reduce(%tile: !tile) -> (!row, !row, !row) {
      %sum = systolic.reduce add %tile along 1 : !tile -> !row
      %max = systolic.reduce max %tile along 1 : !tile -> !row
      %min = systolic.reduce min %tile along 1 : !tile -> !row
      return %sum, %max, %min : !row, !row, !row
    }
    ```
  }];
  let arguments = (ins Systolic_ReduceKind:$kind, Arg<Systolic_Tile, "what is combined, of rank 2">:$tile,
                       I64Attr:$dim);
  let results = (outs Systolic_Tile:$result);
  let assemblyFormat = "$kind $tile `along` $dim attr-dict `:` type($tile) `->` type($result)";
  let hasVerifier = 1;
}

def Systolic_BroadcastOp : Systolic_Op<"broadcast", [Pure]> {
  let summary = "repeats a scalar, or a rank-1 tile along a new dimension";
  let description = [{
    - broadcast_c1: source and result have the same element type.
    - broadcast_c2: a tile source is the result without dimension `dim`.

    ```mlir
    !tile = tensor<4x64xf32, #systolic.axes<BM, BN>>
    !row = tensor<4xf32, #systolic.axes<BM>>
    func.func @broadcast(%scalar: f32, %row: !row) -> (!tile, !tile) {
      %all = systolic.broadcast %scalar : f32 -> !tile
      %columns = systolic.broadcast %row along 1 : !row -> !tile
      return %all, %columns : !tile, !tile
    }
    ```
  }];
  let arguments = (ins Arg<AnyType, "a scalar or a tile of rank 1">:$source, DefaultValuedAttr<I64Attr, "0">:$dim);
  let results = (outs Systolic_Tile:$result);
  let assemblyFormat = "$source (`along` $dim^)? attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Systolic_IotaOp : Systolic_Op<"iota", [Pure]> {
  let summary = "each element's own coordinate along a dimension";
  let description = [{
    - iota_c1: the dimension exists and the element type is i32.

    ```mlir
    !tile = tensor<4x64xi32, #systolic.axes<BM, BN>>
    func.func @iota() -> !tile {
      %column = systolic.iota along 1 : !tile
      return %column : !tile
    }
    ```
  }];
  let arguments = (ins I64Attr:$dim);
  let results = (outs Systolic_Tile:$result);
  let assemblyFormat = "`along` $dim attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Systolic_ConvertLayoutOp : Systolic_Op<"convert_layout", [Pure]> {
  let summary = "the same tile held by other lanes and registers; through LDS unless a lane keeps all it has";
  let description = [{
    - convert_layout_c1: shape and element type stay.

    ```mlir
    #rows = #systolic.fragment<reg [1:16*1], lane [0:16*1, -1:4*0], wave []>
    #columns = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>
    func.func @convert(%tile: tensor<16x16xf32, #rows>) -> tensor<16x16xf32, #columns> {
      %turned = systolic.convert_layout %tile : tensor<16x16xf32, #rows> -> tensor<16x16xf32, #columns>
      return %turned : tensor<16x16xf32, #columns>
    }
    ```
  }];
  let arguments = (ins Arg<Systolic_Tile, "the tile as it lies">:$tile);
  let results = (outs Systolic_Tile:$result);
  let assemblyFormat = "$tile attr-dict `:` type($tile) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

#endif
