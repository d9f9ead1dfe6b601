// Binding of quantize to its template.
#include "passes/nstf_to_systolic/bindings/Bindings.h"

using namespace mlir;
using namespace nstf;

namespace {

struct QuantizeBinding : TemplateModel<QuantizeBinding, QuantizeOp> {
  static LogicalResult bind(QuantizeOp op, TemplateBinder &binder) {
    binder.addBuffer("x", op.getX());
    Value codes = findTarget(op.getCodes()), scales = findTarget(op.getScales());
    binder.addBuffer("scales", scales);
    // Every group of a row is a row of the template.
    int64_t groups = op.getScales().getType().getDimSize(1);
    binder.addRows("M", op.getX(), groups);
    binder.addParameter("MY", binder.getRows(codes) * groups);
    binder.addParameter("APPEND", codes != op.getCodes());
    binder.addParameter("G", groups);
    binder.addParameter("N", op.getGroup());
    binder.addParameter("MAX_CODE", APFloat(op.getMaxCode()));
    return success();
  }

  /// Where a result goes: the cache that it is appended to.
  static Value findTarget(Value rows) {
    auto append = rows.hasOneUse() ? dyn_cast<KvAppendOp>(*rows.getUsers().begin()) : KvAppendOp();
    return append ? append.getResult() : rows;
  }
};

} // namespace

void nstf::attachQuantizeBindings(MLIRContext &context) { QuantizeOp::attachInterface<QuantizeBinding>(context); }
