// Expands a graph description: evaluates its expressions and resolves its names.
//
// 1. Declare: every scope (the file's own, and one for each repetition of a section) gets its names, in written order.
// 2. Resolve: an operand is looked up in its scope, then in the file's; carried values are followed to their sources.
// 3. Order: Kahn's algorithm, always taking the ready node that was written first; the remaining nodes contain a cycle.

#include "compiler/description/GraphExpansion.h"

#include "compiler/description/StoredPart.h"
#include "support/Escape.h"

#include <algorithm>
#include <queue>

using namespace nstf;
using namespace nstf::description;

namespace {

constexpr size_t maximumNodes = 1'000'000;
constexpr int64_t maximumCount = 10'000;

class Expansion {
public:
  Expansion(const GraphDescription &description, const Parameters &parameters)
      : description(description), parameters(parameters) {}

  ExpandedGraph run() {
    graph.file = description.file;
    graph.name = description.name;
    graph.optionalPrefix = description.optionalPrefix;
    Scope scope = getScope(parameters);
    for (const auto &[key, expression] : description.model)
      graph.model[key] = evaluate(expression, scope, description.contextPlace);
    graph.context =
        description.context ? integer(*description.context, scope, description.contextPlace, "the context") : 1;
    declare(scope);
    resolve();
    order();
    return std::move(graph);
  }

private:
  /// The meaning of a name in a scope. A carried value refers to another name in another scope.
  struct Meaning {
    enum Kind { value, carried, absent } kind = absent; // absent: declared, but its condition is false
    Reference reference{};
    const OperandDescription *target = nullptr;
    size_t targetScope = 0;
  };
  using Names = std::map<std::string, Meaning>;

  [[noreturn]] static void fail(const support::Place &place, const std::string &message) { place.error(message); }

  ParameterValue evaluate(const Expression &expression, const Scope &scope, const support::Place &place) {
    try {
      return expression.evaluate(scope);
    } catch (const support::InputError &error) {
      fail(place, error.message);
    }
  }

  int64_t integer(const Expression &expression, const Scope &scope, const support::Place &place,
                  const std::string &what, int64_t minimum = 1) {
    return evaluateInteger(expression, scope, place, what, minimum);
  }

  bool condition(const std::optional<Expression> &when, const Scope &scope, const support::Place &place) {
    if (!when)
      return true;
    try {
      return when->evaluateCondition(scope);
    } catch (const support::InputError &error) {
      fail(place, error.message);
    }
  }

  // 1. Declare

  void declare(size_t scope, const std::string &name, const support::Place &place, Meaning meaning) {
    bool taken = scope != 0 && scopes[0].count(name);
    if (taken || !scopes[scope].emplace(name, meaning).second)
      fail(place, "expected different names but '" + support::escape(name) + "' is used twice");
  }

  static Meaning getValue(Reference::Kind kind, size_t index, size_t result = 0) {
    return {Meaning::value, {kind, index, result}, nullptr, 0};
  }

  void declareTensors(size_t scope, const std::vector<TensorDescription> &tensors, Reference::Kind kind,
                      const std::string &prefix, const Scope &numbers, std::vector<ExpandedTensor> &result) {
    for (const TensorDescription &tensor : tensors) {
      if (!condition(tensor.when, numbers, tensor.place)) {
        declare(scope, tensor.name, tensor.place, Meaning());
        continue;
      }
      ExpandedTensor expanded{
          prefix + tensor.name, tensor.place, elementType(tensor, kind, numbers), {}, {}, {}, {}, false, {}};
      for (size_t i = 0; i < tensor.shape.size(); ++i)
        if (tensor.shape[i].text() == "tokens") {
          if (i != 0 || kind != Reference::input)
            fail(tensor.place,
                 "'" + support::escape(tensor.name) + "': expected 'tokens' as the first extent of an input only");
          expanded.shape.push_back(ExpandedTensor::tokens);
        } else {
          expanded.shape.push_back(
              integer(tensor.shape[i], numbers, tensor.place, "an extent of '" + support::escape(tensor.name) + "'"));
        }
      if (expanded.shape.empty())
        fail(tensor.place, "'" + support::escape(tensor.name) + "': expected a shape of at least one extent");
      for (const std::string &pattern : tensor.tensors)
        expanded.tensors.push_back(text(pattern, numbers, tensor.place));
      if (expanded.tensors.empty())
        expanded.tensors = {expanded.name};
      expanded.order = order(tensor, numbers, expanded.shape);
      if (kind == Reference::weight)
        locateStored(tensor, numbers, expanded);
      declare(scope, tensor.name, tensor.place, getValue(kind, result.size()));
      result.push_back(std::move(expanded));
    }
  }

