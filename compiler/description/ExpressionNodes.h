// The tree of an expression, which only the parser (Expression.cpp) and the evaluation (Evaluate.cpp) use.
#pragma once

#include "compiler/description/Expression.h"

namespace nstf::description {

enum class Operator {
  constant,
  name,
  call,
  choice,
  logicalOr,
  logicalAnd,
  logicalNot,
  equal,
  notEqual,
  less,
  lessEqual,
  greater,
  greaterEqual,
  add,
  subtract,
  multiply,
  divide,
  remainder,
  negate
};

struct Expression::Node {
  Operator op;
  ParameterValue value; // of a constant
  std::string name;     // of a name or a call
  std::vector<std::shared_ptr<const Node>> operands;
};

/// Throws support::InputError without a place.
ParameterValue evaluate(const Expression::Node &node, const Scope &scope);

} // namespace nstf::description
