// Evaluates each nstf operation.
#pragma once

#include "compiler/reference/Tensor.h"
#include "dialects/nstf/NSTF.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>
#include <vector>

namespace nstf::reference {

/// The scalars of a step, which operations read from the control block.
struct StepScalars {
  int64_t tokens;   // rows of this step
  int64_t position; // the position of its row 0
};

/// Computes the results of a graph operation from its operands, in float64, by the dialect's formula. `kv_append`
/// returns a new cache; ReferenceModel writes in place instead. Throws std::runtime_error for an operation without a
/// reference and for invalid numbers: an id outside its table, a position outside the cache.
std::vector<Tensor> evaluateOperation(mlir::Operation *op, llvm::ArrayRef<const Tensor *> operands, StepScalars step);

/// Writes the rows of `kv_append` into `cache`. Throws if they don't fit.
void appendRows(const Tensor &rows, StepScalars step, Tensor &cache);

/// Calls `visit` with attention's logits of each row and head, for the keys from `first` on. Precondition: k is
/// numbers, not codes.
void visitLogits(AttentionOp op, const Matrix &q, const Matrix &k, StepScalars step,
                 llvm::function_ref<void(int64_t row, int64_t head, int64_t first, Eigen::RowVectorXd &logits)> visit);

/// The numbers that codes represent; each row and group of columns has a scale.
Matrix decodeRows(const Matrix &codes, const Matrix &scales);

/// The numbers that `quantize` rounds: x divided by the scales of its rows and groups, in f32, clamped to the largest
/// code.
Matrix getQuotients(QuantizeOp op, const Tensor &x, const Tensor &scales);
/// The code of such a quotient.
double roundToCode(QuantizeOp op, double quotient);

/// Names of the operations that have a reference, sorted: "add", "argmax", …
std::vector<std::string> referenceOperations();

} // namespace nstf::reference
