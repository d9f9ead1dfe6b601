// Attributes and types of the systolic dialect: axis names, fragments, swizzles, the array, LDS handles.
#ifndef NSTF_DIALECTS_SYSTOLIC_SYSTOLICATTRS
#define NSTF_DIALECTS_SYSTOLIC_SYSTOLICATTRS

include "dialects/systolic/SystolicDialect.td"
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
    One entry a dimension: the name of the kernel parameter that is its size, a product of such names, or an integer that
    never changes. `systolic-instantiate` resizes every type by these names. Example: `#systolic.axes<BM, BK>`,
    `#systolic.axes<1, BN>`, `#systolic.axes<PARTS * M, BN>`.

    - axes_c1: an integer is at least 1.
    - axes_c2: there is one entry a dimension.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::Attribute">:$names);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The axes with entry `dim` taken out.
    AxesAttr dropDim(unsigned dim) const;
  }];
}

def Systolic_DigitsParameter : ArrayRefParameter<"::nstf::systolic::Digit">;

def Systolic_FragmentAttr
    : Systolic_Attr<"Fragment", "fragment", [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "which wave, lane and register hold which element of a tile";
  let description = [{
    Three mixed-radix numbers, fastest digit first: the register index, the lane and the wave. A digit
    `dim:count*stride` with value v in [0, count) moves coordinate `dim` of the element by v*stride; `dim` -1 means that
    the value does not matter: the element is replicated. Digits instead of bits, since 96, 48 and 192 must work.
    The canonical form drops digits of count 1 and merges contiguous ones, so equal layouts are equal attributes.

    - fragment_c1: no digit names a dimension the tile does not have.
    - fragment_c2: every count is positive.
    - fragment_c3: the digits of each dimension reach every coordinate below its size, each once: sorted by stride, a
      digit's stride is the product of the counts before it.

    Example, the accumulator of a 16x16 matrix instruction:
    `#systolic.fragment<reg [0:4*1], lane [1:16*1, 0:4*4], wave []>`
  }];
  let parameters = (ins Systolic_DigitsParameter:$reg, Systolic_DigitsParameter:$lane, Systolic_DigitsParameter:$wave);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// Merges and drops digits where that changes nothing.
    static FragmentAttr getCanonical(::mlir::MLIRContext *context, ::llvm::ArrayRef<Digit> reg,
                                     ::llvm::ArrayRef<Digit> lane, ::llvm::ArrayRef<Digit> wave);
    /// Registers a lane holds.
    int64_t getNumRegisters() const;
    /// What register `index` adds to the coordinates that the lane and the wave give.
    ::llvm::SmallVector<int64_t> getRegisterCoordinates(int64_t index, unsigned rank) const;
    /// The layout of a slice without dimension `dim`: its lane and wave digits become replicated.
    FragmentAttr dropDim(int64_t dim) const;
    /// The layout of the transposed tile, of rank 2.
    FragmentAttr transpose() const;
    /// The layout of a tile with `factor` neighbours along `dim` for each element: they are registers of its lane.
    FragmentAttr refine(int64_t dim, int64_t factor) const;
    /// The layout of a tile with one element along `dim` for `factor` neighbours, held wherever one of them is; null where
    /// a digit holds part of two of them.
    FragmentAttr coarsen(int64_t dim, int64_t factor) const;
    /// The layout with a dimension of size 1 put in at `dim`.
    FragmentAttr insertUnitDim(int64_t dim) const;
  }];
}

