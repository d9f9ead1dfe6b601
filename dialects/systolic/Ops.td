// Operations of the systolic dialect: kernels and computation, and by inclusion those of memory, order and devices.
// Each op lists its formula and its numbered constraints; the verifier uses the same numbers.
#ifndef NSTF_DIALECTS_SYSTOLIC_OPS
#define NSTF_DIALECTS_SYSTOLIC_OPS

include "dialects/systolic/DeviceOps.td"
include "dialects/systolic/MemoryOps.td"
include "dialects/systolic/OrderOps.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// Kernels

def Systolic_KernelOp
    : Systolic_Op<"kernel", [IsolatedFromAbove, AutomaticAllocationScope, Symbol, FunctionOpInterface]> {
  let summary = "the program of one workgroup for one work item";
  let description = [{
    The type of a block argument determines its role: a memref with axes is a buffer, `!systolic.control` the control
    block of the run, `index` a work index, `!systolic.lds` an array in LDS. `launch` gives the source of each buffer
    and control block.

    `params` are the parameters of a template: integers, f32 numbers and types. `grid` lists axes, each a pair (extent,
    tile): the extent is a parameter, the tile a parameter or a number. The product of their quotients, rounded up, is
    the number of work items. A template has a work index for each axis; systolic-order-workgroups replaces them by one,
    which counts the work items. `schedule` holds the choices of template and tuning for waves and loops. Passes set
    `array` and `wave_size`. `tune` is the tuning space of a template: the values that parameters and fields of the
    schedule may take.

    - C1: there is one work index, or one for each axis of `grid`.
    - C2: there are no results.
    - C3: every argument is a buffer, a control block, a work index or an LDS array.
    - C4: `grid` is pairs of an extent, which is a parameter, and a tile, which is a parameter or a number; all
      are at least 1.
    - C5: `wave_size`, where given, is 32 or 64.
    - C6: the argument marked `systolic.scratch` is an LDS array that other operations use, too, or one LDS
      buffer of rank 1 and type i8.
    - C7: an argument with `systolic.per_token = n`, n at least 1, is a buffer of n elements for each token of
      the launch; its type has the largest possible size. If that is more than one token, a control block gives the
      number of tokens.
    - C8: `launch` has an entry for each buffer and control block, in the order of the arguments.
    - C9: `per_token` of `launch` names parameters of the kernel.
    - C10: an argument with `systolic.packed` is a buffer of a whole number of the blocks, without
      `systolic.per_token`.
    - C11: `array` has as many waves along rows and columns as `schedule` requests, if both are given.
    - C12: `tune` has a list of integers of at least 1 for a parameter, and of strings for a field of the
      schedule, each with at least one entry.
    - C13: `requests`, where given, is at least 1. An argument with `systolic.per_request` or `systolic.per_slot`
      is a buffer without `systolic.per_token`.

    With `requests` over 1 a launch computes all work items for each of that many requests, one request after the other.
    The program is written for one request: tokens and position are those of the request, buffers with
    `systolic.per_token` begin at its first row, and buffers with `systolic.per_request` and `systolic.per_slot` belong
    to it alone. The control block describes each request (support/ControlBlock.h). The parameters are those of the
    whole launch.

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
                       OptionalAttr<Systolic_LaunchAttr>:$launch, OptionalAttr<Systolic_ScheduleAttr>:$schedule,
                       OptionalAttr<DictionaryAttr>:$tune, OptionalAttr<I64Attr>:$requests,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<DictArrayAttr>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    /// The value of a parameter, or nullopt if the kernel has none of that name.
    std::optional<int64_t> getParam(::llvm::StringRef name);
    /// The fields of `schedule`; all empty if there is none.
    ::nstf::support::Schedule getScheduleFields();
    /// The waves that `schedule` requests, 1x1 by default.
    ::nstf::support::Schedule::Waves getWaves() {
      return getScheduleFields().waves.value_or(::nstf::support::Schedule::Waves());
    }
    /// The crews of a workgroup: the count of `systolic.crew`, 1 without this op.
    int64_t getCrews();
    /// Elements for each token of a buffer whose size depends on the launch's tokens; 0 for a buffer whose type gives
    /// its size, such as one for a single token.
    int64_t getElementsPerToken(unsigned argument);
    /// Number of requests that a launch serves independently.
    int64_t getMaxRequests() { return getRequests().value_or(1); }
    /// Whether each request of a launch has its own buffer for this argument: selected by the request's number or slot,
    /// or private to the launch.
    bool isOfRequest(unsigned argument);
    /// The packing of a buffer; null if the buffer is stored row by row.
    PackedAttr getPacking(unsigned argument);
    /// An axis of the grid: the parameter that is its extent, and the extent of one work item along it.
    struct GridAxis {
      ::mlir::StringAttr extent;
      int64_t tile;
    };
    ::llvm::SmallVector<GridAxis> getGridAxes();
    /// Work items of a request along an axis, with the present parameters.
    int64_t getNumWorkItems(const GridAxis &axis);
    /// Whether the extent of an axis depends on the launch's tokens.
    bool growsWithTokens(const GridAxis &axis);
    /// The arguments that have entries in `launch`, in its order.
    ::llvm::SmallVector<unsigned> getLaunchedArguments();
    /// The buffer with this name in `launch`.
    std::optional<unsigned> findBuffer(::llvm::StringRef name);
    /// Inserts an unbound buffer before argument `index`. Precondition: no buffer is bound.
    void insertBuffer(unsigned index, ::mlir::MemRefType type, ::llvm::StringRef name);
    /// Work items of a request with the present parameters.
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
    The value is an integer unless the op has another type.

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

// Computation

def Systolic_MmaOp : Systolic_Op<"mma", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "result = acc + a * b on the matrix cores";
  let description = [{
    With `parts` P, acc and result hold P sums, stacked along the rows. Each column along K is added to one of them.
    With `runs`, sum p adds up the p-th of P runs of adjacent columns; otherwise the array determines the assignment.
    `systolic.sum_parts` adds the P sums.

    - C1: a is MxK, b KxN, acc MxN, or (P·M)xN.
    - C2: a and b have the same element type.
    - C3: acc is i32 for integers, f32 for floats; for `!systolic.operand` f32 or `!systolic.accumulator`.
    - C4: there is at least one part. With `runs` there is more than one, and all have equally many columns.

    ```mlir
    !a = tensor<16x32xf16, #systolic.axes<BM, BK>>
    !b = tensor<32x64xf16, #systolic.axes<BK, BN>>
    !c = tensor<16x64xf32, #systolic.axes<BM, BN>>
    func.func @mma(%a: !a, %b: !b, %acc: !c) -> !c {
      %c = systolic.mma %a, %b, %acc : !a, !b -> !c
      return %c : !c
    }
    !bytes = tensor<16x64xi8, #systolic.axes<BM, BK>>
    !turned = tensor<64x16xi8, #systolic.axes<BK, BN>>
    !whole = tensor<16x16xi32, #systolic.axes<BM, BN>>
    !two = tensor<32x64xf32, #systolic.axes<32, BN>>
    func.func @runs(%a: !a, %b: !b, %acc: !two) -> !two {
      %c = systolic.mma %a, %b, %acc parts 2 runs : !a, !b -> !two
      return %c : !two
    }
    func.func @bytes(%a: !bytes, %b: !turned, %acc: !whole) -> !whole {
      %c = systolic.mma %a, %b, %acc : !bytes, !turned -> !whole
      return %c : !whole
    }
    ```
  }];
  let arguments = (ins Arg<Systolic_Tile, "MxK">:$a, Arg<Systolic_Tile, "KxN">:$b, Arg<Systolic_Tile, "MxN">:$acc,
                       DefaultValuedAttr<I64Attr, "1">:$parts, UnitAttr:$runs);
  let results = (outs Systolic_Tile:$result);
  let assemblyFormat = "$a `,` $b `,` $acc (`parts` $parts^)? (`runs` $runs^)? attr-dict "
                       "`:` type($a) `,` type($b) `->` type($acc)";
  let hasVerifier = 1;
}

def Systolic_SumPartsOp : Systolic_Op<"sum_parts", [Pure]> {
  let summary = "the sum of the parts in which products were accumulated";
  let description = [{
    result[m, n] = tile[m, n] + tile[M + m, n] + tile[2·M + m, n] + …, in that order, so no result depends on which wave
    finished first. The op includes the barriers between waves, and uses the kernel's scratch.

    - C1: the tile is (P·M)xN, the result MxN of the same type, and P is at least 1.
    - C2: elements are f32, i32 or `!systolic.accumulator`.

    ```mlir
    !x = tensor<16x64xf16, #systolic.axes<BM, BK>>
    !w = tensor<64x32xf16, #systolic.axes<BK, BN>>
    !parts = tensor<32x32xf32, #systolic.axes<32, BN>>
    !sum = tensor<16x32xf32, #systolic.axes<BM, BN>>
    func.func @halves(%x: !x, %w: !w, %acc: !parts) -> !sum {
      %parts = systolic.mma %x, %w, %acc parts 2 : !x, !w -> !parts
      %sum = systolic.sum_parts %parts : !parts -> !sum
      return %sum : !sum
    }
    ```
  }];
  let arguments = (ins Arg<Systolic_Tile, "parts of MxN, stacked along the rows">:$tile);
  let results = (outs Systolic_Tile:$result);
  let assemblyFormat = "$tile attr-dict `:` type($tile) `->` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    int64_t getParts();
  }];
}

