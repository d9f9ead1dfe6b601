// Binding of quantize to its template.
#include "passes/nstf_to_systolic/bindings/Bindings.h"

using namespace mlir;
using namespace nstf;

namespace {

struct QuantizeBinding : TemplateModel<QuantizeBinding, QuantizeOp> {
  static LogicalResult bind(QuantizeOp op, TemplateBinder &binder) {
    binder.addBuffer("x", op.getX());
    binder.addBuffer("scales", op.getScales());
    // Every group of a row is a row of the template.
    int64_t groups = op.getScales().getType().getDimSize(1);
    binder.addRows("M", op.getX(), groups);
    binder.addParameter("G", groups);
    binder.addParameter("N", op.getGroup());
    binder.addParameter("MOST", APFloat(op.getMost()));
    return success();
  }
};

} // namespace

void nstf::attachQuantizeBindings(MLIRContext &context) { QuantizeOp::attachInterface<QuantizeBinding>(context); }
