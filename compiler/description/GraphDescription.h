// A graph description as read from a YAML file.
//
// One format (docs/graphs.md, graph.schema.json) serves the user's graphs and the architectures of templates/models.
// These structures hold names and expressions; GraphExpansion.h evaluates them.
#pragma once

#include "compiler/description/Expression.h"
#include "support/InputError.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nstf::description {

/// A named value that expressions in the rest of the file use.
struct ParameterDescription {
  std::string name;
  support::Place place;
  std::string about; // description for users
  /// Keys of the source, of which the first that is present and not null is used; none: the parameter is `value`.
  std::vector<std::string> keys;
  /// Instead of keys: a tensor; the parameter is whether the checkpoint has it.
  std::string tensor;
  /// "integer", "float", "boolean", "text", "integers", "texts" or "rope".
  std::string type;
  /// The value or, with keys, the default. Nothing: the source must have a key.
  std::optional<Expression> value;
  std::optional<Expression> minimum, maximum;
  std::vector<Expression> oneOf;
  /// Whether a null key gives the value null; otherwise it counts as absent.
  bool nullable = false;
  /// Tensors: the value true becomes false if the checkpoint has two of them with different bytes.
  std::vector<std::string> unlessDiffer;
};

struct CheckDescription {
  support::Place place;
  Expression condition;
  std::string message; // with {expressions}; empty: "expected <condition>"
};

/// The types of a graph's tensors: inputs may have any of them, weights and states only stored ones.
enum class TensorKind { Input, Stored };
bool isTensorType(std::string_view type, TensorKind kind);
/// "f32, f16, bf16 or i32"
std::string describeTensorTypes(TensorKind kind);

/// An input, weight or state.
struct TensorDescription {
  std::string name;
  support::Place place;
  std::string type;                // or "{expression}"
  std::string about;               // inputs: description for users
  std::vector<Expression> shape;   // "tokens" is a whole expression: the rows of a step
  std::string order;               // inputs and states: "rows", "keys", "values" or "{expression}"; empty: rows
  std::optional<Expression> heads; // for keys and values
  std::optional<Expression> when;
  /// Weights: the names in the checkpoint if they differ from `name`; the first that exists is used.
  std::vector<std::string> tensors;
  /// Weights: the shape in the checkpoint if it differs, or if this weight is a part of that tensor.
  std::vector<Expression> stored;
  struct Slice {
    support::Place place;
    Expression axis, from, count;
  };
  std::optional<Slice> slice; // of the stored tensor
  bool transposed = false;    // the stored tensor, or its slice, is transposed
};

/// `a | b`: the first one that exists. With `| none` at the end, nothing if none exists.
struct OperandDescription {
  support::Place place;
  std::vector<std::string> alternatives;
  bool optional = false;
};

struct NodeDescription {
  std::string name;
  support::Place place;
  std::string op;
  std::vector<OperandDescription> operands;
  std::vector<std::string> results; // names of several results, which replace the node's name
  /// A list has several expressions, a scalar one.
  struct Attribute {
    std::string name;
    support::Place place;
    std::vector<Expression> values;
    bool isList;
  };
  std::vector<Attribute> attributes;
  std::optional<Expression> when;
};

/// Weights, states and nodes with a common scope.
struct SectionDescription {
  std::vector<TensorDescription> weights, states;
  std::vector<NodeDescription> nodes;
};

/// A section that is repeated `count` times, each time with its own names.
struct RepeatDescription : SectionDescription {
  std::string name;
  support::Place place;
  Expression count;
  std::string variable;
  std::string prefix; // of weights and nodes, with {expressions}
  /// A value carried from one repetition to the next: `first` in the first one, then `next` of the one before.
  struct Carry {
    std::string name;
    support::Place place;
    OperandDescription first, next;
  };
  std::vector<Carry> carries;
};

struct GraphDescription : SectionDescription {
  std::string file;
  std::string name;
  std::string about; // description for users
  /// The names in config.json's "architectures" that this file describes; empty for a user's graph.
  std::vector<std::string> architectures;
  /// A prefix that the tensors' names may lack in a checkpoint ("model."); empty: none.
  std::string optionalPrefix;
  /// Keys that the source must not have (they must be absent or null), with the reason.
  std::vector<std::pair<std::string, std::string>> refused;
  std::vector<ParameterDescription> parameters;
  std::vector<CheckDescription> checks;
  std::optional<Expression> context;
  support::Place contextPlace;
  std::optional<std::string> checkpoint;
  std::vector<std::pair<std::string, Expression>> model;
  std::vector<TensorDescription> inputs;
  std::vector<RepeatDescription> repeats;
  struct Output {
    std::string name;
    OperandDescription value;
  };
  std::vector<Output> outputs;
};

/// Reads `text`; `file` is its name in messages. Throws support::InputError with the line of the error: invalid YAML,
/// an unknown, repeated or missing key, a value of the wrong form, or an invalid expression.
GraphDescription readGraphDescription(const std::string &text, const std::string &file);

/// The keys that the reader knows, by their context ("document", "parameter", "tensor", "node", …). A test compares
/// graph.schema.json with them.
const std::map<std::string, std::vector<std::string>> &knownKeys();

} // namespace nstf::description
