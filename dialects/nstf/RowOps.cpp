// Result types and folders of last_row, first_row and mean_rows. Constraint numbers are those of RowOps.td.
#include "dialects/nstf/NSTF.h"

using namespace mlir;
using namespace nstf;

/// The type of `rows` rows of `x`.
static RankedTensorType rowsOf(Value x, int64_t rows = 1) {
  auto type = cast<RankedTensorType>(x.getType());
  return RankedTensorType::get({rows, type.getDimSize(1)}, type.getElementType());
}

LogicalResult LastRowOp::inferReturnTypes(MLIRContext *, std::optional<Location>, LastRowOp::Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  types.push_back(rowsOf(adaptor.getX(), adaptor.getRequests()));
  return success();
}

OpFoldResult LastRowOp::fold(FoldAdaptor) { return getX().getType() == getType() ? getX() : OpFoldResult(); }

LogicalResult FirstRowOp::inferReturnTypes(MLIRContext *, std::optional<Location>, FirstRowOp::Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  types.push_back(rowsOf(adaptor.getX()));
  return success();
}

OpFoldResult FirstRowOp::fold(FoldAdaptor) { return getX().getType() == getType() ? getX() : OpFoldResult(); }

LogicalResult MeanRowsOp::inferReturnTypes(MLIRContext *, std::optional<Location>, MeanRowsOp::Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  types.push_back(rowsOf(adaptor.getX()));
  return success();
}

OpFoldResult MeanRowsOp::fold(FoldAdaptor) { return getX().getType() == getType() ? getX() : OpFoldResult(); }
