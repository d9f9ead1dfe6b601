// Operations that move tiles between memory, LDS and registers, and the type constraints of tiles and buffers. Each op
// lists its formula and its numbered constraints; the verifier uses the same numbers.
#ifndef NSTF_DIALECTS_SYSTOLIC_MEMORYOPS
#define NSTF_DIALECTS_SYSTOLIC_MEMORYOPS

include "dialects/systolic/Launch.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Systolic_Tile : Type<And<[CPred<"::llvm::isa<::mlir::RankedTensorType>($_self)">,
                              CPred<"::llvm::cast<::mlir::RankedTensorType>($_self).hasStaticShape()">,
                              CPred<"::llvm::is_contained({1, 2}, "
                                    "::llvm::cast<::mlir::RankedTensorType>($_self).getRank())">,
                              CPred<"::llvm::cast<::mlir::RankedTensorType>($_self).getNumElements() > 0">]>,
                         "tile of rank 1 or 2 that is not empty", "::mlir::RankedTensorType">;
def Systolic_Buffer : Type<CPred<"::nstf::systolic::isBuffer($_self)">,
                           "buffer (memref of static shape, rank 1 or 2, not empty, with as many axes)",
                           "::mlir::MemRefType">;
def Systolic_IndexTile : Type<And<[Systolic_Tile.predicate,
                                   CPred<"::llvm::cast<::mlir::RankedTensorType>($_self).getRank() == 1">,
                                   CPred<"::llvm::cast<::mlir::RankedTensorType>($_self)"
                                         ".getElementType().isInteger(32)">]>,
                              "rank-1 tile of i32", "::mlir::RankedTensorType">;

class Systolic_AccessDescription {
  string text = [{
    Element (r, c) of the tile is `buffer[i + r, j + c]`. `rows` (`cols`) replaces r (c) by entry r (c) of an index
    tile. An absolute index is in bounds if it is below the buffer's size in its dimension and below `limit`, which
    gives one bound for each dimension, at most the buffer's size.
  }];
}

