// A run beside the exact one that is off wherever a package may be.
//
// Every operation of the twin errs by what Tolerance.h allows it, so what separates the two runs in a row is what the
// errors of all operations before come to. Where rows become codes both runs go on from those that the package chose,
// and from its scales, as far as numbers that are off by so much could have led to them: a code that is the next one is
// a whole step away, and no error.
#pragma once

#include "compiler/reference/Operations.h"
#include "compiler/reference/Tolerance.h"
#include "dialects/nstf/NSTF.h"

#include <functional>
#include <memory>
#include <random>

namespace nstf::reference {

/// How far each row of a package's tensor may be from the exact one.
using RowBounds = Eigen::VectorXd;

/// A value of a run, and of its twin where there is one.
struct TwinValue {
  std::shared_ptr<Tensor> exact, off;
  /// Where they aren't what separates the two: those of codes are of the numbers that they stand for.
  std::shared_ptr<RowBounds> bounds;

  RowBounds getBounds() const;
};

/// What a package's launch of a step made: the result that holds codes or their scales. Null where that isn't known.
using MadeRows = std::function<const Tensor *(StepOp step, unsigned result)>;

class Twin {
public:
  /// `random` draws the errors' signs and must outlive the twin.
  Twin(std::mt19937_64 &random, MadeRows made) : random(random), made(std::move(made)) {}

  /// Whether the results are the exact run's own: of operations without an error on what both runs share.
  static bool isShared(mlir::Operation *op, llvm::ArrayRef<TwinValue> operands);

  /// Takes the results of both runs and adds errors, chooses codes and finds bounds. `launch` is the step whose kernel
  /// the op is in, null where it is in none.
  void finish(mlir::Operation *op, llvm::ArrayRef<TwinValue> operands, llvm::MutableArrayRef<TwinValue> results,
              StepOp launch, StepScalars step);

private:
  void disturb(Tensor &result, const Matrix &errors);
  /// `x` are the rows that become codes, a package's within `bounds` of them.
  void choose(QuantizeOp op, const RowBounds &bounds, const Tensor &x, llvm::ArrayRef<TwinValue> results, StepOp launch,
              StepScalars step);

  std::mt19937_64 &random;
  MadeRows made;
};

} // namespace nstf::reference
