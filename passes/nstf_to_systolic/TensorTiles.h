// Arithmetic on tiles and places in tensors, for the evaluation of tensor code (TensorPull.h).
#pragma once

#include "dialects/systolic/Systolic.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AffineExpr.h"

namespace nstf {

/// Tiles of one shape: [BN], or [BN, BR] if a reduction is distributed over lanes. Scalars of tensor code have tiles of
/// f32 (also f16 and bf16, rounded after every operation), i32 (also index) or i1.
class TileShape {
public:
  TileShape(mlir::OpBuilder &builder, mlir::Location loc, mlir::RankedTensorType tile)
      : builder(builder), loc(loc), tile(tile) {}

  int64_t getRank() const { return tile.getRank(); }
  mlir::Type getI32() const { return builder.getI32Type(); }
  /// The tile's type for a scalar's type.
  mlir::RankedTensorType getType(mlir::Type scalar) const;

  mlir::Value constant(int64_t value) const;
  mlir::Value constant(mlir::TypedAttr scalar) const;
  mlir::Value zero(mlir::Type scalar) const;
  /// Broadcasts a scalar to each element; an index becomes an i32.
  mlir::Value splat(mlir::Value scalar) const;
  /// The coordinate of each element along a dimension of the tile.
  mlir::Value iota(int64_t dim) const;

  mlir::Value add(mlir::Value left, mlir::Value right) const;
  mlir::Value sub(mlir::Value left, mlir::Value right) const;
  mlir::Value mul(mlir::Value left, mlir::Value right) const;
  mlir::Value mul(mlir::Value left, int64_t right) const;
  /// For unsigned numbers.
  mlir::Value div(mlir::Value left, int64_t right) const;
  mlir::Value rem(mlir::Value left, int64_t right) const;
  mlir::Value lessThan(mlir::Value left, mlir::Value right) const;
  mlir::Value equal(mlir::Value left, mlir::Value right) const;
  mlir::Value both(mlir::Value left, mlir::Value right) const; ///< a null value counts as true
  mlir::Value select(mlir::Value condition, mlir::Value yes, mlir::Value no) const;
  /// An affine expression of tiles: d0 is dims[0], s0 is symbols[0].
  mlir::Value apply(mlir::AffineExpr expr, llvm::function_ref<mlir::Value(unsigned)> dims,
                    llvm::function_ref<mlir::Value(unsigned)> symbols) const;

  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::RankedTensorType tile;
};

/// The places of a tile's elements in a tensor: a tile of coordinates for each dimension, or the row-major index, or
/// both. A tensor that is dynamic in another dimension than the first has no row-major index.
struct TensorPlace {
  llvm::SmallVector<mlir::Value> at;
  mlir::Value linear;
  bool operator==(const TensorPlace &) const = default;
};

/// The coordinate along one dimension.
mlir::Value getCoordinate(const TileShape &tiles, const TensorPlace &place, mlir::RankedTensorType tensor, int64_t dim);
/// All of them.
llvm::SmallVector<mlir::Value> getCoordinates(const TileShape &tiles, const TensorPlace &place,
                                              mlir::RankedTensorType tensor);
/// The row-major index. Precondition: the tensor is static but for its leading dimension.
mlir::Value getLinear(const TileShape &tiles, const TensorPlace &place, mlir::RankedTensorType tensor);

/// Whether a tensor has row-major indices that do not depend on a `?`.
bool hasLinear(mlir::RankedTensorType tensor);

} // namespace nstf
