// How far a result may be from the reference.
//
// One table for tests, `nstfc --verify` and the report: |got - want| ≤ absolute + relative · max|want| over the tensor.
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

/// Of one operation ("linear", without the dialect's prefix) on given inputs, which rounds its result to `rounded`:
/// convert does; of others it does not matter. Nothing when the table has no such row.
std::optional<Tolerance> operationTolerance(llvm::StringRef operation, mlir::Type rounded);

/// Of one operation inside a kernel, on these operands. What decodes an operand errs where the result is made; products
/// of codes take the codes themselves. Precondition: the table has it.
Tolerance operationTolerance(mlir::Operation *op, llvm::ArrayRef<const Tensor *> operands);

/// Of one op of tensor code: the sum over the scalar operations in it.
Tolerance tensorTolerance(mlir::Operation *op);

/// Of a kernel on these arguments: the sum over its operations, since each one's error goes through those after it.
std::optional<Tolerance> kernelTolerance(const KernelOp::Part &part, llvm::ArrayRef<Tensor> arguments);

/// Of any value of a whole model that ran by itself with matrix operands of `precision`, where errors of all layers
/// before have added up. `codes` is the type of those that rows are quantised to, null where they aren't.
Tolerance modelTolerance(mlir::Type precision, mlir::Type codes = {});

/// How a result compares with the reference.
struct Comparison {
  double largestError = 0; // |got - want|; infinite where got is not a number
  int64_t where = -1;      // row-major index of it
  double largestWant = 0;  // max|want|
  double allowed = 0;      // what the tolerance allows
  bool passes() const { return largestError <= allowed; }
};

/// Precondition: as many numbers as `want` has.
Comparison compare(llvm::ArrayRef<float> got, const Tensor &want, Tolerance tolerance);

/// The same with what is allowed of each row; the row that is off by the most of it counts.
Comparison compareRows(const Tensor &got, const Tensor &want, const Eigen::VectorXd &allowed);

/// Of codes of type i8 or f8E4M3FNUZ that were made of numbers which a kernel rounds otherwise than the reference.
/// Where such a number crosses the middle between two codes it becomes the next one; that is rare, so few may differ.
Comparison compareCodes(llvm::ArrayRef<float> got, const Tensor &want, mlir::Type type);

} // namespace nstf::reference