  std::optional<support::OperandOrder> order(const TensorDescription &tensor, const Scope &numbers,
                                             const std::vector<int64_t> &shape) {
    std::string name = tensor.order.empty() ? "rows" : text(tensor.order, numbers, tensor.place);
    if (name == "rows")
      return std::nullopt;
    std::string what = "'" + support::escape(tensor.name) + "'";
    std::optional<support::OperandOrder::Operand> operand = support::operandFromName(name);
    if (!operand)
      fail(tensor.place,
           what + ": expected an order of rows, keys, values or scales but got '" + support::escape(name) + "'");
    int64_t heads = integer(*tensor.heads, numbers, tensor.place, "the heads of " + what);
    if (shape.size() != 2 || shape[0] == ExpandedTensor::tokens || shape[1] % heads != 0)
      fail(tensor.place, what + ": expected a matrix of fixed size whose columns are a multiple of " +
                             std::to_string(heads) + " heads for an order of " + name);
    if (*operand == support::OperandOrder::Operand::Scales && shape[1] != heads)
      fail(tensor.place, what + ": expected a column for each of " + std::to_string(heads) + " heads but got " +
                             std::to_string(shape[1]));
    return support::OperandOrder{*operand, heads};
  }

  std::string elementType(const TensorDescription &tensor, Reference::Kind kind, const Scope &numbers) {
    std::string type = text(tensor.type, numbers, tensor.place);
    TensorKind use = kind == Reference::input ? TensorKind::Input : TensorKind::Stored;
    if (!isTensorType(type, use))
      fail(tensor.place, "'" + support::escape(tensor.name) + "': expected a type of " + describeTensorTypes(use) +
                             " but got '" + support::escape(type) + "'");
    return type;
  }

  std::string text(const std::string &pattern, const Scope &numbers, const support::Place &place) {
    try {
      return interpolate(pattern, numbers);
    } catch (const support::InputError &error) {
      fail(place, error.message);
    }
  }

  void declareSection(size_t scope, const SectionDescription &section, const std::string &prefix,
                      const std::string &statePrefix, const Scope &numbers) {
    declareTensors(scope, section.weights, Reference::weight, prefix, numbers, graph.weights);
    declareTensors(scope, section.states, Reference::state, statePrefix, numbers, graph.states);
    for (const NodeDescription &node : section.nodes) {
      std::vector<std::string> results = node.results.empty() ? std::vector{node.name} : node.results;
      bool isThere = condition(node.when, numbers, node.place);
      for (size_t i = 0; i < results.size(); ++i)
        declare(scope, results[i], node.place, isThere ? getValue(Reference::node, graph.nodes.size(), i) : Meaning());
      if (!isThere)
        continue;
      if (graph.nodes.size() == maximumNodes)
        fail(node.place, "expected at most " + std::to_string(maximumNodes) + " nodes");
      ExpandedNode expanded{prefix + node.name, node.place, node.op, {}, results.size(), {}};
      for (const NodeDescription::Attribute &attribute : node.attributes)
        expanded.attributes.push_back({attribute.name, attribute.place, attributeValue(attribute, numbers)});
      graph.nodes.push_back(std::move(expanded));
      origins.push_back({&node, scope});
    }
  }

