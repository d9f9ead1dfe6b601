// Evaluates small expressions over a model's parameters.

#include "compiler/description/ExpressionNodes.h"
#include "compiler/description/Rope.h"
#include "support/Escape.h"
#include "support/InputError.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

using namespace nstf;
using namespace nstf::description;

static std::string describeNumber(double value) {
  char buffer[32];
  return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

template <typename T, typename Describe>
static std::string describeList(const std::vector<T> &list, Describe describeOne) {
  std::string text = "[";
  for (size_t i = 0; i < list.size(); ++i)
    text += (i ? ", " : "") + describeOne(list[i]);
  return text + "]";
}

std::string nstf::description::describe(const ParameterValue &value) {
  struct Visitor {
    std::string operator()(std::monostate) { return "null"; }
    std::string operator()(bool b) { return b ? "true" : "false"; }
    std::string operator()(int64_t i) { return std::to_string(i); }
    std::string operator()(double d) { return describeNumber(d); }
    std::string operator()(const std::string &text) { return "'" + text + "'"; }
    std::string operator()(const std::vector<int64_t> &list) {
      return describeList(list, [](int64_t i) { return std::to_string(i); });
    }
    std::string operator()(const std::vector<double> &list) { return describeList(list, describeNumber); }
    std::string operator()(const std::vector<std::string> &list) {
      return describeList(list, [](const std::string &text) { return "'" + text + "'"; });
    }
    std::string operator()(const RopeScaling &scaling) {
      return "rope of type '" + std::string(RopeScaling::kindNames[scaling.kind]) + "'";
    }
    std::string operator()(const OpaqueValue &opaque) { return opaque.text; }
  };
  return support::escape(std::visit(Visitor(), value));
}

std::string nstf::description::getKind(const ParameterValue &value) {
  static const char *const kinds[] = {"null",   "true or false",           "a whole number",    "a number",
                                      "a text", "a list of whole numbers", "a list of numbers", "a list of texts",
                                      "a rope", "something else"};
  return kinds[value.index()];
}

static std::optional<double> toFloat(const ParameterValue &value) {
  if (const int64_t *integer = std::get_if<int64_t>(&value))
    return static_cast<double>(*integer);
  if (const double *number = std::get_if<double>(&value))
    return *number;
  return std::nullopt;
}

static double getNumber(const ParameterValue &value) {
  if (auto number = toFloat(value))
    return *number;
  throw support::InputError("expected a number but got " + describe(value));
}

static bool conditionOf(const ParameterValue &value) {
  if (const bool *condition = std::get_if<bool>(&value))
    return *condition;
  throw support::InputError("expected true or false but got " + describe(value));
}

static ParameterValue arithmetic(Operator op, const ParameterValue &left, const ParameterValue &right) {
  const int64_t *a = std::get_if<int64_t>(&left), *b = std::get_if<int64_t>(&right);
  if (!a || !b) {
    double x = getNumber(left), y = getNumber(right);
    switch (op) {
    case Operator::add:
      return x + y;
    case Operator::subtract:
      return x - y;
    case Operator::multiply:
      return x * y;
    case Operator::divide:
      return x / y;
    default:
      return std::fmod(x, y);
    }
  }
  int64_t result = 0;
  bool overflow = false;
  switch (op) {
  case Operator::add:
    overflow = __builtin_add_overflow(*a, *b, &result);
    break;
  case Operator::subtract:
    overflow = __builtin_sub_overflow(*a, *b, &result);
    break;
  case Operator::multiply:
    overflow = __builtin_mul_overflow(*a, *b, &result);
    break;
  default:
    if (*b == 0)
      throw support::InputError("division of " + std::to_string(*a) + " by zero");
    if (*b == -1) { // INT64_MIN / -1 traps
      overflow = __builtin_sub_overflow(int64_t{0}, *a, &result);
      if (op == Operator::remainder)
        return int64_t{0};
      break;
    }
    if (op == Operator::remainder)
      return *a % *b;
    if (*a % *b != 0)
      throw support::InputError(std::to_string(*a) + " / " + std::to_string(*b) + " is not a whole number");
    result = *a / *b;
  }
  if (overflow)
    throw support::InputError("a result doesn't fit in 64 bits");
  return result;
}

static bool compare(Operator op, const ParameterValue &left, const ParameterValue &right) {
  auto a = toFloat(left), b = toFloat(right);
  if (op == Operator::equal || op == Operator::notEqual) {
    bool equal = describe(left) == describe(right) && left.index() == right.index();
    if (a && b)
      equal = *a == *b;
    return equal == (op == Operator::equal);
  }
  double x = getNumber(left), y = getNumber(right);
  switch (op) {
  case Operator::less:
    return x < y;
  case Operator::lessEqual:
    return x <= y;
  case Operator::greater:
    return x > y;
  default:
    return x >= y;
  }
}

// Functions

static ParameterValue toInteger(const std::vector<ParameterValue> &a) {
  double number = std::trunc(getNumber(a[0]));
  if (!(std::abs(number) < 0x1p53))
    throw support::InputError("expected int() of less than 2^53 but got " + describe(a[0]));
  return static_cast<int64_t>(number);
}

static ParameterValue squareRoot(const std::vector<ParameterValue> &a) {
  double number = getNumber(a[0]);
  if (number < 0)
    throw support::InputError("expected sqrt() of at least 0 but got " + describe(a[0]));
  return std::sqrt(number);
}

static const RopeScaling &ropeOf(const ParameterValue &value) {
  if (const auto *scaling = std::get_if<RopeScaling>(&value))
    return *scaling;
  throw support::InputError("expected a parameter of type rope but got " + describe(value));
}

static ParameterValue ropeFrequencyList(const std::vector<ParameterValue> &a) {
  const int64_t *rotary = std::get_if<int64_t>(&a[0]);
  if (!rotary)
    throw support::InputError("expected the rotary dimension to be a whole number but got " + describe(a[0]));
  if (a.size() == 2)
    return ropeFrequencies(*rotary, getNumber(a[1]));
  return ropeFrequencies(*rotary, getNumber(a[1]), ropeOf(a[2]), getNumber(a[3]), getNumber(a[4]));
}

/// Calls `use` with the list in `value`.
template <typename Use> static ParameterValue withList(const ParameterValue &value, Use use) {
  if (const auto *list = std::get_if<std::vector<int64_t>>(&value))
    return use(*list);
  if (const auto *list = std::get_if<std::vector<double>>(&value))
    return use(*list);
  if (const auto *list = std::get_if<std::vector<std::string>>(&value))
    return use(*list);
  throw support::InputError("expected a list but got " + describe(value));
}

static ParameterValue itemOf(const std::vector<ParameterValue> &a) {
  return withList(a[0], [&](const auto &list) -> ParameterValue {
    const int64_t *index = std::get_if<int64_t>(&a[1]);
    if (!index || *index < 0 || static_cast<size_t>(*index) >= list.size())
      throw support::InputError("expected an index below " + std::to_string(list.size()) + " but got " +
                                describe(a[1]));
    return list[*index];
  });
}

static ParameterValue call(const std::string &name, const std::vector<ParameterValue> &arguments) {
  struct Function {
    const char *name;
    size_t arguments;
    ParameterValue (*body)(const std::vector<ParameterValue> &);
  };
  static const Function functions[] = {
      {"int", 1, toInteger},
      {"float", 1, [](const std::vector<ParameterValue> &a) -> ParameterValue { return getNumber(a[0]); }},
      {"sqrt", 1, squareRoot},
      {"min", 2,
       [](const std::vector<ParameterValue> &a) -> ParameterValue {
         return compare(Operator::less, a[1], a[0]) ? a[1] : a[0];
       }},
      {"max", 2,
       [](const std::vector<ParameterValue> &a) -> ParameterValue {
         return compare(Operator::less, a[0], a[1]) ? a[1] : a[0];
       }},
      {"length", 1,
       [](const std::vector<ParameterValue> &a) {
         return withList(a[0], [](const auto &list) -> ParameterValue { return static_cast<int64_t>(list.size()); });
       }},
      {"item", 2, itemOf},
      {"rope_frequencies", 2, ropeFrequencyList},
      {"rope_frequencies", 5, ropeFrequencyList},
      {"rope_positions", 2,
       [](const std::vector<ParameterValue> &a) -> ParameterValue {
         if (const int64_t *positions = std::get_if<int64_t>(&a[1]))
           return ropePositions(ropeOf(a[0]), *positions);
         throw support::InputError("expected the positions to be a whole number but got " + describe(a[1]));
       }},
      {"rope_scale", 2,
       [](const std::vector<ParameterValue> &a) -> ParameterValue { return ropeScale(ropeOf(a[0]), getNumber(a[1])); }},
  };
  std::string known, wanted;
  for (const Function &function : functions) {
    if (known.find(function.name) == std::string::npos)
      known += (known.empty() ? "" : ", ") + std::string(function.name);
    if (name != function.name)
      continue;
    if (arguments.size() == function.arguments)
      return function.body(arguments);
    wanted += (wanted.empty() ? "" : " or ") + std::to_string(function.arguments);
  }
  if (!wanted.empty())
    throw support::InputError("expected " + wanted + " arguments of " + name + " but got " +
                              std::to_string(arguments.size()));
  throw support::InputError("unknown function '" + support::escape(name) + "' (known: " + known + ")");
}

ParameterValue nstf::description::evaluate(const Expression::Node &node, const Scope &scope) {
  auto operand = [&](size_t i) { return evaluate(*node.operands[i], scope); };
  switch (node.op) {
  case Operator::constant:
    return node.value;
  case Operator::name:
    if (const ParameterValue *value = scope(node.name))
      return *value;
    throw support::InputError("unknown name '" + support::escape(node.name) + "'");
  case Operator::call: {
    std::vector<ParameterValue> arguments;
    for (size_t i = 0; i < node.operands.size(); ++i)
      arguments.push_back(operand(i));
    return call(node.name, arguments);
  }
  case Operator::choice:
    return conditionOf(operand(0)) ? operand(1) : operand(2);
  case Operator::logicalOr:
    return conditionOf(operand(0)) || conditionOf(operand(1));
  case Operator::logicalAnd:
    return conditionOf(operand(0)) && conditionOf(operand(1));
  case Operator::logicalNot:
    return !conditionOf(operand(0));
  case Operator::negate: {
    ParameterValue value = operand(0);
    return std::holds_alternative<int64_t>(value) ? arithmetic(Operator::subtract, int64_t{0}, value)
                                                  : ParameterValue(-getNumber(value));
  }
  case Operator::add:
  case Operator::subtract:
  case Operator::multiply:
  case Operator::divide:
  case Operator::remainder:
    return arithmetic(node.op, operand(0), operand(1));
  default:
    return compare(node.op, operand(0), operand(1));
  }
}