def Systolic_SwizzleAttr : Systolic_Attr<"Swizzle", "swizzle"> {
  let summary = "spreads the columns of an LDS array over the banks";
  let description = [{
    Columns move in groups of `vector` elements; column group c of row r stands at c xor ((r / `phase`) mod `rows`).
    Where a row is shorter than the banks, `phase` rows fill them, and move alike.

    With `fold F` row r stands, and moves its columns, where row r xor ((r mod F) / 2) would without: each bit of its number
    below F takes in the next one. That spreads rows whose numbers differ in one high bit, as those do that are exchanged for
    a chain of products, and rows that are two apart where two fill the banks.

    - swizzle_c1: `vector`, `rows`, `phase` and F are powers of two.
  }];
  let parameters = (ins "int64_t":$vector, "int64_t":$rows, "int64_t":$phase, DefaultValuedParameter<"int64_t", "1">:$fold);
  let assemblyFormat = "`<` $vector `,` $rows `,` $phase (`,` `fold` $fold^)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The row in whose place a row stands.
    int64_t getFoldedRow(int64_t row) const { return row ^ row % getFold() / 2; }
    /// Rows after which the order of rows and columns begins anew.
    int64_t getPeriod() const { return std::max(getRows() * getPhase(), getFold()); }
    /// Where an element stands in an array of so many columns.
    int64_t getPlace(int64_t row, int64_t column, int64_t columns) const {
      row = getFoldedRow(row);
      return row * columns + (column ^ row / getPhase() % getRows() * getVector());
    }
  }];
}

def Systolic_PackedAttr : Systolic_Attr<"Packed", "packed"> {
  let summary = "an array that lies in the order of a product's operands";
  let description = [{
    `#systolic.packed<16 x 64 bytes>`: an array of rows along a product's K lies in blocks of `rows` rows and `bytes` bytes
    of each, one row of blocks after the other. In a block stands granule g (16 bytes) of row r at place g * `rows` + r: a
    wave's load of 16 bytes a lane takes one block, and its lanes have what the lanes of a 16x16 cell multiply; a 32x32
    cell takes halves of two. A buffer is marked by the argument attribute `systolic.packed` (kernel_c10), an LDS array in
    place of its swizzle: it needs none.

    A granule holds neighbouring columns of its row. With `by R` it holds R of them out of each cell along the row, whose
    other columns are the other granules': of G granules in `bytes`, granule g holds column R * G * c + R * g + j at its place
    R * c + j (j < R). That is what a lane multiplies in cells of R elements a lane.

    - packed_c1: `rows` is a power of two, `bytes` a multiple of 16, and a block has 1024 bytes.
    - packed_c2: R is 1, 2 or 4.

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
    /// An element's place is the sum over its row's and its column's digits, each coordinate / `divisor` % `count` *
    /// `stride`; count 0: all of the quotient.
    struct PlaceDigit {
      int64_t divisor, count, stride;
    };
    /// The digits of dimension `dim` (0: the row) in an array of so many columns, in elements, fastest first.
    ::llvm::SmallVector<PlaceDigit, 4> getPlaceDigits(unsigned dim, int64_t columns, unsigned elementBits) const;
    /// Where an element stands.
    int64_t getPlace(int64_t row, int64_t column, int64_t columns, unsigned elementBits) const;
    /// Elements of a row that stand side by side.
    int64_t getGranule(unsigned elementBits) const { return 128 / elementBits; }
    /// So many of them are neighbours in the row.
    int64_t getRun(unsigned elementBits) const { return getBy() ? getBy() : getGranule(elementBits); }
    /// Columns of the granules' runs, after which the next ones begin.
    int64_t getSpan(unsigned elementBits) const { return getBytes() / 16 * getRun(elementBits); }
    /// Whether an array is a whole number of blocks.
    bool divides(::llvm::ArrayRef<int64_t> shape, unsigned elementBits) const;
  }];
}

