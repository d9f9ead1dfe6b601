// The planes of a quantised matrix in a template's program: its buffers, what is loaded of them for a tile, and the
// codes, scales and zeros as numbers.
#pragma once

#include "dialects/nstf/NSTF.h"
#include "dialects/systolic/Systolic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

#include <map>
#include <string>

namespace nstf {

/// Of one buffer of a program, and of one of its loads after the other.
class PlaneLoads {
protected:
  PlaneLoads(systolic::KernelOp program, llvm::StringRef name, DequantizeOp matrix)
      : program(program), name(name), matrix(matrix), format(matrix.getFormat()), builder(program.getContext()) {}

  void addBuffers(unsigned position);
  /// Codes of i8 stand as the matrix does; of other planes the sizes that differ are parameters of their own.
  mlir::MemRefType makeBuffer(Plane plane);
  /// "K" -> "K_codes", a parameter of the kernel.
  mlir::Attribute addAxis(mlir::Attribute axis, Plane plane, int64_t size) {
    return addAxis(axis, stringifyPlane(plane), size);
  }
  mlir::Attribute addAxis(mlir::Attribute axis, llvm::StringRef suffix, int64_t size);
  mlir::Attribute getAxis(unsigned dim) { return mlir::cast<systolic::AxesAttr>(tile.getEncoding()).getNames()[dim]; }
  mlir::RankedTensorType withElement(mlir::Type element) { return tile.clone(element); }
  mlir::Value constant(int64_t value) { return mlir::arith::ConstantIndexOp::create(builder, loc, value); }
  /// The tile with another number of elements along K; `size` is what the axis will have.
  mlir::RankedTensorType withColumns(Plane plane, mlir::Type element, int64_t size);
  mlir::Value loadPlane(Plane plane, mlir::Type element, int64_t size, mlir::Value column, mlir::Value row = {},
                        mlir::Value rows = {});
  void copyModifiers(systolic::LoadOp made);
  /// Scales, as `scale`, before `place`.
  void loadPlanes(mlir::Type scale, mlir::Operation *place);
  mlir::Value loadWords(Plane plane, int64_t bits, mlir::Value column);
  /// A word holds the zeros of several rows, each row has its own shift.
  void loadZeros();
  /// The codes as floats; whole numbers of 8 bits less 128.
  mlir::Value getCodes(bool raised = false);
  mlir::Value unpack(int64_t bits, mlir::Value words, bool raised = false);
  mlir::Value makeSplat(double value) { return makeSplat(withElement(number), value); }
  mlir::Value makeSplat(mlir::RankedTensorType type, double value);
  mlir::Value makeSplat(mlir::RankedTensorType type, int32_t value);
  /// Groups that a tile has a part of along K.
  int64_t countGroups() { return format.getGroups() == 1 ? 1 : std::max<int64_t>(columns / format.getGroupSize(), 1); }
  mlir::Value getGroup();
  mlir::Value repeat(mlir::Value groups) { return repeat(groups, withElement(number)); }
  mlir::Value repeat(mlir::Value groups, mlir::RankedTensorType type);
  /// What codes are less, as they are loaded, by groups: null where that is 0.
  mlir::Value getZeros(mlir::Type type, bool raised = false);
  mlir::Value subtractZeros(mlir::Value value);

  systolic::KernelOp program;
  std::string name;
  DequantizeOp matrix;
  CodeFormat format;
  mlir::OpBuilder builder;
  mlir::MemRefType whole; ///< the template's buffer of the matrix
  std::map<Plane, mlir::Value> buffers;

  // Of the load that is decoded.
  systolic::LoadOp load;
  mlir::Location loc = mlir::UnknownLoc::get(builder.getContext());
  mlir::RankedTensorType tile;
  unsigned along = 1;  ///< the tile's dimension along K
  int64_t columns = 0; ///< its size there, with the program's parameters
  mlir::Type number;   ///< what is computed in
  struct {
    mlir::Value codes, high, scales, zeros; ///< of the planes, null where there is none
    mlir::Value shifts;                     ///< of a zero in its word
  } loaded;
};

} // namespace nstf