def Systolic_DotOp : Systolic_Op<"dot", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "sums of products of adjacent columns along K, on the vector units";
  let description = [{
    result[n, p] = acc[n, p] + sum over the G columns k = p * G … p * G + G - 1 of w[n, k] * x[0, k], with G = K / P. A
    lane holds all columns of a sum. Operands of i8 need no conversion, because their products are exact.

    - C1: w is NxK, x 1xK, acc NxP, and P divides K.
    - C2: x is of f32, f16, bf16, f8E4M3FNUZ or `!systolic.operand`. w is of the same type, or of i8 if G is a
      multiple of 4; with w of i8, x may be of i8 too.
    - C3: acc has the accumulator type of x's type: i32 for i8, else f32.

    ```mlir
    !w = tensor<16x64xf16, #systolic.axes<BN, BK>>
    !x = tensor<1x64xf16, #systolic.axes<1, BK>>
    !sums = tensor<16x8xf32, #systolic.axes<BN, BS>>
    func.func @dot(%w: !w, %x: !x, %acc: !sums) {
      %sums = systolic.dot %w, %x, %acc : !w, !x -> !sums
      return
    }
    ```
  }];
  let arguments = (ins Arg<Systolic_Tile, "NxK">:$w, Arg<Systolic_Tile, "1xK">:$x, Arg<Systolic_Tile, "NxP">:$acc);
  let results = (outs Systolic_Tile:$result);
  let assemblyFormat = "$w `,` $x `,` $acc attr-dict `:` type($w) `,` type($x) `->` type($acc)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    int64_t getLength(); ///< columns of a sum
    /// The layout of x if w has `layout`: all rows of w use the same x.
    static FragmentAttr getRowLayout(FragmentAttr layout) { return layout.dropDim(0).insertUnitDim(0); }
    /// The layout of the sums if w has `layout`; null if a lane does not hold all columns of a sum.
    FragmentAttr getSumsLayout(FragmentAttr layout);
  }];
}

