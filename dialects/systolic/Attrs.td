// Attributes and types of the systolic dialect: axis names, fragment layouts, swizzles, the array, LDS handles.
#ifndef NSTF_DIALECTS_SYSTOLIC_ATTRS
#define NSTF_DIALECTS_SYSTOLIC_ATTRS

include "dialects/systolic/Dialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/TensorEncoding.td"

class Systolic_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Systolic_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Systolic_AxesAttr : Systolic_Attr<"Axes", "axes", [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "names the axes of a tile, a buffer or an LDS array";
  let description = [{
    One entry for each dimension: the name of the kernel parameter that gives its size, a product of such names and of
    quotients, which are rounded up, or a constant integer. `systolic-instantiate` resizes every type by these names.
    Examples: `#systolic.axes<BM, BK>`, `#systolic.axes<1, BN>`, `#systolic.axes<M / BM * PARTS, BN>`.

    - C1: an integer is at least 1.
    - C2: there is one entry for each dimension.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::Attribute">:$names);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The axes without entry `dim`.
    AxesAttr dropDim(unsigned dim) const;
  }];
}

def Systolic_DigitsParameter : ArrayRefParameter<"::nstf::systolic::Digit">;

def Systolic_FragmentAttr
    : Systolic_Attr<"Fragment", "fragment", [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "the layout of a tile: the wave, lane and register that hold each element";
  let description = [{
    Three mixed-radix numbers, fastest digit first: the register index, the lane and the wave. A digit
    `dim:count*stride` with value v in [0, count) adds v*stride to coordinate `dim` of the element. With `dim` -1 the
    value does not change the coordinates: the element is replicated. Digits have any count, not only powers of two,
    because tile sizes such as 96, 48 and 192 must be possible. The canonical form drops digits of count 1 and merges
    contiguous ones, so equal layouts are equal attributes.

    - C1: no digit names a dimension the tile does not have.
    - C2: every count is positive.
    - C3: the digits of each dimension reach every coordinate below its size exactly once: sorted by stride,
      each digit's stride is the product of the counts before it.

    Example, the accumulator of a 16x16 matrix instruction:
    `#systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>`
  }];
  let parameters = (ins Systolic_DigitsParameter:$reg, Systolic_DigitsParameter:$lane, Systolic_DigitsParameter:$wave);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// Merges and drops digits where the layout stays the same.
    static FragmentAttr getCanonical(::mlir::MLIRContext *context, ::llvm::ArrayRef<Digit> reg,
                                     ::llvm::ArrayRef<Digit> lane, ::llvm::ArrayRef<Digit> wave);
    /// Registers of one lane.
    int64_t getNumRegisters() const;
    /// The coordinates that register `index` adds to those of the lane and the wave.
    ::llvm::SmallVector<int64_t> getRegisterCoordinates(int64_t index, unsigned rank) const;
    /// The layout of a slice without dimension `dim`: its lane and wave digits become replicated.
    FragmentAttr dropDim(int64_t dim) const;
    /// The layout of the transposed tile. Precondition: the tile has rank 2.
    FragmentAttr transpose() const;
    /// The layout of a tile in which each element becomes `factor` adjacent elements along `dim`, in registers of its
    /// lane.
    FragmentAttr refine(int64_t dim, int64_t factor) const;
    /// The layout of a tile in which `factor` adjacent elements along `dim` become one element, which every holder of
    /// one of them holds; null if a digit covers part of two such groups.
    FragmentAttr coarsen(int64_t dim, int64_t factor) const;
    /// The layout with a dimension of size 1 inserted at `dim`.
    FragmentAttr insertUnitDim(int64_t dim) const;
  }];
}

def Systolic_SwizzleAttr : Systolic_Attr<"Swizzle", "swizzle"> {
  let summary = "distributes the columns of an LDS array over the banks";
  let description = [{
    Columns move in groups of `vector` elements: column group c of row r is stored at group c xor ((r / `phase`) mod
    `rows`). If a row is shorter than all banks together, `phase` consecutive rows fill the banks and are permuted
    alike.

    With `fold F`, row r is stored in the place, and with the column order, that row r xor ((r mod F) / 2) has without
    `fold`: each bit of the row number below F is xored with the next higher one. This distributes rows whose numbers
    differ in one high bit, as in the layout exchange of a chain of products, and rows that are two apart if two rows
    fill the banks.

    - C1: `vector`, `rows`, `phase` and F are powers of two.
  }];
  let parameters = (ins "int64_t":$vector, "int64_t":$rows, "int64_t":$phase,
                        DefaultValuedParameter<"int64_t", "1">:$fold);
  let assemblyFormat = "`<` $vector `,` $rows `,` $phase (`,` `fold` $fold^)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The row whose place `row` takes.
    int64_t getFoldedRow(int64_t row) const { return row ^ row % getFold() / 2; }
    /// Number of rows after which the permutation of rows and columns repeats.
    int64_t getPeriod() const { return std::max(getRows() * getPhase(), getFold()); }
    /// The index of an element in an array of `columns` columns.
    int64_t getPlace(int64_t row, int64_t column, int64_t columns) const {
      row = getFoldedRow(row);
      return row * columns + (column ^ row / getPhase() % getRows() * getVector());
    }
  }];
}

