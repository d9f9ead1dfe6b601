// The meaning of each nstf operation.
#pragma once

#include "compiler/reference/Tensor.h"
#include "dialects/nstf/NSTF.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>
#include <vector>

namespace nstf::reference {

/// The scalars of a run that operations read from the control block.
struct StepScalars {
  int64_t tokens;   // rows of this step
  int64_t position; // where its row 0 stands
};

/// Computes the results of a graph operation from its operands, in float64, as the dialect's formula says.
/// `kv_append` gives a whole new cache; ReferenceModel lets it write in place. Throws std::runtime_error for an
/// operation without a reference and for numbers no run may have: an id outside its table, a position outside the
/// cache.
std::vector<Tensor> evaluateOperation(mlir::Operation *op, llvm::ArrayRef<const Tensor *> operands, StepScalars step);

/// Writes the rows of `kv_append` into `cache`. Throws when they don't fit.
void appendRows(const Tensor &rows, StepScalars step, Tensor &cache);

/// Attention's logits of each row and head, for the keys from `first` on. Precondition: k are numbers, not codes.
void visitLogits(AttentionOp op, const Matrix &q, const Matrix &k, StepScalars step,
                 llvm::function_ref<void(int64_t row, int64_t head, int64_t first, Eigen::RowVectorXd &logits)> visit);

/// What codes stand for, with a scale for each row and group of columns.
Matrix decodeRows(const Matrix &codes, const Matrix &scales);

/// What `quantize` rounds: the numbers by the scales of their rows and groups, in f32 and none past the largest code.
Matrix getQuotients(QuantizeOp op, const Tensor &x, const Tensor &scales);
/// The code that one of them becomes.
double roundToCode(QuantizeOp op, double quotient);

/// Names of the operations that have a reference, sorted: "add", "argmax", …
std::vector<std::string> referenceOperations();

} // namespace nstf::reference