def Systolic_LoadOp : Systolic_Op<"load", [AttrSizedOperandSegments]> {
  let summary = "reads a tile from a buffer; elements out of bounds are 0";
  let description = Systolic_AccessDescription<>.text # [{
    Floats and integers of i8 are converted from the buffer's element type to the tile's. With `transposed`, element (r,
    c) of the tile is element (c, r) of the buffer's part, so `rows` has as many entries as the tile has columns. A load
    whose `when` is false accesses no memory and returns zeros.
    - C1: tile and buffer have the same rank (except with `at`). Their element types are the same, or both are
      floats or i8; a tile of a template's `!systolic.operand` or `!systolic.accumulator` matches any type.
    - C2: there is one index for each dimension, and one limit for each dimension or none.
    - C3: `rows` has as many entries as the tile has rows, `cols` as it has columns; `rows` needs rank 2.
    - C4: `at` gives each element of the tile, of rank 1 or 2, its own index in a buffer of rank 1. It has the
      tile's shape and excludes `rows`, `cols`, `limit` and `transposed`.
    - C5: `transposed` needs rank 2.
    - C6: `when` excludes `at`.

    ```mlir
    !T = memref<512x64xf32, #systolic.axes<V, N>>
    !tile = tensor<4x32xf32, #systolic.axes<BM, BN>>
    !ids = tensor<4xi32, #systolic.axes<BM>>
    !flat = memref<512xf32, #systolic.axes<N>>
    !places = tensor<4x32xi32, #systolic.axes<BM, BN>>
    !turned = tensor<32x4xf32, #systolic.axes<BN, BM>>
    func.func @load(%T: !T, %i: index, %j: index, %limit: index, %ids: !ids, %is_there: i1)
        -> (!tile, !tile, !tile, !turned) {
      %block = systolic.load %T[%i, %j] : !T -> !tile
      %part = systolic.load %T[%i, %j] limit [%limit, %limit] : !T -> !tile
      %gathered = systolic.load %T[%i, %j] rows(%ids : !ids) : !T -> !tile
      %turned = systolic.load %T[%i, %j] rows(%ids : !ids) transposed when %is_there : !T -> !turned
      return %block, %part, %gathered, %turned : !tile, !tile, !tile, !turned
    }
    func.func @pick(%x: !flat, %i: index, %places: !places) -> !tile {
      %picked = systolic.load %x[%i] at(%places : !places) : !flat -> !tile
      return %picked : !tile
    }
    ```
  }];
  let arguments = (ins Arg<Systolic_Buffer, "the buffer that is read", [MemRead]>:$buffer,
                       Arg<Variadic<Index>, "where the tile starts, one for each dimension">:$indices,
                       Arg<Variadic<Index>, "where the readable part ends">:$limits,
                       Arg<Optional<Systolic_IndexTile>, "row of each row of the tile">:$rows,
                       Arg<Optional<Systolic_IndexTile>, "column of each column of the tile">:$cols,
                       Arg<Optional<Systolic_Tile>, "index of each element of the tile, i32">:$at,
                       Arg<Optional<I1>, "whether to load at all">:$when, UnitAttr:$transposed);
  let results = (outs Systolic_Tile:$result);
  let assemblyFormat = [{
    $buffer `[` $indices `]` (`limit` `[` $limits^ `]`)? (`rows` `(` $rows^ `:` type($rows) `)`)?
    (`cols` `(` $cols^ `:` type($cols) `)`)? (`at` `(` $at^ `:` type($at) `)`)? (`transposed` $transposed^)?
    (`when` $when^)? attr-dict `:` type($buffer) `->` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$buffer, "::mlir::ValueRange":$indices,
                                 "::mlir::ValueRange":$limits, "::mlir::Value":$rows, "::mlir::Value":$cols),
                            [{ build($_builder, $_state, result, buffer, indices, limits, rows, cols, ::mlir::Value(),
                                     ::mlir::Value()); }]>];
  let hasVerifier = 1;
}

def Systolic_SliceOp : Systolic_Op<"slice", [Pure]> {
  let summary = "a part of a tile, without moving data between lanes";
  let description = [{
    `from` gives the row and column of the tile where the part begins. Every lane keeps its elements of the part.

    - C1: tile and result have rank 2 and the same element type, and the tile contains the part.

    ```mlir
    !line = tensor<16x64xf16, #systolic.axes<BM, BL>>
    !block = tensor<16x32xf16, #systolic.axes<BM, BK>>
    func.func @slice(%line: !line) -> !block {
      %block = systolic.slice %line from [0, 32] : !line -> !block
      return %block : !block
    }
    ```
  }];
  let arguments = (ins Arg<Systolic_Tile, "the tile that contains the part">:$tile, DenseI64ArrayAttr:$from);
  let results = (outs Systolic_Tile:$result);
  let assemblyFormat = "$tile `from` $from attr-dict `:` type($tile) `->` type($result)";
  let hasVerifier = 1;
}