def Systolic_ReduceKind : I32EnumAttr<"ReduceKind", "how elements are combined",
    [I32EnumAttrCase<"add", 0>, I32EnumAttrCase<"max", 1>, I32EnumAttrCase<"min", 2>, I32EnumAttrCase<"maximum", 3>,
     I32EnumAttrCase<"minimum", 4>]> {
  let cppNamespace = "::nstf::systolic";
}

def Systolic_ReduceOp : Systolic_Op<"reduce", [Pure]> {
  let summary = "combines a tile's elements along one dimension";
  let description = [{
    The order is fixed: registers first, then lanes and waves as a tree. Integers are signed. For floats `max` and `min`
    ignore a NaN, `maximum` and `minimum` propagate it.
    With `parts` P the result has P elements along the dimension, and each element of the tile is combined into one of
    them. The layout determines into which, so that lanes exchange no data. A second reduction without `parts` combines
    the parts.
    - C1: the dimension exists, and the result is the tile without it, or with `parts` elements along it.
    - C2: elements are numbers, not i1.
    - C3: there is at least one part, and their number divides the tile's size.

    ```mlir
    !tile = tensor<4x64xf32, #systolic.axes<BM, BN>>
    !row = tensor<4xf32, #systolic.axes<BM>>
    func.func @reduce(%tile: !tile) -> (!row, !row, !row) {
      %sum = systolic.reduce add %tile along 1 : !tile -> !row
      %max = systolic.reduce max %tile along 1 : !tile -> !row
      %min = systolic.reduce min %tile along 1 : !tile -> !row
      return %sum, %max, %min : !row, !row, !row
    }
    !parts = tensor<4x8xf32, #systolic.axes<BM, 8>>
    func.func @in_lanes(%tile: !tile, %before: !parts) -> !row {
      %block = systolic.reduce add %tile along 1 parts 8 : !tile -> !parts
      %parts = arith.addf %before, %block : !parts
      %sum = systolic.reduce add %parts along 1 : !parts -> !row
      return %sum : !row
    }
    ```
  }];
  let arguments = (ins Systolic_ReduceKind:$kind, Arg<Systolic_Tile, "the tile that is reduced, of rank 2">:$tile,
                       I64Attr:$dim, OptionalAttr<I64Attr>:$parts);
  let results = (outs Systolic_Tile:$result);
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "ReduceKind":$kind, "::mlir::Value":$tile, "uint64_t":$dim),
                            [{ build($_builder, $_state, result, kind, tile, dim, /*parts=*/{}); }]>];
  let assemblyFormat = "$kind $tile `along` $dim (`parts` $parts^)? attr-dict `:` type($tile) `->` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The layout of the result if the tile has `layout`; null if a part would combine elements of several lanes or
    /// waves.
    FragmentAttr getResultLayout(FragmentAttr layout);
  }];
}

