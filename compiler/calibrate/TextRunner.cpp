#include "compiler/calibrate/TextRunner.h"

#include "compiler/reference/Operations.h"
#include "compiler/reference/TensorCode.h"
#include "passes/nstf/FormedGraph.h"
#include "support/Progress.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"

#include <stdexcept>
#include <tbb/parallel_for.h>

using namespace mlir;
using namespace nstf;
using namespace nstf::calibrate;
using namespace nstf::reference;
using Pointer = std::shared_ptr<const Tensor>;

static std::optional<unsigned> findOutput(GraphOp graph, StringRef name) {
  for (unsigned i = 0; i < graph.getFunctionType().getNumResults(); ++i)
    if (graph.getOutputName(i) == name)
      return i;
  return std::nullopt;
}

bool nstf::calibrate::isLanguageModel(ModuleOp module) {
  FailureOr<GraphOp> graph = getGraph(module);
  return succeeded(graph) && findOutput(*graph, "logits");
}

TextRunner::TextRunner(ModuleOp module, ReadWeight readWeight) : readWeight(std::move(readWeight)), module(module) {
  FailureOr<GraphOp> found = getGraph(module);
  if (failed(found))
    throw std::runtime_error("expected a module with one graph");
  graph = *found;
  unsigned inputs = graph.getFunctionType().getNumInputs();
  if (inputs == 0 || inputs > 2 || graph.getInputName(0) != "ids" ||
      (inputs == 2 && graph.getInputName(1) != "token_types"))
    throw std::runtime_error("expected a language model or an encoder, whose input is 'ids', but got another graph");
  std::optional<unsigned> result = findOutput(graph, "logits");
  if (!result)
    result = findOutput(graph, "embedding");
  if (!result)
    throw std::runtime_error(
        "expected a language model or an encoder, with an output 'logits' or 'embedding', but got another graph");
  output = *result;
}

/// Evaluates one operation on one text. A cache consists of the text's rows, since the text begins at position 0. Every
/// row has logits.
static std::vector<Pointer> evaluate(Operation &op, ArrayRef<Pointer> operands, int64_t tokens) {
  if (isa<LastRowOp, KvAppendOp>(op))
    return {operands[0]};
  auto share = [](std::vector<Tensor> tensors) {
    std::vector<Pointer> pointers;
    for (Tensor &tensor : tensors)
      pointers.push_back(std::make_shared<Tensor>(std::move(tensor)));
    return pointers;
  };
  StepScalars step{tokens, /*position=*/0};
  if (isTensorOperation(&op)) {
    auto lookup = [&](Value value) -> const Tensor & {
      for (OpOperand &operand : op.getOpOperands())
        if (operand.get() == value)
          return *operands[operand.getOperandNumber()];
      throw std::runtime_error("expected operations that read their operands only");
    };
    return share(evaluateTensorOperation(&op, lookup, step));
  }
  std::vector<const Tensor *> tensors;
  for (const Pointer &operand : operands)
    tensors.push_back(operand.get());
  return share(evaluateOperation(&op, tensors, step));
}

/// A run that is stopped before an operation. A copy continues independently; the tensors are shared.
class TextRunner::Run {
public:
  Run(const TextRunner &runner, const Texts &texts) : runner(runner), texts(texts) {
    Block &block = runner.graph->getRegion(0).front();
    at = block.begin();
    for (Operation &op : block)
      for (Value operand : op.getOperands())
        ++readers[operand];
    for (BlockArgument input : block.getArguments())
      for (const std::vector<int32_t> &text : texts)
        values[input].push_back(
            std::make_shared<Tensor>(std::vector<int64_t>{int64_t(text.size())},
                                     input.getArgNumber() == 0 ? text : std::vector<int32_t>(text.size(), 0)));
  }

  Operation &getNext() const { return *at; }
  bool isDone() const { return isa<ReturnOp>(*at); }

  std::vector<Tensor> getOutputs() const {
    std::vector<Tensor> result;
    for (const Pointer &text : values.at(at->getOperand(runner.output)))
      result.push_back(*text);
    return result;
  }

