// Binds quantize to its template.
#include "passes/nstf_to_systolic/bindings/Bindings.h"

using namespace mlir;
using namespace nstf;

namespace {

struct QuantizeBinding : TemplateModel<QuantizeBinding, QuantizeOp> {
  static LogicalResult bind(QuantizeOp op, TemplateBinder &binder) {
    Value codes = findTarget(op.getCodes()), scales = findTarget(op.getScales());
    OperandOrderAttr order = OperandOrderAttr::find(codes.getType());
    if (bool(order) != bool(OperandOrderAttr::find(scales.getType())))
      return op.emitOpError() << "expected codes and scales in operand order or neither but got " << codes.getType()
                              << " and " << scales.getType();
    binder.addBuffer("x", op.getX());
    binder.addBuffer("scales", scales);
    binder.addParameter("APPEND", codes != op.getCodes());
    binder.addParameter("N", op.getGroup());
    binder.addParameter("MAX_CODE", APFloat(op.getMaxCode()));
    if (order)
      bindOrdered(op, codes, scales, binder);
    else
      bindRows(op, codes, binder);
    return success();
  }

private:
  /// Each group of a row is a row of the template.
  static void bindRows(QuantizeOp op, Value codes, TemplateBinder &binder) {
    int64_t groups = op.getScales().getType().getDimSize(1), rows = binder.getRows(codes) * groups;
    binder.addRows("M", op.getX(), groups);
    binder.addParameter("NX", op.getGroup());
    binder.addParameter("MY", rows);
    binder.addParameter("YR", rows);
    binder.addParameter("YC", op.getGroup());
    binder.addParameter("G", groups);
  }

  static void bindOrdered(QuantizeOp op, Value codes, Value scales, TemplateBinder &binder) {
    RankedTensorType cache = TemplateBinder::getType(codes), scalesCache = TemplateBinder::getType(scales);
    OperandOrderAttr order = OperandOrderAttr::find(cache);
    support::OperandOrder::Matrix matrix = order.getMatrix(cache),
                                  ofScales = OperandOrderAttr::find(scalesCache).getMatrix(scalesCache);
    binder.addRows("M", op.getX());
    binder.addParameter("NX", op.getX().getType().getDimSize(1));
    binder.addParameter("HEADS", order.getHeads());
    binder.addParameter("ORDER", order.getKind() == CacheKind::keys ? 1 : 2);
    binder.addParameter("L", cache.getDimSize(0));
    binder.addParameter("YR", matrix.rows);
    binder.addParameter("YC", matrix.columns);
    binder.addParameter("YD", matrix.headStride);
    binder.addParameter("SC", ofScales.columns);
    binder.addParameter("MY", ofScales.rows * ofScales.columns);
  }

  /// The tensor that the rows are stored to: the cache if they are appended to one.
  static Value findTarget(Value rows) {
    auto append = rows.hasOneUse() ? dyn_cast<KvAppendOp>(*rows.getUsers().begin()) : KvAppendOp();
    return append ? append.getResult() : rows;
  }
};

} // namespace

void nstf::attachQuantizeBindings(MLIRContext &context) { QuantizeOp::attachInterface<QuantizeBinding>(context); }
