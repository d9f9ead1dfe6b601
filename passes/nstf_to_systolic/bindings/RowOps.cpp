// Binds last_row, first_row and mean_rows to their templates.
#include "passes/nstf_to_systolic/bindings/Bindings.h"

using namespace mlir;
using namespace nstf;

namespace {

struct LastRowBinding : TemplateModel<LastRowBinding, LastRowOp> {
  SmallVector<StringRef> getTemplateNames(Operation *) const { return {"elementwise"}; }

  static LogicalResult bind(LastRowOp op, TemplateBinder &binder) {
    RankedTensorType x = op.getX().getType();
    binder.addBuffer("x", op.getX());
    // One row for each request.
    binder.addParameter("M", 1);
    binder.addParameter("ROWS", 1);
    binder.addParameter("MX", binder.getRows(op.getX()));
    binder.addParameter("N", x.getDimSize(1));
    binder.addParameter("LAST", 1);
    return success();
  }
};

struct FirstRowBinding : TemplateModel<FirstRowBinding, FirstRowOp> {
  SmallVector<StringRef> getTemplateNames(Operation *) const { return {"elementwise"}; }

  static LogicalResult bind(FirstRowOp op, TemplateBinder &binder) {
    RankedTensorType x = op.getX().getType();
    binder.addBuffer("x", op.getX());
    binder.addRows("M", op.getResult());
    // Only the first row is read, so a dynamic number of rows binds as 1.
    binder.addParameter("MX", x.isDynamicDim(0) ? 1 : x.getDimSize(0));
    binder.addParameter("N", x.getDimSize(1));
    return success();
  }
};

} // namespace

void nstf::attachRowBindings(MLIRContext &context) {
  LastRowOp::attachInterface<LastRowBinding>(context);
  FirstRowOp::attachInterface<FirstRowBinding>(context);
  MeanRowsOp::attachInterface<RowwiseModel<MeanRowsOp>>(context);
}
