// A language model or an encoder run over whole texts in float64, operation after operation: all texts go through one
// before the next begins, so that no more weights are in memory than one operation reads.
#pragma once

#include "compiler/reference/Tensor.h"
#include "dialects/nstf/NSTF.h"
#include "nstf/Divergence.h"

#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <memory>
#include <vector>

namespace nstf::calibrate {

using Texts = std::vector<std::vector<int32_t>>;
using reference::Tensor;

/// Whether the graph gives logits; an encoder gives an embedding.
bool isLanguageModel(mlir::ModuleOp module);

class TextRunner {
public:
  /// The numbers of a weight, asked for when an operation first reads it and given back after the last one.
  using ReadWeight = std::function<std::shared_ptr<const Tensor>(WeightOp)>;
  /// Called before an operation with its operands: `get(text, operand)`. Weights are the same for each text.
  using Observer = std::function<void(mlir::Operation *op, llvm::function_ref<const Tensor &(size_t, unsigned)> get)>;

  /// Of the input "ids", perhaps "token_types", which are 0, and the output "logits" or else "embedding". Precondition:
  /// a text has 1 token or more, and fits the context. Throws std::runtime_error for another graph.
  TextRunner(mlir::ModuleOp module, ReadWeight readWeight);

  /// The matrix that a linear multiplies by instead of its own; null: its own.
  using ReplaceMatrix = std::function<std::shared_ptr<const Tensor>(LinearOp)>;
  /// What runs that begin at a linear multiply by, one a run.
  using GetBranches = std::function<std::vector<ReplaceMatrix>(LinearOp)>;
  /// Told of what a branch of a linear gives.
  using OnBranch = std::function<void(LinearOp, size_t branch, const std::vector<Tensor> &outputs)>;

  /// Logits of every row of each text, or its embedding. Throws std::runtime_error for ids outside the vocabulary.
  std::vector<Tensor> run(const Texts &texts, const Observer &observer = {}, const ReplaceMatrix &replace = {});

  /// The same of the model itself; at each linear it goes on in each branch too, from there to the end.
  std::vector<Tensor> runBranches(const Texts &texts, const GetBranches &getBranches, const OnBranch &onBranch);

private:
  class Run;

  GraphOp graph;
  unsigned output;
  ReadWeight readWeight;
  mlir::ModuleOp module;
};

/// How far other logits of the texts are from the model's, from a position of each text on; without `first` from its
/// beginning.
runtime::Divergence compareLogits(const Texts &texts, const std::vector<Tensor> &logits,
                                  const std::vector<Tensor> &compared, llvm::ArrayRef<size_t> first = {});

} // namespace nstf::calibrate
