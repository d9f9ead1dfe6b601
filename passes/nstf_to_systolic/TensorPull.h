// Evaluates a tensor at a tile of places: the lowering of tensor code to a tile program.
//
// "Pull": starting at the kernel's result, every op maps the places of its result to places of its operands. A kernel
// argument becomes a load at these places, a linalg.generic its body on tiles, a reduction a loop. Slices, reshapes and
// concatenations become arithmetic on places. No intermediate tensor is stored.
#pragma once

#include "dialects/nstf/NSTF.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "passes/nstf_to_systolic/TensorTiles.h"
#include "llvm/ADT/MapVector.h"

namespace nstf {

/// The scalars of a body that is being computed on tiles.
struct ScalarScope {
  /// The tile of a block argument of the body's region.
  std::function<mlir::Value(mlir::BlockArgument)> argument;
  /// The tile of a linalg.index.
  std::function<mlir::Value(unsigned)> loop;
  llvm::DenseMap<mlir::Value, mlir::Value> known;
};

class TensorPull {
public:
  struct Options {
    mlir::RankedTensorType tile;                      ///< [BN], i32
    int64_t lanes = 1;                                ///< BR: lanes of a reduction
    mlir::Value tokens;                               ///< index
    mlir::Value start;                                ///< index of the tile's first element
    mlir::Value linear;                               ///< indices of all of them, [BN] of i32
    llvm::DenseMap<mlir::Value, mlir::Value> buffers; ///< of the kernel's arguments
  };

  TensorPull(mlir::OpBuilder &builder, mlir::Location loc, const Options &options)
      : options(options), builder(builder), tiles(builder, loc, options.tile) {}

  /// The elements of the kernel's result at `linear`; null after an error at an op that cannot be computed on tiles.
  mlir::Value pull(mlir::Value tensor, const TensorPlace &place);

private:
  mlir::Value pullUnknown(mlir::Value tensor, const TensorPlace &place);
  mlir::Value load(mlir::BlockArgument argument, const TensorPlace &place);
  mlir::Value pullConstant(mlir::arith::ConstantOp op, const TensorPlace &place);
  mlir::Value pullElements(mlir::tensor::FromElementsOp op, const TensorPlace &place);
  mlir::Value pullExtractSlice(mlir::tensor::ExtractSliceOp op, const TensorPlace &place);
  mlir::Value pullInsertSlice(mlir::tensor::InsertSliceOp op, const TensorPlace &place);
  mlir::Value pullCollapse(mlir::tensor::CollapseShapeOp op, const TensorPlace &place);
  mlir::Value pullExpand(mlir::tensor::ExpandShapeOp op, const TensorPlace &place);
  mlir::Value pullConcat(mlir::tensor::ConcatOp op, const TensorPlace &place);
  mlir::Value pullPad(mlir::tensor::PadOp op, const TensorPlace &place);
  mlir::Value pullGather(mlir::tensor::GatherOp op, const TensorPlace &place);
  mlir::Value pullGenerate(mlir::tensor::GenerateOp op, const TensorPlace &place);

  // Reductions and elementwise code (TensorLoops.cpp).
  struct Loops; // the loop indices of a linalg.generic as tiles
  mlir::Value pullGeneric(mlir::linalg::GenericOp op, unsigned result, const TensorPlace &place);
  TensorPlace getOperandPlace(mlir::linalg::GenericOp op, mlir::OpOperand &operand, const Loops &loops);
  bool computeBody(mlir::linalg::GenericOp op, const Loops &loops, llvm::ArrayRef<mlir::Value> accumulators,
                   llvm::ArrayRef<unsigned> results, llvm::SmallVectorImpl<mlir::Value> &values);
  mlir::Value reduceInOrder(mlir::linalg::GenericOp op, unsigned result, Loops &loops);
  mlir::Value reduceAcrossLanes(mlir::linalg::GenericOp op, unsigned result, Loops &loops);
  mlir::Value getExtent(int64_t size);

  // Scalars (TensorScalars.cpp).
  mlir::Value compute(mlir::Value scalar, ScalarScope &scope);
  mlir::Value computeFoldResult(mlir::OpFoldResult scalar, ScalarScope &scope);
  mlir::Value computeFunction(mlir::Operation *op, llvm::ArrayRef<mlir::Value> operands);
  mlir::Value turn(mlir::Operation *op, mlir::Value x);
  mlir::Value power(mlir::Value x, mlir::Value y);
  mlir::Value extract(mlir::Value tensor, llvm::ArrayRef<mlir::Value> indices);
  /// A float rounded to f16 or bf16, in f32.
  mlir::Value round(mlir::Value tile, mlir::Type type);
  /// The size of a dimension: a constant or the tokens.
  mlir::Value getSize(int64_t size);

  Options options;
  mlir::OpBuilder &builder;
  TileShape tiles;
  /// Computed values by tensor and place, so that equal reads of a tensor are computed once. All are visible at the
  /// builder's insertion point.
  std::vector<std::tuple<mlir::Value, TensorPlace, mlir::Value>> known;
};

/// A reduction whose loop can be distributed over lanes: one result, `acc = acc op f(inputs)` for an op that may be
/// computed in any order; with the op's kind and neutral element.
struct LaneReduction {
  systolic::ReduceKind kind;
  mlir::TypedAttr neutral;
  mlir::Operation *combiner;
};
std::optional<LaneReduction> getLaneReduction(mlir::linalg::GenericOp op);

} // namespace nstf