  ParameterValue attributeValue(const NodeDescription::Attribute &attribute, const Scope &numbers) {
    if (!attribute.isList)
      return evaluate(attribute.values[0], numbers, attribute.place);
    std::vector<int64_t> integers;
    std::vector<double> floats;
    for (const Expression &expression : attribute.values) {
      ParameterValue value = evaluate(expression, numbers, attribute.place);
      if (const int64_t *number = std::get_if<int64_t>(&value)) {
        integers.push_back(*number);
        floats.push_back(static_cast<double>(*number));
      } else if (const double *number = std::get_if<double>(&value)) {
        floats.push_back(*number);
      } else {
        fail(attribute.place, "attribute '" + support::escape(attribute.name) +
                                  "': expected a list of numbers but got " + describe(value) + " in it");
      }
    }
    return integers.size() == floats.size() ? ParameterValue(integers) : ParameterValue(floats);
  }

  void declare(const Scope &scope) {
    scopes.emplace_back();
    declareTensors(0, description.inputs, Reference::input, "", scope, graph.inputs);
    declareSection(0, description, "", "", scope);
    for (const RepeatDescription &repeat : description.repeats)
      declareRepeat(repeat);
    for (const ExpandedTensor &input : graph.inputs)
      if (input.shape[0] == ExpandedTensor::tokens && !description.context)
        fail(input.place, "input '" + support::escape(input.name) +
                              "' has 'tokens' rows: expected a key 'context' that says how many "
                              "at most");
  }

  void declareRepeat(const RepeatDescription &repeat) {
    Parameters inner = parameters;
    int64_t count =
        integer(repeat.count, getScope(inner), repeat.place, "the count of '" + support::escape(repeat.name) + "'", 0);
    if (count > maximumCount)
      fail(repeat.place, "expected the count of '" + support::escape(repeat.name) + "' to be at most " +
                             std::to_string(maximumCount) + " but got " + std::to_string(count));
    if (inner.count(repeat.variable))
      fail(repeat.place, "expected a variable that is no parameter but got '" + support::escape(repeat.variable) + "'");
    size_t last = 0;
    for (int64_t i = 0; i < count; ++i) {
      inner[repeat.variable] = i;
      Scope numbers = getScope(inner);
      size_t scope = scopes.size();
      scopes.emplace_back();
      for (const RepeatDescription::Carry &carry : repeat.carries)
        declare(scope, carry.name, carry.place,
                i == 0 ? Meaning{Meaning::carried, {}, &carry.first, 0}
                       : Meaning{Meaning::carried, {}, &carry.next, last});
      declareSection(scope, repeat, text(repeat.prefix, numbers, repeat.place),
                     repeat.name + "." + std::to_string(i) + ".", numbers);
      last = scope;
    }
    for (const RepeatDescription::Carry &carry : repeat.carries)
      declare(0, repeat.name + "." + carry.name, carry.place,
              count == 0 ? Meaning{Meaning::carried, {}, &carry.first, 0}
                         : Meaning{Meaning::carried, {}, &carry.next, last});
  }

  // 2. Resolve

  /// The value of an operand in a scope, or nothing if an optional operand is absent.
  std::optional<Reference> lookUp(const OperandDescription *operand, size_t scope) {
    // Each hop leads from one repetition to the one before it, so more hops than scopes mean a cycle.
    for (size_t hops = 0; hops <= scopes.size() + 1; ++hops) {
      const Meaning *meaning = nullptr;
      for (const std::string &name : operand->alternatives) {
        auto found = scopes[scope].find(name);
        if (found == scopes[scope].end()) {
          found = scopes[0].find(name);
          if (found == scopes[0].end())
            fail(operand->place, "unknown operand '" + support::escape(name) + "'");
        }
        if (found->second.kind != Meaning::absent) {
          meaning = &found->second;
          break;
        }
      }
      if (!meaning && operand->optional)
        return std::nullopt;
      if (!meaning)
        fail(operand->place,
             "operand '" + support::escape(operand->alternatives[0]) + "' isn't there: its condition is false");
      if (meaning->kind == Meaning::value)
        return meaning->reference;
      operand = meaning->target;
      scope = meaning->targetScope;
    }
    fail(operand->place,
         "cycle: the carried value '" + support::escape(operand->alternatives[0]) + "' leads back to itself");
  }

