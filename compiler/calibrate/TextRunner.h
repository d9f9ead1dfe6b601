// A language model run over whole texts in float64, operation after operation: all texts go through one before the next
// begins, so that no more weights are in memory than one operation reads.
#pragma once

#include "compiler/reference/Tensor.h"
#include "dialects/nstf/NSTF.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

#include <functional>
#include <memory>
#include <vector>

namespace nstf::calibrate {

using Texts = std::vector<std::vector<int32_t>>;
using reference::Tensor;

class TextRunner {
public:
  /// The numbers of a weight, asked for when an operation first reads it and given back after the last one.
  using ReadWeight = std::function<std::shared_ptr<const Tensor>(WeightOp)>;
  /// Called before an operation with its operands: `get(text, operand)`. Weights are the same for each text.
  using Observer = std::function<void(mlir::Operation *op, llvm::function_ref<const Tensor &(size_t, unsigned)> get)>;

  /// A language model: input "ids", output "logits". Precondition: a text has 1 token or more, and fits the context.
  /// Throws std::runtime_error for another graph.
  TextRunner(mlir::ModuleOp module, ReadWeight readWeight);

  /// Logits of every row of each text. Throws std::runtime_error for ids outside the vocabulary.
  std::vector<Tensor> run(const Texts &texts, const Observer &observer = {});

  /// From now on another matrix for a linear; null: its own again.
  void setMatrix(LinearOp op, std::shared_ptr<const Tensor> matrix) { matrices[op] = std::move(matrix); }

private:
  GraphOp graph;
  unsigned logits;
  ReadWeight readWeight;
  mlir::ModuleOp module;
  llvm::DenseMap<mlir::Operation *, std::shared_ptr<const Tensor>> matrices;
};

} // namespace nstf::calibrate