def Systolic_StoreOp : Systolic_Op<"store", [AttrSizedOperandSegments]> {
  let summary = "writes a tile to a buffer; elements out of bounds are dropped";
  let description = Systolic_AccessDescription<>.text # [{
    With `transposed`, element (r, c) of the tile is element (c, r) of the buffer's part.
    If several lanes hold an element, one of them writes it. Floats are converted from the tile's element type to the
    buffer's and rounded to nearest even; a value outside the range of i8 becomes an unspecified i8.
    - C1: tile and buffer have the same rank. Their element types are the same, or both are floats or i8; a tile
      of a template's `!systolic.operand` or `!systolic.accumulator` matches any type.
    - C2: there is one index for each dimension, and one limit for each dimension or none.
    - C3: `rows` has one entry for each row of the buffer that is written, and needs rank 2.
    - C4: `transposed` needs rank 2.

    ```mlir
    !Y = memref<64x64xf32, #systolic.axes<M, N>>
    !tile = tensor<4x32xf32, #systolic.axes<BM, BN>>
    !turned = tensor<32x4xf32, #systolic.axes<BN, BM>>
    !rows = tensor<4xi32, #systolic.axes<BM>>
    func.func @store(%Y: !Y, %tile: !tile, %turned: !turned, %i: index, %j: index, %limit: index, %rows: !rows) {
      systolic.store %tile, %Y[%i, %j] limit [%limit, %limit] : !tile, !Y
      systolic.store %turned, %Y[%i, %j] rows(%rows : !rows) transposed : !turned, !Y
      return
    }
    ```
  }];
  let arguments = (ins Arg<Systolic_Tile, "the tile that is written">:$tile,
                       Arg<Systolic_Buffer, "the buffer that is written", [MemWrite]>:$buffer,
                       Arg<Variadic<Index>, "where the tile starts, one for each dimension">:$indices,
                       Arg<Variadic<Index>, "where the writable part ends">:$limits,
                       Arg<Optional<Systolic_IndexTile>, "row of each row that is written">:$rows,
                       UnitAttr:$transposed);
  let assemblyFormat = [{
    $tile `,` $buffer `[` $indices `]` (`limit` `[` $limits^ `]`)? (`rows` `(` $rows^ `:` type($rows) `)`)?
    (`transposed` $transposed^)? attr-dict `:` type($tile) `,` type($buffer)
  }];
  let hasVerifier = 1;
}

def Systolic_WriteOp : Systolic_Op<"write"> {
  let summary = "writes a tile from registers to an LDS buffer";
  let description = [{
    - C1: tile and LDS array have the same element type and the same shape; with `transposed` the shape of one is
      the transpose of the other's.

    ```mlir
    !lds = !systolic.lds<2 x 16x32xf32, #systolic.swizzle<4, 8, 1>, #systolic.axes<BM, BK>>
    !tile = tensor<16x32xf32, #systolic.axes<BM, BK>>
    func.func @write(%tile: !tile, %lds: !lds, %buffer: index) {
      systolic.write %tile, %lds[%buffer] : !tile, !lds
      return
    }
    ```
  }];
  let arguments = (ins Arg<Systolic_Tile, "the tile that is written">:$tile,
                       Arg<Systolic_LdsType, "the array that is written", [MemWrite]>:$lds,
                       Arg<Index, "number of the array's buffer">:$buffer, UnitAttr:$transposed);
  let assemblyFormat = [{
    $tile `,` $lds `[` $buffer `]` (`transposed` $transposed^)? attr-dict `:` type($tile) `,` qualified(type($lds))
  }];
  let hasVerifier = 1;
}

