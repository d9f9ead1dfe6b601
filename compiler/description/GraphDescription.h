// What a YAML file says about a graph.
//
// One format (README.md, graph.schema.json) serves graphs a user writes and the architectures of templates/models. This
// is the file as read: names and expressions; GraphExpansion.h gives it numbers.
#pragma once

#include "compiler/description/Expression.h"
#include "support/InputError.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nstf::description {

/// A number the rest of the file is written in.
struct ParameterDescription {
  std::string name;
  support::Place place;
  std::string about; // for people
  /// Where it is looked for, the first that is there and not null wins; none: it is `value`.
  std::vector<std::string> keys;
  /// A tensor, instead of keys: whether the checkpoint has it.
  std::string tensor;
  /// "integer", "float", "boolean", "text", "integers", "texts" or "rope".
  std::string type;
  /// The value, or with keys the default. Nothing: the source must have it.
  std::optional<Expression> value;
  std::optional<Expression> minimum, maximum;
  std::vector<Expression> oneOf;
  /// Whether a key that is null is the value null, and not as good as absent.
  bool nullable = false;
  /// Tensors: true becomes false where the checkpoint has two of them that differ.
  std::vector<std::string> unlessDiffer;
};

struct CheckDescription {
  support::Place place;
  Expression condition;
  std::string message; // with {expressions}; empty: "expected <condition>"
};

/// Types that a tensor of a graph may have: an input's is any of them, a weight's or a state's one that is stored.
enum class TensorKind { Input, Stored };
bool isTensorType(std::string_view type, TensorKind kind);
/// "f32, f16, bf16 or i32"
std::string describeTensorTypes(TensorKind kind);

/// An input, weight or state.
struct TensorDescription {
  std::string name;
  support::Place place;
  std::string type;                // or "{expression}"
  std::string about;               // inputs: for people
  std::vector<Expression> shape;   // "tokens" is an expression of its own: the rows of a step
  std::string order;               // inputs and states: "rows", "keys", "values" or "{expression}"; empty: rows
  std::optional<Expression> heads; // of keys and values
  std::optional<Expression> when;
  /// Weights: its names in the checkpoint where that isn't `name`; the first that is there counts.
  std::vector<std::string> tensors;
  /// Weights: the shape in the checkpoint, where the tensor there is another or has a part for this one.
  std::vector<Expression> stored;
  struct Slice {
    support::Place place;
    Expression axis, from, count;
  };
  std::optional<Slice> slice; // of what is stored
  bool transposed = false;    // what is stored, or the slice of it
};

/// `a | b`: the first that exists; with `| none` at the end, nothing when none does.
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
  std::vector<std::string> results; // names of an operation's results where it has several, in the place of the node's
  /// A list is several expressions, a scalar one.
  struct Attribute {
    std::string name;
    support::Place place;
    std::vector<Expression> values;
    bool isList;
  };
  std::vector<Attribute> attributes;
  std::optional<Expression> when;
};

/// Weights, states and nodes that see each other.
struct SectionDescription {
  std::vector<TensorDescription> weights, states;
  std::vector<NodeDescription> nodes;
};

/// A section that stands `count` times, each time with its own names.
struct RepeatDescription : SectionDescription {
  std::string name;
  support::Place place;
  Expression count;
  std::string variable;
  std::string prefix; // of weights and nodes, with {expressions}
  /// A value handed from one time to the next: `first` outside, then `next` of the time before.
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
  std::string about; // for people
  /// Names in config.json's "architectures" that this file describes; empty for a graph.
  std::vector<std::string> architectures;
  /// What the names of tensors may also lack in a checkpoint ("model."); empty for none.
  std::string optionalPrefix;
  /// Keys the source must not have (absent or null), with the reason.
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

/// Reads `text`; `file` is its name in messages. Throws support::InputError with the line of the fault: not YAML, an
/// unknown or repeated key, a missing one, a value of the wrong form, an expression that isn't one.
GraphDescription readGraphDescription(const std::string &text, const std::string &file);

/// The keys the reader knows, by the place they stand at ("document", "parameter", "tensor", "node", …). A test holds
/// graph.schema.json against them.
const std::map<std::string, std::vector<std::string>> &knownKeys();

} // namespace nstf::description
