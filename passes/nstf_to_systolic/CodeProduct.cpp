// Finds products of codes (CodeProduct.h).
#include "passes/nstf_to_systolic/CodeProduct.h"

using namespace mlir;
using namespace nstf;

std::optional<CodeProduct> nstf::findCodeProduct(Operation *op) {
  auto linear = dyn_cast<LinearOp>(op);
  auto x = linear ? linear.getX().getDefiningOp<DequantizeRowsOp>() : DequantizeRowsOp();
  auto w = linear ? linear.getW().getDefiningOp<DequantizeOp>() : DequantizeOp();
  bool isByRow = x && w && x.getScales().getType().getDimSize(1) == 1 && w.hasPlainRows();
  if (!isByRow || x.getCodes().getType().getElementType() != w.getCodes().getType().getElementType())
    return std::nullopt;
  return CodeProduct{x.getCodes(), w.getCodes(), x.getScales(), w.getScales()};
}