def Systolic_BroadcastOp : Systolic_Op<"broadcast", [Pure]> {
  let summary = "repeats a scalar, a rank-1 tile along a new dimension, or each element along an existing dimension";
  let description = [{
    With `each` the source has as many dimensions as the result, and each of its elements is repeated n times in a row
    along `dim`: element k of the result is element k / n of the source. n is the quotient of the sizes.

    - C1: source and result have the same element type.
    - C2: a tile source is the result without dimension `dim`.
    - C3: with `each`, the source is the result except for the size of `dim`, which divides the result's.

    ```mlir
    !tile = tensor<4x64xf32, #systolic.axes<BM, BN>>
    !row = tensor<4xf32, #systolic.axes<BM>>
    !groups = tensor<4x2xf32, #systolic.axes<BM, BG>>
    func.func @broadcast(%scalar: f32, %row: !row, %scales: !groups) -> (!tile, !tile, !tile) {
      %all = systolic.broadcast %scalar : f32 -> !tile
      %columns = systolic.broadcast %row along 1 : !row -> !tile
      %groups = systolic.broadcast %scales each along 1 : !groups -> !tile
      return %all, %columns, %groups : !tile, !tile, !tile
    }
    ```
  }];
  let arguments = (ins Arg<AnyType, "a scalar or a tile">:$source, DefaultValuedAttr<I64Attr, "0">:$dim,
                       UnitAttr:$each);
  let results = (outs Systolic_Tile:$result);
  let assemblyFormat = "$source (`each` $each^)? (`along` $dim^)? attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$source, "uint64_t":$dim),
                            [{ build($_builder, $_state, result, source, dim, /*each=*/false); }]>];
  let extraClassDeclaration = [{
    /// How often each element of a tile source is repeated. Precondition: `each`.
    int64_t getRepeats();
    /// The layout of a tile source if the result has `layout`; null if there is none.
    FragmentAttr getSourceLayout(FragmentAttr layout);
  }];
}

def Systolic_UnpackOp : Systolic_Op<"unpack", [Pure]> {
  let summary = "unpacks words into codes of a few bits, as floats";
  let description = [{
    A word with b = `bits` bits of each code holds 32 / b adjacent codes along `dim`. Code j starts at bit
    b·⌊j / 2⌋ + 16·(j mod 2), so one shift and one mask give a pair of 16-bit numbers. Codes are unsigned and exact.
    With `raised` the results are 64 (bf16: 128) larger than the codes, which saves one instruction for each pair; sums
    of products are corrected by a multiple of the sum of the other factor.

    - C1: `bits` is 1, 2 or 4.
    - C2: the result has 32 / `bits` elements along `dim` for each of `words`, and the same other sizes.
    - C3: `words` are of i32. The result is of f16 or f32, of bf16 if `raised`, or of !systolic.operand.

    ```mlir
    !words = tensor<4x8xi32, #systolic.axes<BN, BW>>
    !codes = tensor<4x64xf16, #systolic.axes<BN, BK>>
    func.func @unpack(%words: !words) -> !codes {
      %codes = systolic.unpack 4 raised %words along 1 : !words -> !codes
      return %codes : !codes
    }
    ```
  }];
  let arguments = (ins I64Attr:$bits, Arg<Systolic_Tile, "words of codes">:$words, I64Attr:$dim, UnitAttr:$raised);
  let results = (outs Systolic_Tile:$result);
  let assemblyFormat = "$bits (`raised` $raised^)? $words `along` $dim attr-dict `:` type($words) `->` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    int64_t getCodesPerWord() { return 32 / getBits(); }
    /// The difference between `raised` results and codes: at this magnitude the last bit of `type` counts 1.
    static int64_t getRaise(::mlir::Type type) { return type.isBF16() ? 128 : 64; }
    /// The first bit of a word's code number `code`.
    static int64_t getFirstBit(int64_t bits, int64_t code) { return bits * (code / 2) + 16 * (code % 2); }
    /// The layout of the words, in the registers of the same lane, if the codes have `layout`; null if there is none.
    FragmentAttr getWordsLayout(FragmentAttr layout);
  }];
}

