// Runs a language model or an encoder over whole texts in float64. All texts go through one operation before the next
// begins, so memory holds only the weights of one operation.
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

/// Whether the graph computes logits; an encoder computes an embedding.
bool isLanguageModel(mlir::ModuleOp module);

class TextRunner {
public:
  /// Reads a weight. Called when an operation first reads the weight; the tensor is released after the last one.
  using ReadWeight = std::function<std::shared_ptr<const Tensor>(WeightOp)>;
  /// Called before an operation: `get(text, operand)` returns its operands. Weights are the same for each text.
  using Observer = std::function<void(mlir::Operation *op, llvm::function_ref<const Tensor &(size_t, unsigned)> get)>;

  /// The graph has the input "ids", optionally "token_types" (which is all 0), and the output "logits" or else
  /// "embedding". Throws std::runtime_error for another graph. Precondition of runs: a text has at least 1 token and
  /// fits the context.
  TextRunner(mlir::ModuleOp module, ReadWeight readWeight);

  /// Returns the matrix that replaces a linear's own, or null.
  using ReplaceMatrix = std::function<std::shared_ptr<const Tensor>(LinearOp)>;
  /// Returns the branches that begin at a linear, each with its replacement of matrices.
  using GetBranches = std::function<std::vector<ReplaceMatrix>(LinearOp)>;
  /// Called with the outputs of a linear's branch.
  using OnBranch = std::function<void(LinearOp, size_t branch, const std::vector<Tensor> &outputs)>;

  /// Returns the logits of every row of each text, or the text's embedding. Throws std::runtime_error for ids outside
  /// the vocabulary.
  std::vector<Tensor> run(const Texts &texts, const Observer &observer = {}, const ReplaceMatrix &replace = {});

  /// Like `run` with the model's matrices; also, at each linear, runs each branch from there to the end.
  std::vector<Tensor> runBranches(const Texts &texts, const GetBranches &getBranches, const OnBranch &onBranch);

private:
  class Run;

  GraphOp graph;
  unsigned output;
  ReadWeight readWeight;
  mlir::ModuleOp module;
};

/// The divergence of the texts' logits `compared` from the model's, for each text from position `first[i]` on, or from
/// its beginning without `first`.
runtime::Divergence compareLogits(const Texts &texts, const std::vector<Tensor> &logits,
                                  const std::vector<Tensor> &compared, llvm::ArrayRef<size_t> first = {});

} // namespace nstf::calibrate
