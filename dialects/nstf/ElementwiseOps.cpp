// Types and folders of the elementwise operations. Numbers are those of ElementwiseOps.td.
#include "dialects/nstf/NSTF.h"

using namespace mlir;
using namespace nstf;

// ConvertOp

LogicalResult ConvertOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ConvertOp::Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  // convert_c2
  auto x = cast<RankedTensorType>(adaptor.getX().getType());
  types.push_back(RankedTensorType::get(x.getShape(), adaptor.getType()));
  return success();
}

OpFoldResult ConvertOp::fold(FoldAdaptor) {
  return getX().getType() == getResult().getType() ? getX() : OpFoldResult();
}
