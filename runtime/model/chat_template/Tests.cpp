#include "runtime/model/chat_template/Tests.h"
#include "runtime/model/chat_template/Casing.h"
#include "runtime/model/chat_template/Filters.h"
#include "runtime/model/chat_template/Functions.h"
#include "runtime/model/chat_template/Iterate.h"
#include "runtime/model/chat_template/Operators.h"
#include "runtime/model/chat_template/Print.h"

#include <algorithm>

namespace nstf::runtime::jinja {

namespace {

/// A test of the value's kind alone.
template <bool (*Holds)(const Value &)>
bool testKind(Context &context, const Value &value, const Arguments &arguments) {
  Bound(context, "this test", arguments, {});
  return Holds(value);
}

bool isDefined(const Value &value) { return !value.isUndefined(); }
bool isUndefined(const Value &value) { return value.isUndefined(); }
bool isNone(const Value &value) { return value.is(Kind::None); }
bool isBoolean(const Value &value) { return value.is(Kind::Boolean); }
bool isTrueItself(const Value &value) { return value.is(Kind::Boolean) && value.getBoolean(); }
bool isFalseItself(const Value &value) { return value.is(Kind::Boolean) && !value.getBoolean(); }
bool isIntegerItself(const Value &value) { return value.is(Kind::Integer); }
bool isFloat(const Value &value) { return value.is(Kind::Float); }
bool isNumber(const Value &value) { return value.isNumber(); }
bool isString(const Value &value) { return value.isText(); }
bool isMapping(const Value &value) { return value.is(Kind::Dict); }
bool isEscaped(const Value &value) { return value.isMarkup(); }
bool isCallable(const Value &value) {
  return value.is(Kind::Macro) || value.is(Kind::Function) || value.is(Kind::Method) || value.is(Kind::Joiner) ||
         value.is(Kind::Loop) || value.isUndefined();
}
bool isSequence(const Value &value) {
  return value.isText() || value.isSequence() || value.is(Kind::Dict) || value.is(Kind::Range) || value.isUndefined();
}

template <bool (*Holds)(std::string_view)>
bool testCase(Context &context, const Value &value, const Arguments &arguments) {
  Bound(context, "this test", arguments, {});
  return Holds(toText(context, value));
}

bool hasRest(Context &context, const Value &value, const Value &divisor, int64_t rest) {
  return isEqual(context, applyBinary(context, "%", value, divisor), Value::integer(rest));
}

bool testOdd(Context &context, const Value &value, const Arguments &arguments) {
  Bound(context, "odd", arguments, {});
  return hasRest(context, value, Value::integer(2), 1);
}
bool testEven(Context &context, const Value &value, const Arguments &arguments) {
  Bound(context, "even", arguments, {});
  return hasRest(context, value, Value::integer(2), 0);
}
bool testDivisibleBy(Context &context, const Value &value, const Arguments &arguments) {
  return hasRest(context, value, Bound(context, "divisibleby", arguments, {"num"}, 1).get(0), 0);
}
bool testSameAs(Context &context, const Value &value, const Arguments &arguments) {
  return value.isSame(Bound(context, "sameas", arguments, {"other"}, 1).get(0));
}
bool testIn(Context &context, const Value &value, const Arguments &arguments) {
  return contains(context, Bound(context, "in", arguments, {"seq"}, 1).get(0), value);
}
bool testFilter(Context &context, const Value &value, const Arguments &arguments) {
  Bound(context, "filter", arguments, {});
  checkKey(context, value);
  return value.isText() && findFilter(value.getText());
}
bool testTest(Context &context, const Value &value, const Arguments &arguments) {
  Bound(context, "test", arguments, {});
  checkKey(context, value);
  return value.isText() && findTest(value.getText());
}
bool testIterable(Context &context, const Value &value, const Arguments &arguments) {
  Bound(context, "iterable", arguments, {});
  return isIterable(value);
}

enum class Order { Equal, NotEqual, Less, LessOrEqual, Greater, GreaterOrEqual };
template <Order order> bool testOrder(Context &context, const Value &value, const Arguments &arguments) {
  static constexpr std::string_view names[] = {"==", "!=", "<", "<=", ">", ">="};
  const std::string_view name = names[static_cast<size_t>(order)];
  return applyCompare(context, name, value, Bound(context, name, arguments, {"other"}, 1, false).get(0));
}

const Test tests[] = {
    {"defined", testKind<isDefined>},
    {"undefined", testKind<isUndefined>},
    {"none", testKind<isNone>},
    {"boolean", testKind<isBoolean>},
    {"true", testKind<isTrueItself>},
    {"false", testKind<isFalseItself>},
    {"integer", testKind<isIntegerItself>},
    {"float", testKind<isFloat>},
    {"number", testKind<isNumber>},
    {"string", testKind<isString>},
    {"mapping", testKind<isMapping>},
    {"sequence", testKind<isSequence>},
    {"callable", testKind<isCallable>},
    {"escaped", testKind<isEscaped>},
    {"iterable", testIterable},
    {"lower", testCase<isLower>},
    {"upper", testCase<isUpper>},
    {"odd", testOdd},
    {"even", testEven},
    {"divisibleby", testDivisibleBy},
    {"sameas", testSameAs},
    {"in", testIn},
    {"filter", testFilter},
    {"test", testTest},
    {"==", testOrder<Order::Equal>},
    {"eq", testOrder<Order::Equal>},
    {"equalto", testOrder<Order::Equal>},
    {"!=", testOrder<Order::NotEqual>},
    {"ne", testOrder<Order::NotEqual>},
    {"<", testOrder<Order::Less>},
    {"lt", testOrder<Order::Less>},
    {"lessthan", testOrder<Order::Less>},
    {"<=", testOrder<Order::LessOrEqual>},
    {"le", testOrder<Order::LessOrEqual>},
    {">", testOrder<Order::Greater>},
    {"gt", testOrder<Order::Greater>},
    {"greaterthan", testOrder<Order::Greater>},
    {">=", testOrder<Order::GreaterOrEqual>},
    {"ge", testOrder<Order::GreaterOrEqual>},
};

} // namespace

const Test *findTest(std::string_view name) {
  const auto found =
      std::find_if(std::begin(tests), std::end(tests), [&](const Test &test) { return test.name == name; });
  return found == std::end(tests) ? nullptr : found;
}

std::vector<std::string> testNames() {
  std::vector<std::string> names;
  for (const Test &test : tests)
    names.emplace_back(test.name);
  return names;
}

} // namespace nstf::runtime::jinja
