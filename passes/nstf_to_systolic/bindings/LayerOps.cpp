// Binds embedding, linear, softmax and argmax to their templates.
#include "passes/nstf_to_systolic/CodeProduct.h"
#include "passes/nstf_to_systolic/ProductPair.h"
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
  SmallVector<StringRef> getTemplateNames(Operation *) const { return {"matvec", "matmul"}; }

  static LogicalResult bind(LinearOp op, TemplateBinder &binder) {
    Value x = op.getX(), w = op.getW();
    if (std::optional<CodeProduct> codes = findCodeProduct(op)) {
      x = codes->x;
      w = codes->w;
    } else if (auto rows = x.getDefiningOp<DequantizeRowsOp>()) {
      return rows.emitOpError("expected to be multiplied with codes of the same type, one scale a row on both sides");
    }
    binder.addBuffer("x", x);
    binder.addBuffer("w", w);
    Type operandType = getElementTypeOrSelf(x.getType());
    binder.binding.operandType = operandType;
    LinearOp second = findSecondProduct(op);
    if (second)
      binder.addBuffer("w2", second.getW());
    auto matrix = w.getDefiningOp<DequantizeOp>();
    int64_t width = operandType.getIntOrFloatBitWidth();
    binder.binding.facts = {{"F16", operandType.isF16()},
                            {"BYTES", width / 8},
                            {"BITS", matrix ? matrix.getFormat().getBits() : width},
                            {"MATRICES", second ? 2 : 1}};
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
