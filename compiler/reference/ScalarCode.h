// Evaluates the bodies of tensor operations.
#pragma once

#include "compiler/reference/TensorCode.h"

#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseMap.h"

#include <functional>

namespace nstf::reference {

/// A function that computes an arith or math operation on numbers of its operand types. Throws std::runtime_error for
/// an operation without a reference.
std::function<double(const double *)> getMeaning(mlir::Operation *op);

/// Converts `value` to a type: to a float by rounding to nearest even; to an integer by dropping the fraction and the
/// bits above its width.
double toType(double value, mlir::Type type);

/// A block of scalar operations, prepared for repeated execution.
class ScalarBlock {
public:
  ScalarBlock(mlir::Block &block, TensorLookup lookup, StepScalars step);

  /// Runs the block with these arguments and the indices of the enclosing loops. Returns the terminator's operands.
  const std::vector<double> &run(const std::vector<double> &arguments, llvm::ArrayRef<int64_t> loops);

private:
  struct Instruction {
    std::function<double(const double *)> function;
    std::vector<size_t> operands;
    size_t result;
  };
  size_t getSlot(mlir::Value value);
  void prepare(mlir::Operation &op);

  TensorLookup lookup;
  StepScalars step;
  llvm::DenseMap<mlir::Value, size_t> slots;
  std::vector<double> values, inputs, results;
  std::vector<Instruction> instructions;
  std::vector<std::pair<size_t, unsigned>> loopSlots; // for linalg.index
  std::vector<size_t> resultSlots;
  mlir::Block &block;
};

/// The element of a tensor at `index`; 0 outside the tensor.
double elementAt(const Tensor &tensor, llvm::ArrayRef<int64_t> index);

} // namespace nstf::reference
