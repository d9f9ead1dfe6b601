// Substitutes a template's open types (OperandTypes.h).
#include "dialects/systolic/OperandTypes.h"
#include "dialects/systolic/Systolic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;
using namespace nstf::systolic;

/// Converts a splat to another type with the same value: 0.0 of f32 becomes 0 of i32.
static DenseElementsAttr convertSplat(DenseElementsAttr splat, ShapedType type) {
  APFloat value = splat.getSplatValue<APFloat>();
  bool isExact;
  if (auto integer = dyn_cast<IntegerType>(type.getElementType())) {
    llvm::APSInt whole(integer.getWidth(), /*isUnsigned=*/false);
    value.convertToInteger(whole, APFloat::rmTowardZero, &isExact);
    return DenseElementsAttr::get(type, APInt(whole));
  }
  value.convert(cast<FloatType>(type.getElementType()).getFloatSemantics(), APFloat::rmNearestTiesToEven, &isExact);
  return DenseElementsAttr::get(type, value);
}

void nstf::systolic::resolveOperandTypes(Operation *root, Type operand) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([=](OperandType) { return operand; });
  replacer.addReplacement([=](AccumulatorType) { return getAccumulatorType(operand); });
  replacer.addReplacement([=](DenseElementsAttr splat) -> std::optional<std::pair<Attribute, WalkResult>> {
    if (!splat.isSplat() || !isa<OperandType, AccumulatorType>(splat.getElementType()))
      return std::nullopt;
    Type element = isa<OperandType>(splat.getElementType()) ? operand : getAccumulatorType(operand);
    return std::pair<Attribute, WalkResult>{convertSplat(splat, splat.getType().clone(element)), WalkResult::skip()};
  });
  replacer.recursivelyReplaceElementsIn(root, /*replaceAttrs=*/true, /*replaceLocs=*/false, /*replaceTypes=*/true);
  root->walk([](Operation *op) {
    if (isa<arith::ExtFOp, arith::TruncFOp>(op) && op->getOperand(0).getType() == op->getResult(0).getType()) {
      op->replaceAllUsesWith(op->getOperands());
      op->erase();
    }
  });
}