def Systolic_ReadOp : Systolic_Op<"read"> {
  let summary = "reads a tile from an LDS buffer into registers";
  let description = [{
    `from` gives the row and column of the array where the part that is read begins; without it, the whole array is
    read.
    - C1: tile and LDS array have the same element type. Without `from` they have the same shape, or with
      `transposed` the transpose of each other's. With `from` the array has rank 2 and contains the part.

    ```mlir
    !lds = !systolic.lds<2 x 16x32xf32, unit, #systolic.axes<BN, BK>>
    !tile = tensor<16x32xf32, #systolic.axes<BN, BK>>
    !turned = tensor<32x16xf32, #systolic.axes<BK, BN>>
    func.func @read(%lds: !lds, %buffer: index) -> (!tile, !turned) {
      %tile = systolic.read %lds[%buffer] : !lds -> !tile
      %turned = systolic.read %lds[%buffer] transposed : !lds -> !turned
      %half = systolic.read %lds[%buffer] from [0, 16] : !lds -> tensor<16x16xf32, #systolic.axes<BN, BH>>
      return %tile, %turned : !tile, !turned
    }
    ```
  }];
  let arguments = (ins Arg<Systolic_LdsType, "the array that is read", [MemRead]>:$lds,
                       Arg<Index, "number of the array's buffer">:$buffer, OptionalAttr<DenseI64ArrayAttr>:$from,
                       UnitAttr:$transposed);
  let results = (outs Systolic_Tile:$result);
  let assemblyFormat = [{
    $lds `[` $buffer `]` (`from` $from^)? (`transposed` $transposed^)? attr-dict
    `:` qualified(type($lds)) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Systolic_StageOp : Systolic_Op<"stage", [AttrSizedOperandSegments]> {
  let summary = "copies a part of a buffer to an LDS buffer, bypassing the registers; elements out of bounds are 0";
  let description = [{
    Element (r, c) of the array is `buffer[i + r, j + c]`, or 0 if `when` is false. A lane moves 4 bytes at a time. LDS
    is filled in the order of lanes, so the array's swizzle determines the addresses that each lane fetches. The op does
    not wait: its data is visible after a `wait` of every participating wave and a barrier.
    - C1: buffer and LDS array have rank 2 and the same element type, of 1, 2 or 4 bytes.
    - C2: there is one index for each dimension.
    - C3: rows of the buffer and of the array are whole dwords, so that no dword spans two rows. The array is a
      multiple of 256 bytes, which a wave moves at once.

    ```mlir
    !X = memref<64x64xf16, #systolic.axes<M, K>>
    !lds = !systolic.lds<2 x 16x32xf16, #systolic.swizzle<8, 4, 2>, #systolic.axes<BM, BK>>
    func.func @stage(%X: !X, %lds: !lds, %m: index, %k: index, %buffer: index, %is_there: i1) {
      systolic.stage %X[%m, %k], %lds[%buffer] when %is_there : !X, !lds
      systolic.wait 0
      systolic.barrier
      return
    }
    ```
  }];
  let arguments = (ins Arg<Systolic_Buffer, "the buffer that is copied from", [MemRead]>:$buffer,
                       Arg<Variadic<Index>, "where the part begins, one for each dimension">:$indices,
                       Arg<Systolic_LdsType, "the array that is copied to", [MemWrite]>:$lds,
                       Arg<Index, "number of the array's buffer">:$to,
                       Arg<Optional<I1>, "whether to read at all">:$when);
  let assemblyFormat = [{
    $buffer `[` $indices `]` `,` $lds `[` $to `]` (`when` $when^)? attr-dict `:` type($buffer) `,` qualified(type($lds))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Bytes that a wave of 64 moves at once.
    static constexpr int64_t bytesAtOnce = 256;
    /// Accesses of each wave if `waves` waves share the copy.
    int64_t getAccesses(int64_t waves) {
      return getLds().getType().getSizeInBytes() / getLds().getType().getBuffers() / bytesAtOnce / waves;
    }
  }];
}

def Systolic_ViewOp : Systolic_Op<"view", [Pure]> {
  let summary = "the memory of an LDS array as another array";
  let description = [{
    It reuses the memory of an array whose data is no longer needed. Barriers must order the accesses to the two arrays.
    - C1: the view takes no more bytes than the array has.

    ```mlir
    !operands = !systolic.lds<2 x 128x32xf16, #systolic.swizzle<8, 4, 2>, #systolic.axes<BM, BK>>
    !result = !systolic.lds<1 x 64x64xf32, #systolic.swizzle<4, 8, 1>, #systolic.axes<BM, BN>>
    func.func @view(%operands: !operands) -> !result {
      %result = systolic.view %operands : !operands -> !result
      return %result : !result
    }
    ```
  }];
  let arguments = (ins Arg<Systolic_LdsType, "the array whose memory is viewed">:$lds);
  let results = (outs Systolic_LdsType:$result);
  let assemblyFormat = "$lds attr-dict `:` qualified(type($lds)) `->` qualified(type($result))";
  let hasVerifier = 1;
}

#endif