  const Tensor &getOperand(size_t text, unsigned operand) const { return *find(text, operand, nullptr); }

  /// Runs the next operation. `matrix` replaces a linear's matrix; null: its own.
  void step(const Pointer &matrix) {
    Operation &op = *at;
    if (auto get = dyn_cast<GetOp>(op)) {
      auto weight = ModuleOp(runner.module).lookupSymbol<WeightOp>(get.getSymbol());
      values[get.getResult()] = {weight ? runner.readWeight(weight) : nullptr}; // states are empty: nothing reads them
      ++at;
      return;
    }
    bool isConstant = op.getNumOperands() > 0 && isa<DequantizeOp>(op);
    std::vector<std::vector<Pointer>> results(op.getNumResults(), std::vector<Pointer>(isConstant ? 1 : texts.size()));
    tbb::parallel_for(size_t(0), results.front().size(), [&](size_t text) {
      SmallVector<Pointer> operands;
      for (unsigned i = 0; i < op.getNumOperands(); ++i)
        operands.push_back(find(text, i, matrix));
      std::vector<Pointer> made = evaluate(op, operands, texts[text].size());
      for (size_t i = 0; i < results.size(); ++i)
        results[i][text] = std::move(made[i]);
    });
    for (auto [value, result] : llvm::zip_equal(op.getResults(), results))
      values[value] = std::move(result);
    for (Value operand : op.getOperands())
      if (--readers[operand] == 0)
        values.erase(operand);
    ++at;
  }

private:
  const Pointer &find(size_t text, unsigned operand, const Pointer &matrix) const {
    if (matrix && operand == 1)
      return matrix;
    const std::vector<Pointer> &pointers = values.at(at->getOperand(operand));
    return pointers[pointers.size() == 1 ? 0 : text];
  }

  const TextRunner &runner;
  const Texts &texts;
  Block::iterator at;
  DenseMap<Value, std::vector<Pointer>> values; // by text; a weight or state has one tensor for all texts
  DenseMap<Value, int64_t> readers;
};

std::vector<Tensor> TextRunner::run(const Texts &texts, const Observer &observer, const ReplaceMatrix &replace) {
  Run run(*this, texts);
  Block &block = graph.getBody().front();
  support::Progress progress("running the reference", "operations", std::distance(block.begin(), block.end()));
  for (; !run.isDone(); progress.add()) {
    Operation &op = run.getNext();
    if (observer && !isa<GetOp>(op))
      observer(&op, [&](size_t text, unsigned operand) -> const Tensor & { return run.getOperand(text, operand); });
    auto linear = dyn_cast<LinearOp>(op);
    run.step(replace && linear ? replace(linear) : nullptr);
  }
  return run.getOutputs();
}

std::vector<Tensor> TextRunner::runBranches(const Texts &texts, const GetBranches &getBranches,
                                            const OnBranch &onBranch) {
  Run run(*this, texts);
  for (; !run.isDone(); run.step(nullptr))
    if (auto linear = dyn_cast<LinearOp>(run.getNext()))
      for (const auto &[i, replace] : llvm::enumerate(getBranches(linear))) {
        Run branch = run;
        while (!branch.isDone()) {
          auto next = dyn_cast<LinearOp>(branch.getNext());
          branch.step(next ? replace(next) : nullptr);
        }
        onBranch(linear, i, branch.getOutputs());
      }
  return run.getOutputs();
}

runtime::Divergence nstf::calibrate::compareLogits(const Texts &texts, const std::vector<Tensor> &logits,
                                                   const std::vector<Tensor> &compared, ArrayRef<size_t> first) {
  runtime::DivergenceSum sum;
  for (size_t text = 0; text < texts.size(); ++text)
    for (size_t row = first.empty() ? 0 : first[text]; row < texts[text].size(); ++row) {
      auto get = [&](const Tensor &tensor) {
        return std::span(tensor.data() + row * tensor.values.cols(), size_t(tensor.values.cols()));
      };
      sum.add(get(logits[text]), get(compared[text]),
              row + 1 < texts[text].size() ? std::optional(texts[text][row + 1]) : std::nullopt);
    }
  return sum.get();
}
