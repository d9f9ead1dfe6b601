// The allowed differences from the reference.
//
// Tests, `nstfc --verify` and the report share one table: |got - want| ≤ absolute + relative · max|want| over the
// tensor.
#pragma once

#include "compiler/reference/Tensor.h"
#include "dialects/nstf/NSTF.h"

#include "llvm/ADT/ArrayRef.h"

#include <optional>

namespace nstf::reference {

struct Tolerance {
  double absolute = 0;
  double relative = 0;
};

/// The tolerance of an operation ("linear", without the dialect's prefix) on given inputs. `rounded` is the result type
/// of an operation that rounds, such as convert; others ignore it. Nothing if the table has no such row.
std::optional<Tolerance> operationTolerance(llvm::StringRef operation, mlir::Type rounded);

/// The tolerance of an operation inside a kernel, on these operands. The error of decoding an operand counts where the
/// result is computed; products of codes use the codes themselves. Precondition: the table has the operation.
Tolerance operationTolerance(mlir::Operation *op, llvm::ArrayRef<const Tensor *> operands);

/// The tolerance of an op of tensor code: the sum over its scalar operations.
Tolerance tensorTolerance(mlir::Operation *op);

/// The tolerance of a kernel on these arguments: the sum over its operations, since each one's error propagates through
/// later ones.
std::optional<Tolerance> kernelTolerance(const KernelOp::Part &part, llvm::ArrayRef<Tensor> arguments);

/// The tolerance of any value in a run of a whole model with matrix operands of `precision`, in which the errors of all
/// earlier layers accumulate. `codes` is the type to which rows are quantised, null if they aren't.
Tolerance modelTolerance(mlir::Type precision, mlir::Type codes = {});

/// The result of a comparison with the reference.
struct Comparison {
  double largestError = 0; // |got - want|; infinite if got is NaN
  int64_t where = -1;      // row-major index of the largest error
  double largestWant = 0;  // max|want|
  double allowed = 0;      // the tolerance
  bool passes() const { return largestError <= allowed; }
};

/// Precondition: `got` has as many numbers as `want`.
Comparison compare(llvm::ArrayRef<float> got, const Tensor &want, Tolerance tolerance);

/// The same with a tolerance for each row. The element with the largest error relative to its row's tolerance is
/// reported.
Comparison compareRows(const Tensor &got, const Tensor &want, const Eigen::VectorXd &allowed);

/// Compares codes of type i8 or f8E4M3FNUZ that were made from numbers which a kernel rounds differently than the
/// reference. A number that crosses the midpoint between two codes gets the adjacent code. That is rare, so only few
/// codes may differ.
Comparison compareCodes(llvm::ArrayRef<float> got, const Tensor &want, mlir::Type type);

} // namespace nstf::reference