def Systolic_PackedAttr : Systolic_Attr<"Packed", "packed"> {
  let summary = "an array stored in the order of a product's operands";
  let description = [{
    `#systolic.packed<16 x 64 bytes>`: an array whose rows run along a product's K is stored in blocks of `rows` rows
    and `bytes` bytes of each row, one row of blocks after the other. Within a block, granule g (16 bytes) of row r has
    the index g * `rows` + r. A wave's load of 16 bytes in each lane therefore reads one block, and each lane receives
    its operand of a 16x16 cell; a 32x32 cell takes halves of two blocks. A buffer is marked by the argument attribute
    `systolic.packed` (kernel_c10). An LDS array has the attribute in place of a swizzle, because it needs none.

    By default a granule holds adjacent columns of its row. With `by R` it holds R columns of each cell along the row,
    and the other granules of the row hold the cell's other columns: of G granules in `bytes`, granule g holds column
    R * G * c + R * g + j at its place R * c + j (j < R). These are the elements that a lane multiplies in cells with R
    elements in a lane.

    - C1: `rows` is a power of two, `bytes` a multiple of 16, and a block has 1024 bytes.
    - C2: R is 1, 2 or 4.

    ```mlir
    !W = memref<64x64xf16, #systolic.axes<N, K>>
    systolic.kernel @packed(%W: !W {systolic.packed = #systolic.packed<16 x 64 bytes>}, %n: index)
        attributes {params = {N = 64, K = 64, BN = 16, BK = 32}, grid = ["N", "BN"]} {
      %c0 = arith.constant 0 : index
      %w = systolic.load %W[%n, %c0] : !W -> tensor<16x32xf16, #systolic.axes<BN, BK>>
      systolic.return
    }
    ```
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$bytes, DefaultValuedParameter<"int64_t", "0">:$by);
  let assemblyFormat = "`<` $rows `x` $bytes `bytes` (`,` `by` $by^)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// An element's index is the sum over its row's and its column's digits, each coordinate / `divisor` % `count` *
    /// `stride`; with count 0 the quotient is not reduced.
    struct PlaceDigit {
      int64_t divisor, count, stride;
    };
    /// The digits of dimension `dim` (0: the row) in an array of `columns` columns, in elements, fastest first.
    ::llvm::SmallVector<PlaceDigit, 4> getPlaceDigits(unsigned dim, int64_t columns, unsigned elementBits) const;
    /// The index of an element in an array of `columns` columns.
    int64_t getPlace(int64_t row, int64_t column, int64_t columns, unsigned elementBits) const;
    /// Elements of a granule.
    int64_t getGranule(unsigned elementBits) const { return 128 / elementBits; }
    /// Adjacent columns of the row in a granule.
    int64_t getRun(unsigned elementBits) const { return getBy() ? getBy() : getGranule(elementBits); }
    /// Columns that the runs of all granules of a row cover together.
    int64_t getSpan(unsigned elementBits) const { return getBytes() / 16 * getRun(elementBits); }
    /// Whether an array of this shape is a whole number of blocks.
    bool divides(::llvm::ArrayRef<int64_t> shape, unsigned elementBits) const;
  }];
}

