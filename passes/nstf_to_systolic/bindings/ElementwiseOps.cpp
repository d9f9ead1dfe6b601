// Binds a chain of elementwise ops to the template `elementwise`, whatever its first op is.
#include "passes/nstf_to_systolic/bindings/Bindings.h"

using namespace mlir;
using namespace nstf;

namespace {

struct ElementwiseBinding : TemplateOp::FallbackModel<ElementwiseBinding> {
  SmallVector<StringRef> getTemplateNames(Operation *) const { return {"elementwise"}; }

  LogicalResult bindTemplate(Operation *op, TemplateBinder &binder) const {
    Value input = *llvm::find_if(op->getOperands(), [](Value value) { return isa<BlockArgument>(value); });
    binder.bindCopy(input, op->getResult(0));
    binder.binding.tile = input; // the slot computes the whole chain
    return success();
  }
};

} // namespace

void nstf::attachElementwiseBindings(MLIRContext &context) {
  for (RegisteredOperationName name : context.getRegisteredOperations())
    if (name.hasInterface<ElementwiseOp>())
      name.attachInterface<ElementwiseBinding>();
}
