#include "compiler/calibrate/TextRunner.h"

#include "compiler/reference/Operations.h"
#include "compiler/reference/TensorCode.h"
#include "passes/nstf/FormedGraph.h"
#include "support/Progress.h"

#include "mlir/IR/SymbolTable.h"

#include <stdexcept>
#include <tbb/parallel_for.h>

using namespace mlir;
using namespace nstf;
using namespace nstf::calibrate;
using namespace nstf::reference;
using Pointer = std::shared_ptr<const Tensor>;

TextRunner::TextRunner(ModuleOp module, ReadWeight readWeight) : readWeight(std::move(readWeight)), module(module) {
  FailureOr<GraphOp> found = getGraph(module);
  if (failed(found))
    throw std::runtime_error("expected a module with one graph");
  graph = *found;
  if (graph.getFunctionType().getNumInputs() != 1 || graph.getInputName(0) != "ids")
    throw std::runtime_error("expected a language model, whose input is 'ids', but got another graph");
  for (logits = 0; logits < graph.getFunctionType().getNumResults(); ++logits)
    if (graph.getOutputName(logits) == "logits")
      return;
  throw std::runtime_error("expected a language model, with an output 'logits', but got another graph");
}

/// One operation on one text. A cache that begins with the text is its rows, and every row has logits.
static Pointer evaluate(Operation &op, ArrayRef<Pointer> operands, int64_t tokens) {
  if (isa<LastRowOp, KvAppendOp>(op))
    return operands[0];
  StepScalars step{tokens, /*position=*/0};
  if (isTensorOperation(&op)) {
    auto lookup = [&](Value value) -> const Tensor & {
      for (OpOperand &operand : op.getOpOperands())
        if (operand.get() == value)
          return *operands[operand.getOperandNumber()];
      throw std::runtime_error("expected operations that read their operands only");
    };
    return std::make_shared<Tensor>(std::move(evaluateTensorOperation(&op, lookup, step).front()));
  }
  std::vector<const Tensor *> tensors;
  for (const Pointer &operand : operands)
    tensors.push_back(operand.get());
  return std::make_shared<Tensor>(evaluateOperation(&op, tensors, step));
}

std::vector<Tensor> TextRunner::run(const Texts &texts, const Observer &observer) {
  Block &block = graph.getBody().front();
  DenseMap<Value, std::vector<Pointer>> values; // one a text; of a weight or state one for all
  DenseMap<Value, int64_t> readers;
  for (Operation &op : block)
    for (Value operand : op.getOperands())
      ++readers[operand];
  std::vector<Pointer> &ids = values[block.getArgument(0)];
  for (const std::vector<int32_t> &text : texts)
    ids.push_back(std::make_shared<Tensor>(std::vector<int64_t>{int64_t(text.size())}, text));

  support::Progress progress("running the reference", "operations", std::distance(block.begin(), block.end()));
  for (Operation &op : block) {
    progress.add();
    if (isa<ReturnOp>(op)) {
      std::vector<Tensor> result;
      for (const Pointer &text : values.at(op.getOperand(logits)))
        result.push_back(*text);
      return result;
    }
    const Pointer &matrix = matrices[&op];
    auto of = [&](size_t text, unsigned operand) -> const Pointer & {
      if (matrix && operand == 1)
        return matrix;
      const std::vector<Pointer> &pointers = values.at(op.getOperand(operand));
      return pointers[pointers.size() == 1 ? 0 : text];
    };
    if (auto get = dyn_cast<GetOp>(op)) {
      auto weight = module.lookupSymbol<WeightOp>(get.getSymbol());
      values[get.getResult()] = {weight ? readWeight(weight) : nullptr}; // states are empty: nothing reads them
      continue;
    }
    if (observer)
      observer(&op, [&](size_t text, unsigned operand) -> const Tensor & { return *of(text, operand); });
    bool isConstant = op.getNumOperands() > 0 && isa<DequantizeOp>(op);
    std::vector<Pointer> results(isConstant ? 1 : texts.size());
    tbb::parallel_for(size_t(0), results.size(), [&](size_t text) {
      SmallVector<Pointer> operands;
      for (unsigned i = 0; i < op.getNumOperands(); ++i)
        operands.push_back(of(text, i));
      results[text] = evaluate(op, operands, texts[text].size());
    });
    values[op.getResult(0)] = std::move(results);
    for (Value operand : op.getOperands())
      if (--readers[operand] == 0)
        values.erase(operand);
  }
  throw std::runtime_error("expected a graph that ends in nstf.return");
}
