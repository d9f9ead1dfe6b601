// A second run beside the exact one, with errors wherever a package may have them.
//
// Every operation of the twin is off by the error that Tolerance.h allows, so the difference of the two runs in a row
// is the accumulated error of all operations before. Where rows become codes, both runs continue with the package's
// codes and scales, if numbers with errors of that size could have led to them: an adjacent code is a whole step away,
// but no error.
#pragma once

#include "compiler/reference/Operations.h"
#include "compiler/reference/Tolerance.h"
#include "dialects/nstf/NSTF.h"

#include <functional>
#include <memory>
#include <random>

namespace nstf::reference {

/// Bounds on the error of each row of a package's tensor.
using RowBounds = Eigen::VectorXd;

/// A value of a run, and of its twin if there is one.
struct TwinValue {
  std::shared_ptr<Tensor> exact, off;
  /// Set if the bounds are not the difference of the two: the bounds of codes are those of the numbers that they
  /// represent.
  std::shared_ptr<RowBounds> bounds;

  RowBounds getBounds() const;
};

/// Returns the result of a package's step that holds codes or their scales; null if it is unknown.
using MadeRows = std::function<const Tensor *(StepOp step, unsigned result)>;

class Twin {
public:
  /// `random` chooses the errors' signs and must outlive the twin.
  Twin(std::mt19937_64 &random, MadeRows made) : random(random), made(std::move(made)) {}

  /// Whether the twin shares the exact run's results: for operations without error whose operands are shared.
  static bool isShared(mlir::Operation *op, llvm::ArrayRef<TwinValue> operands);

  /// Takes the results of both runs, adds errors, chooses codes and computes bounds. `launch` is the step whose kernel
  /// has the op; null if there is none.
  void finish(mlir::Operation *op, llvm::ArrayRef<TwinValue> operands, llvm::MutableArrayRef<TwinValue> results,
              StepOp launch, StepScalars step);

private:
  void disturb(Tensor &result, const Matrix &errors);
  /// `x` are the rows that become codes; the package's rows are within `bounds` of them.
  void choose(QuantizeOp op, const RowBounds &bounds, const Tensor &x, llvm::ArrayRef<TwinValue> results, StepOp launch,
              StepScalars step);

  std::mt19937_64 &random;
  MadeRows made;
};

} // namespace nstf::reference