def Systolic_ArrayAttr : Systolic_Attr<"SystolicArray", "array"> {
  let summary = "the virtual systolic array of a workgroup";
  let description = [{
    - `waves = RxC`: the waves of the workgroup, R along the rows of a product's result and C along its columns. With
      `RxCxP` there are P times as many waves; the waves of each of the P parts sum over their own share of K. The parts
      take the cells along K in turn, or with `runs` a contiguous run of cells each.
    - `cell = MxNxK`: the product of one cell, computed as K / IK matrix instructions of M x N x `instruction_k`. K
      determines the pack, the number of consecutive elements along K that a lane holds of an operand: 4 elements or 16
      bytes for every element type. So one layout serves every instruction, and one access fetches the pack: f32's
      16x16x4 becomes a cell of 16x16x16, f16's 32x32x8 one of 32x32x16, i8's 16x16x32 one of 16x16x64. A kernel without
      matrix products has no cell (0).
    - `transposed`: the instructions multiply with their operands exchanged, so that a lane's accumulators run along the
      columns of a product's result instead of its rows.
    - `chained`: the rows of a cell are permuted so that the cell's result is, without a layout conversion, the second
      operand of another product that has more than 4 elements in a lane.

    - C1: there is at least one wave in each direction.
    - C2: a cell's sizes are positive, and `instruction_k` divides K.
    - C3: a chained array is not transposed, and M is a multiple of K.
    - C4: an array of more than one part has a cell and is not chained.
    - C5: `runs` needs more than one part.
  }];
  let parameters = (ins "int64_t":$waveRows, "int64_t":$waveCols, "int64_t":$m, "int64_t":$n, "int64_t":$k,
                        "int64_t":$instructionK, "bool":$transposed, "bool":$chained, "int64_t":$parts, "bool":$runs);
  let skipDefaultBuilders = 1;
  let builders = [AttrBuilder<(ins "int64_t":$waveRows, "int64_t":$waveCols, "int64_t":$m, "int64_t":$n, "int64_t":$k,
                                   "int64_t":$instructionK, "bool":$transposed, CArg<"bool", "false">:$chained,
                                   CArg<"int64_t", "1">:$parts, CArg<"bool", "false">:$runs),
                              "return $_get($_ctxt, waveRows, waveCols, m, n, k, instructionK, transposed, chained, "
                              "parts, runs);">];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool hasCell() const { return getM() != 0; }
    int64_t getNumWaves() const { return getWaveRows() * getWaveCols() * getParts(); }
    /// Number of columns along K that all parts together take at once: each part takes one cell.
    int64_t getDepth() const { return getK() * getParts(); }
    /// The array with one part.
    SystolicArrayAttr getWhole() const {
      return get(getContext(), getWaveRows(), getWaveCols(), getM(), getN(), getK(), getInstructionK(), getTransposed(),
                 getChained());
    }
    /// Consecutive elements along K of one cell that a lane of a wave of `waveSize` holds.
    int64_t getElementsPerLane(int64_t waveSize = 64) const { return getK() * getM() / waveSize; }
  }];
}

class Systolic_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<Systolic_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def Systolic_OperandType
    : Systolic_Type<"Operand", "operand", [DeclareTypeInterfaceMethods<FloatTypeInterface, ["getFloatSemantics"]>]> {
  let summary = "the element type of matrix operands that a template leaves open";
  let description = [{
    Matrix cores take operands of f32, f16, bf16, f8E4M3FNUZ or i8. A template declares the parameter OPERAND and uses
    `!systolic.operand` in place of that type in tiles and LDS; systolic-instantiate substitutes the type. Until then
    the type behaves as f16.
  }];
}

def Systolic_AccumulatorType
    : Systolic_Type<"Accumulator", "accumulator",
                    [DeclareTypeInterfaceMethods<FloatTypeInterface, ["getFloatSemantics"]>]> {
  let summary = "the element type of sums of products of `!systolic.operand`";
  let description = [{
    It follows from the operands' type: i32 for i8, else f32. systolic-instantiate substitutes the type, and turns float
    constants of the type into integers if it is i32. Until then the type behaves as f32.
  }];
}

def Systolic_LdsType : Systolic_Type<"Lds", "lds"> {
  let summary = "a handle to arrays in LDS";
  let description = [{
    `!systolic.lds<3 x 128x64xf16, #systolic.swizzle<8, 8, 1>, #systolic.axes<BM, BK>>`: the number of buffers, the
    shape of each, the swizzle (`unit`: none; `#systolic.packed`: stored in the order of operands) and the names of the
    axes.

    - C1: there is at least one buffer, of rank 1 or 2, and it is not empty.
    - C2: elements are integers or floats of whole bytes.
    - C3: there is one axis for each dimension.
    - C4: the swizzle is `unit`, a `#systolic.swizzle` or `#systolic.packed`.
    - C5: a swizzled array has rank 2, and the swizzle's groups divide its columns, so that no element moves into
      the next row.
    - C6: a packed array has rank 2 and is a whole number of blocks.
    - C7: the swizzle's `fold` divides the array's rows.
  }];
  let parameters = (ins "int64_t":$buffers, ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
                        "::mlir::Attribute":$swizzle, "::nstf::systolic::AxesAttr":$axes);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Size of all buffers together.
    int64_t getSizeInBytes() const;
  }];
}

#endif
