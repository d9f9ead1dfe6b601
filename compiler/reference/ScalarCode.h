// The bodies of tensor operations.
#pragma once

#include "compiler/reference/TensorCode.h"

#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseMap.h"

#include <functional>

namespace nstf::reference {

/// The meaning of an arith or math operation on numbers of its operand types; throws std::runtime_error where it has
/// none.
std::function<double(const double *)> meaningOf(mlir::Operation *op);

/// The number nearest to `value` that a type holds: rounded to nearest even, an integer cut to its width.
double toType(double value, mlir::Type type);

/// A block of scalar operations, prepared to run many times.
class ScalarBlock {
public:
  ScalarBlock(mlir::Block &block, TensorLookup lookup, StepScalars step);

  /// Runs it for the block's arguments and the indices of the loops around it; gives the terminator's operands.
  const std::vector<double> &run(const std::vector<double> &arguments, llvm::ArrayRef<int64_t> loops);

private:
  struct Instruction {
    std::function<double(const double *)> function;
    std::vector<size_t> operands;
    size_t result;
  };
  size_t slotOf(mlir::Value value);
  void prepare(mlir::Operation &op);

  TensorLookup lookup;
  StepScalars step;
  llvm::DenseMap<mlir::Value, size_t> slots;
  std::vector<double> values, inputs, results;
  std::vector<Instruction> instructions;
  std::vector<std::pair<size_t, unsigned>> loopSlots; // of linalg.index
  std::vector<size_t> resultSlots;
  mlir::Block &block;
};

/// The element of a tensor at `index`; 0 outside of it.
double elementAt(const Tensor &tensor, llvm::ArrayRef<int64_t> index);

} // namespace nstf::reference