  void resolve() {
    for (size_t i = 0; i < graph.nodes.size(); ++i)
      for (const OperandDescription &operand : origins[i].description->operands)
        if (auto reference = lookUp(&operand, origins[i].scope))
          graph.nodes[i].operands.push_back(*reference);
    for (const GraphDescription::Output &output : description.outputs)
      if (auto reference = lookUp(&output.value, 0))
        graph.outputs.emplace_back(output.name, *reference);
  }

  // 3. Order

  void order() {
    size_t count = graph.nodes.size();
    std::vector<std::vector<size_t>> readers(count);
    std::vector<size_t> missing(count, 0);
    for (size_t i = 0; i < count; ++i)
      for (Reference operand : graph.nodes[i].operands)
        if (operand.kind == Reference::node) {
          readers[operand.index].push_back(i);
          ++missing[i];
        }
    std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
    for (size_t i = 0; i < count; ++i)
      if (missing[i] == 0)
        ready.push(i);
    std::vector<size_t> sequence;
    while (!ready.empty()) {
      size_t node = ready.top();
      ready.pop();
      sequence.push_back(node);
      for (size_t reader : readers[node])
        if (--missing[reader] == 0)
          ready.push(reader);
    }
    if (sequence.size() != count)
      reportCycle(missing);

    std::vector<size_t> newIndex(count);
    std::vector<ExpandedNode> sorted;
    for (size_t node : sequence) {
      newIndex[node] = sorted.size();
      sorted.push_back(std::move(graph.nodes[node]));
    }
    auto renumber = [&](Reference &reference) {
      if (reference.kind == Reference::node)
        reference.index = newIndex[reference.index];
    };
    for (ExpandedNode &node : sorted)
      std::for_each(node.operands.begin(), node.operands.end(), renumber);
    for (auto &[name, reference] : graph.outputs)
      renumber(reference);
    graph.nodes = std::move(sorted);
  }

  /// Each node that never became ready reads another such node, so following the operands finds a cycle.
  [[noreturn]] void reportCycle(const std::vector<size_t> &missing) {
    size_t node = std::find_if(missing.begin(), missing.end(), [](size_t n) { return n > 0; }) - missing.begin();
    std::vector<size_t> path;
    std::vector<bool> seen(missing.size(), false);
    while (!seen[node]) {
      seen[node] = true;
      path.push_back(node);
      for (Reference operand : graph.nodes[node].operands)
        if (operand.kind == Reference::node && missing[operand.index] > 0) {
          node = operand.index;
          break;
        }
    }
    path.erase(path.begin(), std::find(path.begin(), path.end(), node));
    std::string message = "cycle: '" + graph.nodes[path[0]].name + "'";
    for (size_t i = 1; i <= path.size() && i <= 8; ++i)
      message += " reads '" + graph.nodes[path[i % path.size()]].name + "', which";
    message = message.substr(0, message.size() - std::string(", which").size()) + (path.size() > 8 ? " …" : "");
    fail(graph.nodes[path[0]].place, message);
  }

  const GraphDescription &description;
  const Parameters &parameters;
  ExpandedGraph graph;
  struct Origin {
    const NodeDescription *description;
    size_t scope;
  };
  std::vector<Origin> origins; // of graph.nodes, before they are sorted
  std::vector<Names> scopes;   // [0] is the file's own
};

} // namespace

ExpandedGraph nstf::description::expandGraph(const GraphDescription &description, const Parameters &parameters) {
  return Expansion(description, parameters).run();
}
