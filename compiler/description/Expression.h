// Small expressions over a model's parameters.
//
// YAML files contain them instead of numbers: `heads * head_size`, `not tied`, `1.0 / sqrt(head_size)`.
//
//   choice  := or ['?' choice ':' choice]
//   or      := and ('or' and)*
//   and     := not ('and' not)*
//   not     := 'not' not | compare
//   compare := sum [('==' | '!=' | '<' | '<=' | '>' | '>=') sum]
//   sum     := product (('+' | '-') product)*
//   product := unary (('*' | '/' | '%') unary)*
//   unary   := '-' unary | atom
//   atom    := number | 'text' | true | false | null | name | function '(' choice, … ')' | '(' choice ')'
//
// Whole numbers are 64-bit and never wrap: an overflow is an error, and so is `/` with a remainder. An operation on a
// whole number and a float gives a float. `and`, `or` and `?:` evaluate only the operands that they need. Functions:
// int(x) towards zero, float(x), sqrt(x), min(a, b), max(a, b), length(list), item(list, index),
// rope_frequencies(rotary dimension, theta[, rope, positions of the model, context compiled]), rope_scale(rope,
// positions of the model), rope_positions(rope, positions of the model); `rope` is a parameter of that type (Rope.h).
#pragma once

#include "compiler/description/Rope.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace nstf::description {

/// A value of a parameter source that has no other type here (an object, a list of texts), kept as text for messages.
struct OpaqueValue {
  std::string text;
};

/// The operands and the result of an expression. std::monostate is null, the value of an absent key.
using ParameterValue = std::variant<std::monostate, bool, int64_t, double, std::string, std::vector<int64_t>,
                                    std::vector<double>, std::vector<std::string>, RopeScaling, OpaqueValue>;

/// A value for a message: "64", "'silu'", "[1, 2]", …
std::string describe(const ParameterValue &value);
/// The kind of a value for a message: "a whole number", "a text", …
std::string getKind(const ParameterValue &value);

/// Returns the value of a name, or nullptr for an unknown name.
using Scope = std::function<const ParameterValue *(const std::string &name)>;

class Expression {
public:
  struct Node;

  /// The constant null.
  Expression();
  /// Parses a text. Throws support::InputError (without a place) that says what was expected where.
  explicit Expression(const std::string &text);

  const std::string &text() const { return source; }

  /// Throws support::InputError (without a place) for an unknown name, a wrong kind, an overflow or an inexact
  /// division.
  ParameterValue evaluate(const Scope &scope) const;
  int64_t evaluateInteger(const Scope &scope) const;
  bool evaluateCondition(const Scope &scope) const;

private:
  std::string source;
  std::shared_ptr<const Node> root;
};

/// Replaces each `{expression}` in `pattern` by its value (whole numbers and texts): "model.layers.{layer}.".
std::string interpolate(const std::string &pattern, const Scope &scope);

} // namespace nstf::description
