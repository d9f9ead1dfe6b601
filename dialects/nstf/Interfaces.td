// What passes ask of an operation, or of a format of codes, without knowing which one it is.
#ifndef NSTF_INTERFACES
#define NSTF_INTERFACES

include "mlir/IR/OpBase.td"

def NSTF_EpilogueOp : OpInterface<"EpilogueOp"> {
  let cppNamespace = "::nstf";
  let description = [{
    Before the op's result is stored, the op's kernel hands it on tile by tile, with f32 elements: elementwise ops that
    read it are applied there. Every kernel template of such an op declares the slot for them.
  }];
  let methods = [
    InterfaceMethod<[{A vector that is added to each row of the result, before anything else is applied to it: the slot
        does that, not the template. Null where there is none.}],
        "::mlir::Value", "getEpilogueBias", (ins), "", "return {};">,
    InterfaceMethod<[{Whether the rows that the kernel computes are those of the step, which have a position. If not, they
        are parts of them.}],
        "bool", "computesStepRows", (ins), "", "return true;">];
}

def NSTF_ElementwiseOp : OpInterface<"ElementwiseOp", [NSTF_EpilogueOp]> {
  let cppNamespace = "::nstf";
  let description = [{
    Element [i, j] of the one result depends on element [i, j] of each operand and on nothing else, and all types are
    equal (of `convert` all but the element type). So the op can move into the slot of whatever kernel makes one of its
    operands.
  }];
  let methods = [
    InterfaceMethod<[{Writes the op on one tile, with `arith` and `math` only. The operands are tiles of one type, with f32
        elements; so is the result.}],
        "::mlir::Value", "computeOnTile",
        (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc, "::mlir::ValueRange":$operands)>,
    InterfaceMethod<[{Whether element [i, j] of this operand is what element [i, j] of the result depends on. If not, the
        operand is a table of which row i of the result takes a row, and comes from memory.}],
        "bool", "isByElement", (ins "unsigned":$operand), "", "return true;">,
    InterfaceMethod<"The row that position 0 takes of such a table; the next position takes the next.",
        "int64_t", "getTableOffset", (ins), "", "return 0;">];
}

def NSTF_DecodeOp : OpInterface<"DecodeOp"> {
  let cppNamespace = "::nstf";
  let description = [{
    The op's result stands in memory in fewer bytes. It has no kernel of its own: the kernel that reads the result makes it
    as it loads it, in registers. So a DecodeOp is never the anchor of a kernel.
  }];
}

def NSTF_MixedPrecisionOp : OpInterface<"MixedPrecisionOp"> {
  let cppNamespace = "::nstf";
  let description = [{
    Memory may hold some operands of the op in another float type than f32; it computes in f32 all the same.
  }];
  let methods = [
    InterfaceMethod<[{Whether this operand is one of a matrix product, whose operands share a type: what is f32 is
        converted.}],
        "bool", "isProductOperand", (ins "unsigned":$operand), "", "return false;">,
    InterfaceMethod<"Whether the op reads this operand in any float type.",
        "bool", "readsAnyFloat", (ins "unsigned":$operand), "", "return $_op.isProductOperand(operand);">];
}

def NSTF_CodeFormat : AttrInterface<"CodeFormat"> {
  let cppNamespace = "::nstf";
  let description = [{
    What the planes of a matrix [N, K] mean that is kept as codes of a few bits, each group of a row with a scale. A format of
    8 bits has a code a byte; codes of fewer share words, four bits of each in the plane `codes`, the others in `high`.
  }];
  let methods = [
    InterfaceMethod<"Bits of a code.", "int64_t", "getBits">,
    InterfaceMethod<"Columns that share a scale; 0: the row.", "int64_t", "getGroup">,
    InterfaceMethod<"K.", "int64_t", "getColumns">,
    InterfaceMethod<"The element type of codes that are numbers by themselves; null: they are whole numbers.",
        "::mlir::FloatType", "getNumberType">,
    InterfaceMethod<"Of the planes `codes` and `scales`; others hold words.",
        "::mlir::Type", "getElementType", (ins "::nstf::Plane":$plane)>];
  let extraSharedClassDeclaration = [{
    int64_t getGroupSize() const { return $_attr.getGroup() ? $_attr.getGroup() : $_attr.getColumns(); }
    int64_t getGroups() const { return ($_attr.getColumns() + getGroupSize() - 1) / getGroupSize(); }
    /// Whether codes share words.
    bool isPacked() const { return $_attr.getBits() != 8; }
    /// Bits of a code in the plane `high`; 0: there is none.
    int64_t getHighBits() const { return isPacked() ? $_attr.getBits() - 4 : 0; }
    /// What a zero is where there is no plane of them.
    int64_t getMiddle() const { return $_attr.getNumberType() ? 0 : int64_t(1) << ($_attr.getBits() - 1); }
    int64_t getZerosPerWord() const { return 32 / $_attr.getBits(); }
    /// The type of a plane of a matrix of `rows` rows.
    ::mlir::RankedTensorType getPlaneType(Plane plane, int64_t rows) const {
      auto divide = [](int64_t number, int64_t by) { return (number + by - 1) / by; };
      int64_t columns = $_attr.getColumns(), height = rows, width = getGroups();
      if (plane == Plane::codes)
        width = isPacked() ? divide(columns, 8) : columns;
      if (plane == Plane::high)
        width = divide(columns * getHighBits(), 32);
      if (plane == Plane::zeros)
        height = divide(rows, getZerosPerWord());
      if (plane == Plane::order)
        return ::mlir::RankedTensorType::get({1, columns}, $_attr.getElementType(plane));
      return ::mlir::RankedTensorType::get({height, width}, $_attr.getElementType(plane));
    }
  }];
}

#endif
