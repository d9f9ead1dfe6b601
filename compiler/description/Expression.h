// Small expressions over a model's parameters.
//
// What YAML files say instead of numbers: `heads * head_size`, `not tied`, `1.0 / sqrt(head_size)`.
//
//   choice  := or ['?' choice ':' choice]
//   or      := and ('or' and)*            and := not ('and' not)*            not := 'not' not | compare
//   compare := sum [('==' | '!=' | '<' | '<=' | '>' | '>=') sum]
//   sum     := product (('+' | '-') product)*       product := unary (('*' | '/' | '%') unary)*      unary := '-' unary
//   | atom atom    := number | 'text' | true | false | null | name | function '(' choice, … ')' | '(' choice ')'
//
// Whole numbers are 64-bit and never wrap: an overflow is an error, and so is `/` with a remainder. A whole number and
// a float give a float. `and`, `or` and `?:` don't evaluate what they don't need. Functions: int(x) towards zero,
// float(x), sqrt(x), min(a, b), max(a, b), length(list), item(list, index),
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

/// Anything a source of parameters holds that is no value of ours (an object, a list of texts): kept for messages.
struct OpaqueValue {
  std::string text;
};

/// What an expression is made of and gives. std::monostate is null: a key that is absent.
using ParameterValue = std::variant<std::monostate, bool, int64_t, double, std::string, std::vector<int64_t>,
                                    std::vector<double>, std::vector<std::string>, RopeScaling, OpaqueValue>;

/// "64", "'silu'", "[1, 2]", …: a value in a message.
std::string describe(const ParameterValue &value);
/// "a whole number", "a text", …
std::string kindOf(const ParameterValue &value);

/// Gives the value of a name, or nullptr when there is none of that name.
using Scope = std::function<const ParameterValue *(const std::string &name)>;

class Expression {
public:
  struct Node;

  /// The constant null.
  Expression();
  /// Parses. Throws support::InputError (without a place) that says what was expected where.
  explicit Expression(const std::string &text);

  const std::string &text() const { return source; }

  /// Throws support::InputError (without a place): unknown name, wrong kind, overflow, inexact division.
  ParameterValue evaluate(const Scope &scope) const;
  int64_t evaluateInteger(const Scope &scope) const;
  bool evaluateCondition(const Scope &scope) const;

private:
  std::string source;
  std::shared_ptr<const Node> root;
};

/// Replaces every `{expression}` in `pattern` by its value (whole numbers and texts): "model.layers.{layer}.".
std::string interpolate(const std::string &pattern, const Scope &scope);

} // namespace nstf::description
