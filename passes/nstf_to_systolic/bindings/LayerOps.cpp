// Bindings of embedding, linear, softmax and argmax to their templates.
#include "passes/nstf_to_systolic/bindings/Bindings.h"

using namespace mlir;
using namespace nstf;

namespace {

struct EmbeddingBinding : TemplateModel<EmbeddingBinding, EmbeddingOp> {
  static LogicalResult bind(EmbeddingOp op, TemplateBinder &binder) {
    binder.addBuffer("ids", op.getIds());
    binder.addBuffer("table", op.getTable());
    binder.addRows("M", op.getIds());
    binder.addParameter("V", op.getTable().getType().getDimSize(0));
    binder.addParameter("N", op.getTable().getType().getDimSize(1));
    return success();
  }
};

struct LinearBinding : TemplateModel<LinearBinding, LinearOp> {
  /// Vector units compute in f32, which holds no sums of i8 and has no conversion from f8.
  SmallVector<StringRef> getTemplateNames(Operation *op) const {
    if (cast<LinearOp>(op).getX().getType().getElementTypeBitWidth() == 8)
      return {"matmul"};
    return {"matvec", "matmul"};
  }

  static LogicalResult bind(LinearOp op, TemplateBinder &binder) {
    binder.addBuffer("x", op.getX());
    binder.addBuffer("w", op.getW());
    Type operandType = op.getX().getType().getElementType();
    binder.binding.operandType = operandType;
    binder.binding.facts.push_back({"F16", operandType.isF16()});
    binder.addParameter("N", op.getW().getType().getDimSize(0));
    binder.addParameter("K", op.getW().getType().getDimSize(1));
    if (binder.getTemplateName() != "matvec")
      binder.addRows("M", op.getResult());
    return success();
  }
};

} // namespace

void nstf::attachLayerBindings(MLIRContext &context) {
  EmbeddingOp::attachInterface<EmbeddingBinding>(context);
  LinearOp::attachInterface<LinearBinding>(context);
  SoftmaxOp::attachInterface<RowwiseModel<SoftmaxOp>>(context);
  ArgmaxOp::attachInterface<RowwiseModel<ArgmaxOp>>(context);
}
