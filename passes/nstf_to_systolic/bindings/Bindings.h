// The bindings of each operation to its kernel templates: one external model for each op, in the file named like the
// dialect's.
#pragma once

#include "passes/nstf_to_systolic/Binding.h"

namespace nstf {

/// The base of an op's model, which has a function `bind(OpT, TemplateBinder &)`.
template <typename Model, typename OpT> struct TemplateModel : TemplateOp::ExternalModel<Model, OpT> {
  mlir::LogicalResult bindTemplate(mlir::Operation *op, TemplateBinder &binder) const {
    return Model::bind(llvm::cast<OpT>(op), binder);
  }
};

/// The model of an op that reads x [M, N] row by row, and nothing else.
template <typename OpT> struct RowwiseModel : TemplateModel<RowwiseModel<OpT>, OpT> {
  static mlir::LogicalResult bind(OpT op, TemplateBinder &binder) {
    binder.bindRows(op.getX());
    return mlir::success();
  }
};

void attachAttentionBindings(mlir::MLIRContext &context);
void attachElementwiseBindings(mlir::MLIRContext &context);
void attachLayerBindings(mlir::MLIRContext &context);
void attachNormBindings(mlir::MLIRContext &context);
void attachQuantizeBindings(mlir::MLIRContext &context);
void attachRowBindings(mlir::MLIRContext &context);

} // namespace nstf
