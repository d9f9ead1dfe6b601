#include "compiler/import/GatherColumns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

Value nstf::import::gatherColumns(OpBuilder &builder, Location location, Value x, Value order) {
  MLIRContext *context = builder.getContext();
  context->loadDialect<arith::ArithDialect, linalg::LinalgDialect, tensor::TensorDialect>();
  auto type = cast<RankedTensorType>(x.getType());
  Value zero = arith::ConstantIndexOp::create(builder, location, 0);
  Value rows = tensor::DimOp::create(builder, location, x, zero);
  Value empty = tensor::EmptyOp::create(builder, location, type, rows);
  AffineMap all = builder.getMultiDimIdentityMap(2);
  AffineMap first = AffineMap::get(2, 0, {builder.getAffineConstantExpr(0), builder.getAffineDimExpr(1)}, context);
  auto gather = [&](OpBuilder &body, Location loc, ValueRange arguments) {
    Value row = linalg::IndexOp::create(body, loc, 0);
    Value column = arith::IndexCastOp::create(body, loc, body.getIndexType(), arguments[0]);
    Value number = tensor::ExtractOp::create(body, loc, x, ValueRange{row, column});
    linalg::YieldOp::create(body, loc, number);
  };
  SmallVector<utils::IteratorType> loops(2, utils::IteratorType::parallel);
  return linalg::GenericOp::create(builder, location, TypeRange{type}, ValueRange{order}, ValueRange{empty},
                                   ArrayRef<AffineMap>{first, all}, loops, gather)
      .getResult(0);
}
