// Binds the norms to their templates.
#include "passes/nstf_to_systolic/bindings/Bindings.h"

using namespace mlir;
using namespace nstf;

namespace {

struct RmsNormBinding : TemplateModel<RmsNormBinding, RmsNormOp> {
  static LogicalResult bind(RmsNormOp op, TemplateBinder &binder) {
    binder.addBuffer("x", op.getX());
    binder.addBuffer("weight", op.getWeight());
    // Each group of a row is a row of the template.
    int64_t features = op.getX().getType().getDimSize(1), group = op.getWeight().getType().getDimSize(0);
    binder.addRows("M", op.getX(), features / group);
    binder.addParameter("G", features / group);
    binder.addParameter("N", group);
    binder.addParameter("EPS", op.getEps());
    return success();
  }
};

struct LayerNormBinding : TemplateModel<LayerNormBinding, LayerNormOp> {
  static LogicalResult bind(LayerNormOp op, TemplateBinder &binder) {
    binder.bindRows(op.getX());
    binder.addBuffer("weight", op.getWeight());
    binder.addParameter("EPS", op.getEps());
    return success();
  }
};

struct L2NormalizeBinding : TemplateModel<L2NormalizeBinding, L2NormalizeOp> {
  static LogicalResult bind(L2NormalizeOp op, TemplateBinder &binder) {
    binder.bindRows(op.getX());
    binder.addParameter("EPS", op.getEps());
    return success();
  }
};

} // namespace

void nstf::attachNormBindings(MLIRContext &context) {
  RmsNormOp::attachInterface<RmsNormBinding>(context);
  LayerNormOp::attachInterface<LayerNormBinding>(context);
  L2NormalizeOp::attachInterface<L2NormalizeBinding>(context);
}
