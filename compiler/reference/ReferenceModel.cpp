// Runs a module in float64 on the CPU.

#include "compiler/reference/ReferenceModel.h"

#include "compiler/reference/TensorCode.h"
#include "compiler/reference/WeightReader.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"

#include <set>
#include <stdexcept>

using namespace mlir;
using namespace nstf;
using namespace nstf::reference;
using Pointer = std::shared_ptr<Tensor>;

// Blocks of operations

namespace {

/// Runs the body of a graph or kernel. Values are shared, not copied: a cache that is passed to a kernel is the state
/// itself.
class Interpreter {
public:
  using Values = std::vector<TwinValue>;

  StepScalars step;
  std::function<TwinValue(GetOp)> get;
  ReferenceModel::Observer observer;
  /// Tensors that kv_append writes in place; it copies any other.
  std::set<const Tensor *> writable;
  Twin *twin = nullptr;
  /// The step whose kernel has the body; null for a graph.
  StepOp launch = {};

  Values run(Block &block, const Values &arguments) {
    llvm::DenseMap<Value, TwinValue> values;
    for (auto [argument, value] : llvm::zip_equal(block.getArguments(), arguments))
      values[argument] = value;
    auto operandsOf = [&](Operation &op) {
      Values operands;
      for (Value operand : op.getOperands())
        operands.push_back(values.at(operand));
      return operands;
    };
    for (Operation &op : block) {
      Values results;
      if (isa<ReturnOp>(op))
        return operandsOf(op);
      if (auto weight = dyn_cast<GetOp>(op))
        results = {get(weight)};
      else if (auto step = dyn_cast<StepOp>(op))
        results = runKernel(step, operandsOf(op));
      else
        results = evaluate(op, operandsOf(op), values);
      for (auto [result, value] : llvm::zip_equal(op.getResults(), results))
        values[result] = value;
      if (observer && !isa<GetOp>(op)) {
        std::vector<const Tensor *> seen;
        for (const TwinValue &result : results)
          seen.push_back(result.exact.get());
        observer(&op, seen);
      }
    }
    throw std::runtime_error("expected a block that ends in nstf.return");
  }

private:
  Values runKernel(StepOp launch, const Values &operands) {
    auto kernel = SymbolTable::lookupNearestSymbolFrom<KernelOp>(launch, launch.getKernelAttr());
    if (!kernel)
      throw std::runtime_error("no kernel '" + launch.getKernel().str() + "'");
    Interpreter inner{step, {}, {}, writable, twin, launch};
    return inner.run(kernel.getBody().front(), operands);
  }

  Values evaluate(Operation &op, const Values &operands, const llvm::DenseMap<Value, TwinValue> &values) {
    Values results;
    for (Pointer &exact : evaluateIn(&TwinValue::exact, op, operands, values))
      results.push_back({exact, exact});
    if (!twin || Twin::isShared(&op, operands))
      return results;
    for (auto [result, off] : llvm::zip_equal(results, evaluateIn(&TwinValue::off, op, operands, values)))
      result.off = off;
    twin->finish(&op, operands, results, launch, step);
    return results;
  }

  /// The results of one of the two runs, exact or off.
  std::vector<Pointer> evaluateIn(Pointer TwinValue::*run, Operation &op, const Values &operands,
                                  const llvm::DenseMap<Value, TwinValue> &values) {
    if (isTensorOperation(&op))
      return share(
          evaluateTensorOperation(&op, [&](Value value) -> const Tensor & { return *(values.at(value).*run); }, step));
    try {
      if (isa<KvAppendOp>(op) && writable.count((operands[1].*run).get())) {
        appendRows(*(operands[0].*run), step, *(operands[1].*run));
        return {operands[1].*run};
      }
      std::vector<const Tensor *> tensors;
      for (const TwinValue &operand : operands)
        tensors.push_back((operand.*run).get());
      return share(evaluateOperation(&op, tensors, step));
    } catch (const std::runtime_error &error) {
      std::string where;
      if (auto name = dyn_cast<NameLoc>(op.getLoc()))
        where = "'" + name.getName().str() + "': ";
      throw std::runtime_error(where + error.what());
    }
  }

  static std::vector<Pointer> share(std::vector<Tensor> tensors) {
    std::vector<Pointer> pointers;
    for (Tensor &tensor : tensors)
      pointers.push_back(std::make_shared<Tensor>(std::move(tensor)));
    return pointers;
  }
};

} // namespace

std::vector<Tensor> nstf::reference::evaluateKernel(KernelOp kernel, std::vector<Tensor> &arguments, StepScalars step) {
  Interpreter interpreter{step, {}, {}, {}};
  Interpreter::Values values;
  for (Tensor &argument : arguments) {
    auto pointer = std::make_shared<Tensor>(std::move(argument));
    values.push_back({pointer, pointer});
    // Readers of a cache use kv_append's result, so every argument may be written in place.
    interpreter.writable.insert(pointer.get());
  }
  std::vector<Tensor> results;
  for (const TwinValue &result : interpreter.run(kernel.getBody().front(), values))
    results.push_back(*result.exact);
  for (auto [argument, value] : llvm::zip_equal(arguments, values))
    argument = std::move(*value.exact);
  return results;
}

