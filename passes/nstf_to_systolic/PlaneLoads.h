// The planes of a quantised matrix in a template's program: their buffers, their loads for a tile, and the decoding of
// codes, scales and zeros to numbers.
#pragma once

#include "dialects/nstf/NSTF.h"
#include "dialects/systolic/Systolic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

#include <map>
#include <string>

namespace nstf {

/// Handles one buffer of a program, one of its loads after the other.
class PlaneLoads {
protected:
  PlaneLoads(systolic::KernelOp program, llvm::StringRef name, DequantizeOp matrix)
      : program(program), name(name), matrix(matrix), format(matrix.getFormat()), builder(program.getContext()) {}

  void addBuffers(unsigned position);
  /// Codes of i8 have the matrix's shape; for other planes the sizes that differ become parameters of their own.
  mlir::MemRefType makeBuffer(Plane plane);
  /// "K" -> "K_codes", a parameter of the kernel.
  mlir::Attribute addAxis(mlir::Attribute axis, Plane plane, int64_t size) {
    return addAxis(axis, stringifyPlane(plane), size);
  }
  mlir::Attribute addAxis(mlir::Attribute axis, llvm::StringRef suffix, int64_t size);
  mlir::Attribute getAxis(unsigned dim) { return mlir::cast<systolic::AxesAttr>(tile.getEncoding()).getNames()[dim]; }
  mlir::RankedTensorType withElement(mlir::Type element) { return tile.clone(element); }
  mlir::Value constant(int64_t value) { return mlir::arith::ConstantIndexOp::create(builder, loc, value); }
  /// The tile with another number of elements along K; `size` is the size of the new axis.
  mlir::RankedTensorType withColumns(Plane plane, mlir::Type element, int64_t size);
  mlir::Value loadPlane(Plane plane, mlir::Type element, int64_t size, mlir::Value column, mlir::Value row = {},
                        mlir::Value rows = {});
  void copyModifiers(systolic::LoadOp made);
  /// Loads the planes before `place`, scales with the element type `scale`.
  void loadPlanes(mlir::Type scale, mlir::Operation *place);
  mlir::Value loadWords(Plane plane, int64_t bits, mlir::Value column);
  /// Loads zeros: a word holds those of several rows, and each row has its own shift.
  void loadZeros();
  /// The codes as floats; codes of 8-bit integer formats are reduced by 128.
  mlir::Value getCodes(bool raised = false);
  mlir::Value unpack(int64_t bits, mlir::Value words, bool raised = false);
  mlir::Value makeSplat(double value) { return makeSplat(withElement(number), value); }
  mlir::Value makeSplat(mlir::RankedTensorType type, double value);
  mlir::Value makeSplat(mlir::RankedTensorType type, int32_t value);
  /// Number of groups along K that a tile overlaps.
  int64_t countGroups() { return format.getGroups() == 1 ? 1 : std::max<int64_t>(columns / format.getGroupSize(), 1); }
  mlir::Value getGroup();
  mlir::Value repeat(mlir::Value groups) { return repeat(groups, withElement(number)); }
  mlir::Value repeat(mlir::Value groups, mlir::RankedTensorType type);
  /// The number to subtract from codes as they are loaded, for each group; null if it is 0.
  mlir::Value getZeros(mlir::Type type, bool raised = false);
  mlir::Value subtractZeros(mlir::Value value);

  systolic::KernelOp program;
  std::string name;
  DequantizeOp matrix;
  CodeFormat format;
  mlir::OpBuilder builder;
  mlir::MemRefType whole; ///< the template's buffer of the matrix
  std::map<Plane, mlir::Value> buffers;

  // Of the load that is being decoded.
  systolic::LoadOp load;
  mlir::Location loc = mlir::UnknownLoc::get(builder.getContext());
  mlir::RankedTensorType tile;
  unsigned along = 1;  ///< the tile's dimension along K
  int64_t columns = 0; ///< its size there, with the program's parameters
  mlir::Type number;   ///< element type of the computation
  struct {
    mlir::Value codes, high, scales, zeros; ///< loaded planes, null if there is none
    mlir::Value shifts;                     ///< shift of each zero in its word
  } loaded;
};

} // namespace nstf
