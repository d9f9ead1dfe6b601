// Interfaces through which passes query an operation or a format of codes without depending on the concrete one.
#ifndef NSTF_INTERFACES
#define NSTF_INTERFACES

include "mlir/IR/OpBase.td"

def NSTF_EpilogueOp : OpInterface<"EpilogueOp"> {
  let cppNamespace = "::nstf";
  let description = [{
    Before the op's result is stored, the op's kernel passes it tile by tile, with f32 elements, to a slot: elementwise
    ops that read the result are applied there. Every kernel template of such an op declares this slot.
  }];
  let methods = [
    InterfaceMethod<[{A vector that is added to each row of the result before anything else is applied to the result.
        The slot adds it, not the template. Null if there is none.}],
        "::mlir::Value", "getEpilogueBias", (ins), "", "return {};">,
    InterfaceMethod<[{Whether the rows that the kernel computes are the rows of the step, which have a position. If not,
        they are parts of these rows.}],
        "bool", "computesStepRows", (ins), "", "return true;">];
}

def NSTF_ElementwiseOp : OpInterface<"ElementwiseOp", [NSTF_EpilogueOp]> {
  let cppNamespace = "::nstf";
  let description = [{
    Element [i, j] of the one result depends only on element [i, j] of each operand, and all types are equal (except the
    element type of `convert`). The op can therefore move into the slot of any kernel that computes one of its operands.
  }];
  let methods = [
    InterfaceMethod<[{Builds the op's computation on one tile, with `arith` and `math` ops only. The operands are tiles
        of one type with f32 elements, and the result has that type.}],
        "::mlir::Value", "computeOnTile",
        (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc, "::mlir::ValueRange":$operands)>,
    InterfaceMethod<[{Whether element [i, j] of the result depends on element [i, j] of this operand. If not, the
        operand is a table in memory, and each row of the result takes one row of it.}],
        "bool", "isByElement", (ins "unsigned":$operand), "", "return true;">,
    InterfaceMethod<"The row of such a table for position 0; each next position takes the next row.",
        "int64_t", "getTableOffset", (ins), "", "return 0;">];
}

def NSTF_DecodeOp : OpInterface<"DecodeOp"> {
  let cppNamespace = "::nstf";
  let description = [{
    The op's result is encoded in memory in fewer bytes. The op has no kernel of its own: the kernel that reads the
    result decodes it in registers as it loads it. A DecodeOp is therefore never the anchor of a kernel.
  }];
}

def NSTF_MixedPrecisionOp : OpInterface<"MixedPrecisionOp"> {
  let cppNamespace = "::nstf";
  let description = [{
    Memory may hold some operands of the op in another float type than f32. The op's arithmetic stays f32.
  }];
  let methods = [
    InterfaceMethod<[{Whether this operand is an operand of a matrix product. All operands of a product share a type;
        operands of f32 are converted to it.}],
        "bool", "isProductOperand", (ins "unsigned":$operand), "", "return false;">,
    InterfaceMethod<"Whether the op accepts any float type for this operand.",
        "bool", "readsAnyFloat", (ins "unsigned":$operand), "", "return $_op.isProductOperand(operand);">];
}

def NSTF_CodeFormat : AttrInterface<"CodeFormat"> {
  let cppNamespace = "::nstf";
  let description = [{
    How the planes encode a matrix [N, K] as codes of a few bits, with a scale for each group of a row. A format of 8
    bits stores one code in a byte. In a format of fewer bits several codes share a word: four bits of each code are in
    the plane `codes`, the remaining bits in `high`.
  }];
  let methods = [
    InterfaceMethod<"Bits of a code.", "int64_t", "getBits">,
    InterfaceMethod<"Columns that share a scale; 0: the row.", "int64_t", "getGroup">,
    InterfaceMethod<"K.", "int64_t", "getColumns">,
    InterfaceMethod<"The element type if codes are floating-point numbers; null: they are integers.",
        "::mlir::FloatType", "getNumberType">,
    InterfaceMethod<"The element type of a plane.",
        "::mlir::Type", "getElementType", (ins "::nstf::Plane":$plane)>];
  let extraSharedClassDeclaration = [{
    int64_t getGroupSize() const { return $_attr.getGroup() ? $_attr.getGroup() : $_attr.getColumns(); }
    int64_t getGroups() const { return ($_attr.getColumns() + getGroupSize() - 1) / getGroupSize(); }
    /// Whether several codes share a word.
    bool isPacked() const { return $_attr.getBits() != 8; }
    /// Bits of a code in the plane `high`; 0: there is none.
    int64_t getHighBits() const { return isPacked() ? $_attr.getBits() - 4 : 0; }
    /// The zero of all codes if there is no plane of zeros.
    int64_t getMiddle() const { return $_attr.getNumberType() ? 0 : int64_t(1) << ($_attr.getBits() - 1); }
    int64_t getZerosPerWord() const { return 32 / $_attr.getBits(); }
    /// The type of a plane of a matrix with `rows` rows.
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