def Systolic_IotaOp : Systolic_Op<"iota", [Pure]> {
  let summary = "the coordinate of each element along a dimension";
  let description = [{
    - C1: the dimension exists and the element type is i32.

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
  let summary = "the same tile in another layout; through LDS unless every lane keeps its elements";
  let description = [{
    The tile goes through the kernel's scratch or through the LDS arrays in `through`. Each array holds one part of the
    tile, and the parts use the arrays in turn. With `transposed` the arrays hold the tile's transpose. The op includes
    the barriers between waves, also one before the first part. With `apart` each wave keeps its elements, in an array
    that nothing else uses, and needs no barrier.
    - C1: source and result have the same shape and element type.
    - C2: `through` are arrays of one type with one buffer each, of the tile's rank and element type.
      `transposed` needs rank 2, and an array.
    - C3: an array holds a part of the tile of which every lane has a share before and after.
    - C4: `apart` needs one array; every wave holds the same elements before and after, and no two waves
      hold the same element.

    ```mlir
    #rows = #systolic.fragment<reg [1:16*1], lane [0:16*1, -1:4*0], wave []>
    #columns = #systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>
    #cells = #systolic.fragment<reg [1:4*1, 0:4*16], lane [0:16*1, 1:4*4], wave []>
    #lines = #systolic.fragment<reg [1:4*1, 0:4*16], lane [1:4*4, 0:16*1], wave []>
    !half = !systolic.lds<1 x 32x16xf32, unit, #systolic.axes<32, 16>>
    func.func @convert(%tile: tensor<16x16xf32, #rows>) -> tensor<16x16xf32, #columns> {
      %turned = systolic.convert_layout %tile : tensor<16x16xf32, #rows> -> tensor<16x16xf32, #columns>
      return %turned : tensor<16x16xf32, #columns>
    }
    func.func @rounds(%tile: tensor<64x16xf32, #cells>, %lds: !half) -> tensor<64x16xf32, #lines> {
      %lines = systolic.convert_layout %tile through %lds : !half
          : tensor<64x16xf32, #cells> -> tensor<64x16xf32, #lines>
      return %lines : tensor<64x16xf32, #lines>
    }
    #own_rows = #systolic.fragment<reg [1:4*1], lane [1:4*4, 0:16*1], wave [1:2*16]>
    #own_cells = #systolic.fragment<reg [1:4*1], lane [0:16*1, 1:4*4], wave [1:2*16]>
    !own = !systolic.lds<1 x 16x32xf32, unit, #systolic.axes<16, 32>>
    func.func @apart(%tile: tensor<16x32xf32, #own_rows>, %lds: !own) -> tensor<16x32xf32, #own_cells> {
      %cells = systolic.convert_layout %tile through %lds : !own apart
          : tensor<16x32xf32, #own_rows> -> tensor<16x32xf32, #own_cells>
      return %cells : tensor<16x32xf32, #own_cells>
    }
    ```
  }];
  let arguments = (ins Arg<Systolic_Tile, "the tile in its present layout">:$tile,
                       Arg<Variadic<Systolic_LdsType>, "the LDS arrays it goes through, part by part">:$through,
                       UnitAttr:$transposed, UnitAttr:$apart);
  let results = (outs Systolic_Tile:$result);
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$tile),
                            [{ build($_builder, $_state, result, tile, ::mlir::ValueRange()); }]>];
  let assemblyFormat = [{
    $tile (`through` $through^ `:` qualified(type($through)))? (`transposed` $transposed^)?
    (`apart` $apart^)? attr-dict `:` type($tile) `->` type($result)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether every wave holds the same elements before and after, and no two waves hold the same element.
    bool staysInWaves();
  }];
}

#endif
