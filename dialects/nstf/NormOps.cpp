// Result types and verifiers of the normalisations. Constraint numbers are those of NormOps.td.
#include "dialects/nstf/NSTF.h"

using namespace mlir;
using namespace nstf;

static LogicalResult verifyEps(Operation *op, const APFloat &eps) {
  if (!eps.isFinite() || (eps.isNegative() && !eps.isZero()))
    return op->emitOpError() << "expected a finite eps of at least 0 but got " << eps.convertToDouble();
  return success();
}

// RmsNormOp

LogicalResult RmsNormOp::inferReturnTypes(MLIRContext *, std::optional<Location>, RmsNormOp::Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getX().getType());
  return success();
}

LogicalResult RmsNormOp::verify() {
  RankedTensorType weight = getWeight().getType();
  int64_t features = getX().getType().getDimSize(1), group = weight.getDimSize(0);
  // rms_norm_c1
  if (group == 0 || features % group != 0)
    return emitOpError() << "expected a weight whose length divides the features, " << features << ", but got "
                         << weight;
  // rms_norm_c2
  return verifyEps(*this, getEps());
}

/// Each group of a row is a row of the template, which is a row of the step only if the row has one group.
bool RmsNormOp::computesStepRows() { return getWeight().getType().getDimSize(0) == getX().getType().getDimSize(1); }

// LayerNormOp

LogicalResult LayerNormOp::inferReturnTypes(MLIRContext *, std::optional<Location>, LayerNormOp::Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getX().getType());
  return success();
}

LogicalResult LayerNormOp::verify() {
  RankedTensorType x = getX().getType();
  auto expected = RankedTensorType::get({x.getDimSize(1)}, x.getElementType());
  // layer_norm_c1
  if (getWeight().getType() != expected)
    return emitOpError() << "expected a weight of type " << expected << " but got " << getWeight().getType();
  if (getBias() && getBias().getType() != expected)
    return emitOpError() << "expected a bias of type " << expected << " but got " << getBias().getType();
  // layer_norm_c2
  return verifyEps(*this, getEps());
}

Value LayerNormOp::getEpilogueBias() { return getBias(); }

// L2NormalizeOp

LogicalResult L2NormalizeOp::inferReturnTypes(MLIRContext *, std::optional<Location>, L2NormalizeOp::Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getX().getType());
  return success();
}

LogicalResult L2NormalizeOp::verify() {
  // l2_normalize_c1
  if (!getEps().isFinite() || getEps().isNegative() || getEps().isZero())
    return emitOpError() << "expected a finite eps above 0 but got " << getEps().convertToDouble();
  return success();
}