def Systolic_ArrayAttr : Systolic_Attr<"SystolicArray", "array"> {
  let summary = "the virtual systolic array of a workgroup";
  let description = [{
    `waves = RxC`: the waves of the workgroup, R along the rows of a product's result and C along its columns. With
    `RxCxP` there are P times as many, each P-th of them with a sum of its own over a share of K: cell by cell in turn, or
    with `runs` a run of neighbouring cells.
    `cell = MxNxK`: what one cell multiplies, as K / IK matrix instructions of M x N x `instruction_k`. K says how many
    consecutive elements along it a lane holds of an operand, its pack: 4 elements or 16 bytes, whatever the type, so that
    one layout serves every instruction and one access fetches them: f32's 16x16x4 becomes a cell of 16x16x16, f16's 32x32x8
    one of 32x32x16, i8's 16x16x32 one of 16x16x64. A kernel without matrix products has no cell (0).
    `transposed`: the instructions multiply with their operands exchanged, so that a lane's accumulators run along the
    columns of a product's result, not its rows.
    `chained`: the rows of a cell stand in the order in which its result is the second operand of another product as it
    lies, with more than 4 elements a lane.

    - array_c1: there is at least one wave in each direction.
    - array_c2: a cell's sizes are positive, and `instruction_k` divides K.
    - array_c3: a chained array is not transposed, and M is a multiple of K.
    - array_c4: only an array with a cell has more than one part, and none that is chained.
    - array_c5: `runs` is for more than one part.
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
    /// Columns along K that all waves take at once: a cell for each part.
    int64_t getDepth() const { return getK() * getParts(); }
    /// The array without its parts.
    SystolicArrayAttr getWhole() const {
      return get(getContext(), getWaveRows(), getWaveCols(), getM(), getN(), getK(), getInstructionK(), getTransposed(),
                 getChained());
    }
    /// Consecutive elements along K that a lane of `waveSize` holds of one cell.
    int64_t getElementsPerLane(int64_t waveSize = 64) const { return getK() * getM() / waveSize; }
  }];
}

class Systolic_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<Systolic_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def Systolic_OperandType
    : Systolic_Type<"Operand", "operand", [DeclareTypeInterfaceMethods<FloatTypeInterface, ["getFloatSemantics"]>]> {
  let summary = "the element type that a template leaves open";
  let description = [{
    Matrix cores want operands of their own type, f32, f16, bf16, f8E4M3FNUZ or i8. A template declares the parameter
    OPERAND and uses `!systolic.operand` where its type stands, in tiles and LDS; systolic-instantiate puts the type there.
    Until then it counts as f16.
  }];
}

def Systolic_AccumulatorType
    : Systolic_Type<"Accumulator", "accumulator", [DeclareTypeInterfaceMethods<FloatTypeInterface, ["getFloatSemantics"]>]> {
  let summary = "the element type in which products of `!systolic.operand` are summed up";
  let description = [{
    It follows from the operands' type: i32 for i8, else f32. systolic-instantiate puts the type there, and integers in place
    of floats where constants have it. Until then it counts as f32.
  }];
}

def Systolic_LdsType : Systolic_Type<"Lds", "lds"> {
  let summary = "a handle to arrays in LDS";
  let description = [{
    `!systolic.lds<3 x 128x64xf16, #systolic.swizzle<8, 8, 1>, #systolic.axes<BM, BK>>`: how many buffers, the shape of each,
    the swizzle (`unit`: none; `#systolic.packed`: in the order of operands) and the names of the axes.

    - lds_c1: there is at least one buffer, of rank 1 or 2, and it is not empty.
    - lds_c2: elements are integers or floats of whole bytes.
    - lds_c3: there is one axis a dimension.
    - lds_c4: the swizzle is `unit`, a `#systolic.swizzle` or `#systolic.packed`.
    - lds_c5: a swizzled array has rank 2, and the swizzle's groups divide its columns: it must not move an element into
      the next row.
    - lds_c6: a packed array has rank 2 and is a whole number of blocks.
    - lds_c7: what a swizzle folds divides the array's rows.
  }];
  let parameters = (ins "int64_t":$buffers, ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
                        "::mlir::Attribute":$swizzle, "::nstf::systolic::AxesAttr":$axes);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Bytes of all buffers.
    int64_t getSizeInBytes() const;
  }];
}

#endif
