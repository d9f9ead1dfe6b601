// Types, verifiers and folders of the row-wise layers. Numbers are those of LayerOps.td.
#include "dialects/nstf/NSTF.h"

#include <cmath>

using namespace mlir;
using namespace nstf;

static RankedTensorType rows(Value activation) { return cast<RankedTensorType>(activation.getType()); }

//===-- EmbeddingOp ---------------------------------------------------------------------------------------------===//

LogicalResult EmbeddingOp::inferReturnTypes(MLIRContext *, std::optional<Location>, EmbeddingOp::Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  RankedTensorType ids = rows(adaptor.getIds()), table = rows(adaptor.getTable());
  types.push_back(RankedTensorType::get({ids.getDimSize(0), table.getDimSize(1)}, table.getElementType()));
  return success();
}

//===-- LinearOp ------------------------------------------------------------------------------------------------===//

LogicalResult LinearOp::inferReturnTypes(MLIRContext *, std::optional<Location>, LinearOp::Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  RankedTensorType x = rows(adaptor.getX()), w = rows(adaptor.getW());
  types.push_back(RankedTensorType::get({x.getDimSize(0), w.getDimSize(0)}, x.getElementType()));
  return success();
}

LogicalResult LinearOp::verify() {
  RankedTensorType x = getX().getType(), w = getW().getType();
  // linear_c1
  if (x.getDimSize(1) != w.getDimSize(1))
    return emitOpError() << "expected K of x and w to be equal but got " << x.getDimSize(1) << " and "
                         << w.getDimSize(1);
  // linear_c3
  if (x.getElementType() != w.getElementType())
    return emitOpError() << "expected x and w of one element type but got " << x.getElementType() << " and "
                         << w.getElementType();
  if (Value bias = getBias()) {
    auto expected = RankedTensorType::get({w.getDimSize(0)}, x.getElementType());
    // linear_c2, linear_c3
    if (bias.getType() != expected)
      return emitOpError() << "expected a bias of type " << expected << " but got " << bias.getType();
  }
  return success();
}

//===-- RmsNormOp -----------------------------------------------------------------------------------------------===//

LogicalResult RmsNormOp::inferReturnTypes(MLIRContext *, std::optional<Location>, RmsNormOp::Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getX().getType());
  return success();
}

LogicalResult RmsNormOp::verify() {
  RankedTensorType x = getX().getType();
  auto expected = RankedTensorType::get({x.getDimSize(1)}, x.getElementType());
  // rms_norm_c1, rms_norm_c2
  if (getWeight().getType() != expected)
    return emitOpError() << "expected a weight of type " << expected << " but got " << getWeight().getType();
  // rms_norm_c3
  double eps = getEps().convertToDouble();
  if (!std::isfinite(eps) || eps < 0)
    return emitOpError() << "expected a finite eps of at least 0 but got " << eps;
  return success();
}

//===-- ArgmaxOp ------------------------------------------------------------------------------------------------===//

LogicalResult ArgmaxOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, ArgmaxOp::Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  types.push_back(RankedTensorType::get({rows(adaptor.getX()).getDimSize(0)}, IntegerType::get(context, 32)));
  return success();
}

//===-- LastRowOp -----------------------------------------------------------------------------------------------===//

LogicalResult LastRowOp::inferReturnTypes(MLIRContext *, std::optional<Location>, LastRowOp::Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  RankedTensorType x = rows(adaptor.getX());
  types.push_back(RankedTensorType::get({1, x.getDimSize(1)}, x.getElementType()));
  return success();
}

OpFoldResult LastRowOp::fold(FoldAdaptor) { return getX().getType() == getType() ? getX() : OpFoldResult(); }
