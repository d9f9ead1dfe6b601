// A language model run over whole texts in float64, operation after operation: all texts go through one before the next
// begins, so that no more weights are in memory than one operation reads.
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

class TextRunner {
public:
  /// The numbers of a weight, asked for when an operation first reads it and given back after the last one.
  using ReadWeight = std::function<std::shared_ptr<const Tensor>(WeightOp)>;
  /// Called before an operation with its operands: `get(text, operand)`. Weights are the same for each text.
  using Observer = std::function<void(mlir::Operation *op, llvm::function_ref<const Tensor &(size_t, unsigned)> get)>;

  /// A language model: input "ids", output "logits". Precondition: a text has 1 token or more, and fits the context.
  /// Throws std::runtime_error for another graph.
  TextRunner(mlir::ModuleOp module, ReadWeight readWeight);

  /// The matrix that a linear multiplies by instead of its own; null: its own.
  using ReplaceMatrix = std::function<std::shared_ptr<const Tensor>(LinearOp)>;
  /// Matrices that a linear multiplies by in runs of their own.
  using GetVariants = std::function<std::vector<std::shared_ptr<const Tensor>>(LinearOp)>;
  /// Told of the logits that a linear's variant gives.
  using OnVariant = std::function<void(LinearOp, size_t variant, const std::vector<Tensor> &logits)>;

  /// Logits of every row of each text. Throws std::runtime_error for ids outside the vocabulary.
  std::vector<Tensor> run(const Texts &texts, const Observer &observer = {}, const ReplaceMatrix &replace = {});

  /// The same of the model itself; at each linear it goes on with each variant too, from there to the end.
  std::vector<Tensor> runVariants(const Texts &texts, const GetVariants &getVariants, const OnVariant &onVariant);

private:
  class Run;

  GraphOp graph;
  unsigned logits;
  ReadWeight readWeight;
  mlir::ModuleOp module;
};

/// How far other logits of the texts are from the model's.
runtime::Divergence compareLogits(const Texts &texts, const std::vector<Tensor> &logits,
                                  const std::vector<Tensor> &compared);

} // namespace nstf::calibrate