// Models

ReferenceModel::ReferenceModel(ModuleOp module, ReferenceOptions options)
    : module(module), reader(std::make_unique<WeightReader>(options.randomSeed)) {
  auto graphs = module.getOps<GraphOp>();
  if (graphs.empty())
    throw std::runtime_error("expected a module with an nstf.graph");
  graph = *graphs.begin();
  reset();
}

ReferenceModel::~ReferenceModel() = default;

void ReferenceModel::reset() {
  states.clear();
  for (StateOp state : module.getOps<StateOp>()) {
    Tensor zeros(std::vector<int64_t>(cast<RankedTensorType>(state.getType()).getShape()));
    states[state.getSymName().str()].exact = std::make_shared<Tensor>(std::move(zeros));
  }
}

const TwinValue &ReferenceModel::find(const std::string &name) const {
  auto found = states.find(name);
  if (found == states.end())
    throw std::runtime_error("no state '" + name + "'");
  return found->second;
}

const Tensor &ReferenceModel::state(const std::string &name) const { return *find(name).exact; }
RowBounds ReferenceModel::stateBounds(const std::string &name) const { return find(name).getBounds(); }

static std::string describe(const std::vector<int64_t> &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

void ReferenceModel::setState(const std::string &name, Tensor value) {
  if (state(name).shape != value.shape)
    throw std::runtime_error("state '" + name + "': expected shape " + ::describe(state(name).shape) + " but got " +
                             ::describe(value.shape));
  states.at(name) = {std::make_shared<Tensor>(std::move(value)), {}, {}};
}

TwinValue ReferenceModel::get(GetOp op) {
  std::string name = op.getSymbol().str();
  if (auto state = states.find(name); state != states.end())
    return state->second;
  Pointer &weight = weights[name];
  if (!weight)
    weight = reader->read(SymbolTable::lookupNearestSymbolFrom<WeightOp>(op, op.getSymbolAttr()));
  return {weight, weight, {}};
}

ReferenceModel::Tensors ReferenceModel::run(const Tensors &inputs, int64_t tokens, int64_t position,
                                            const Observer &observer) {
  for (auto &[name, state] : states)
    state.off = nullptr;
  Tensors outputs;
  for (auto &[name, value] : runGraph(inputs, tokens, position, observer, nullptr))
    outputs[name] = *value.exact;
  return outputs;
}

std::map<std::string, TwinValue> ReferenceModel::runBeside(const Tensors &inputs, int64_t tokens, int64_t position,
                                                           const MadeRows &made) {
  for (auto &[name, state] : states)
    if (!state.off) {
      state.off = std::make_shared<Tensor>(*state.exact);
      state.bounds = std::make_shared<RowBounds>(RowBounds::Zero(state.exact->values.rows()));
    }
  Twin twin(signs, made);
  return runGraph(inputs, tokens, position, {}, &twin);
}

std::map<std::string, TwinValue> ReferenceModel::runGraph(const Tensors &inputs, int64_t tokens, int64_t position,
                                                          const Observer &observer, Twin *twin) {
  int64_t context = graph.getContextAttr().getInt();
  if (tokens < 1 || position < 0 || tokens > context - position)
    throw std::runtime_error("expected 1 or more tokens within a context of " + std::to_string(context) + " but got " +
                             std::to_string(tokens) + " at position " + std::to_string(position));
  Interpreter::Values arguments;
  for (BlockArgument argument : graph.getBody().getArguments()) {
    std::string name = graph.getInputName(argument.getArgNumber()).str();
    auto input = inputs.find(name);
    if (input == inputs.end())
      throw std::runtime_error("input '" + name + "' is missing");
    std::vector<int64_t> shape(cast<RankedTensorType>(argument.getType()).getShape());
    for (int64_t &extent : shape)
      extent = ShapedType::isDynamic(extent) ? tokens : extent;
    if (input->second.shape != shape)
      throw std::runtime_error("input '" + name + "': expected shape " + ::describe(shape) + " but got " +
                               ::describe(input->second.shape));
    auto pointer = std::make_shared<Tensor>(input->second);
    arguments.push_back({pointer, pointer});
  }
  Interpreter interpreter{{tokens, position}, [this](GetOp op) { return get(op); }, observer, {}, twin};
  for (const auto &[name, state] : states)
    interpreter.writable.insert({state.exact.get(), state.off.get()});
  std::map<std::string, TwinValue> outputs;
  for (auto [i, result] : llvm::enumerate(interpreter.run(graph.getBody().front(), arguments)))
    outputs[graph.getOutputName(i).str()] = result;
  return outputs;
}

std::vector<double> ReferenceModel::runIds(const std::vector<int32_t> &ids, int64_t position,
                                           const Observer &observer) {
  int64_t tokens = ids.size();
  Tensors outputs = run({{"ids", Tensor({tokens}, ids)}}, tokens, position, observer);
  auto logits = outputs.find("logits");
  if (logits == outputs.end())
    throw std::runtime_error("expected a graph with an output 'logits'");
  return {logits->second.data(), logits->second.data() + logits->second.size()};
}
