// Arguments, functions and macros.
#include "runtime/model/chat_template/Evaluator.h"
#include "runtime/model/chat_template/Functions.h"
#include "runtime/model/chat_template/Methods.h"
#include "runtime/model/chat_template/Operators.h"
#include "support/Escape.h"

#include <algorithm>
#include <utility>

namespace nstf::runtime::jinja {

Arguments Evaluator::evaluateArguments(const std::vector<Argument> &arguments, Scope &scope) {
  Arguments result;
  auto addKeyword = [&](std::string_view name, const Value &value) {
    for (const auto &[known, other] : result.keywords)
      if (known == name)
        context.fail("expected the argument '" + support::escape(name, 60) + "' once but got it twice");
    context.step(result.keywords.size() + 1);
    result.keywords.emplace_back(name, value);
  };
  for (const Argument &argument : arguments) {
    const Value value = evaluate(*argument.value, scope);
    context.at = argument.value->at;
    if (argument.form == Argument::Positional)
      result.positional.push_back(value);
    else if (argument.form == Argument::Keyword)
      addKeyword(argument.name, value);
    else if (argument.form == Argument::Star)
      for (const Value &element : collect(context, value))
        result.positional.push_back(element);
    else {
      if (!value.is(Kind::Dict))
        context.fail("expected a dict behind '**' but got " + std::string(describe(value)));
      for (const Entry &entry : value.getEntries()) {
        if (!entry.key.isText())
          context.fail("expected names behind '**' but got " + std::string(describe(entry.key)));
        addKeyword(entry.key.getText(), entry.value);
      }
    }
  }
  return result;
}

Value Evaluator::evaluateCall(const Expression &expression, Scope &scope, const Value *caller) {
  const Value callee = evaluate(*expression.parts[0], scope);
  Arguments arguments = evaluateArguments(expression.arguments, scope);
  context.at = expression.at;
  if (caller)
    arguments.keywords.emplace_back("caller", *caller);
  return call(callee, arguments);
}

Value Evaluator::call(const Value &callee, const Arguments &arguments) {
  switch (callee.kind()) {
  case Kind::Macro:
    return callMacro(callee.get<Macro>(), arguments);
  case Kind::Function:
    return callee.get<Function>().apply(context, arguments);
  case Kind::Method:
    return callee.get<BoundMethod>().call(context, arguments);
  case Kind::Joiner: {
    Bound(context, "joiner", arguments, {});
    Joiner &joiner = callee.get<Joiner>();
    return std::exchange(joiner.used, true) ? joiner.separator : Value::text("");
  }
  case Kind::Loop: {
    const Value children = Bound(context, "loop", arguments, {"iterable"}, 1).get(0);
    Loop &loop = callee.get<Loop>();
    if (!loop.recurse)
      context.fail("expected a for marked as 'recursive' for a call of 'loop'");
    return loop.recurse(context, children);
  }
  case Kind::Undefined:
    context.fail(describeUndefined(callee));
  default:
    context.fail("expected a function to call but got " + std::string(describe(callee)));
  }
}

Value Evaluator::callMacro(const Macro &macro, const Arguments &arguments) {
  const MacroBody &body = *macro.body;
  const std::string name = body.name.empty() ? "the caller" : "the macro '" + std::string(body.name) + "'";
  Scope &scope = context.make<Scope>(macro.scope);
  std::vector<std::pair<std::string_view, Value>> rest = arguments.keywords;
  auto takeKeyword = [&](std::string_view key) -> std::optional<Value> {
    const auto found =
        std::find_if(rest.begin(), rest.end(), [&](const auto &keyword) { return keyword.first == key; });
    if (found == rest.end())
      return std::nullopt;
    const Value value = found->second;
    rest.erase(found);
    return value;
  };
  const size_t given = arguments.positional.size(), count = body.parameters.size();
  std::vector<const Parameter *> missing;
  for (size_t i = 0; i < count; ++i) {
    const Parameter &parameter = body.parameters[i];
    const std::optional<Value> value = i < given ? std::optional(arguments.positional[i]) : takeKeyword(parameter.name);
    if (value)
      scope.set(context, parameter.name, *value);
    else {
      missing.push_back(&parameter);
      scope.set(context, parameter.name,
                context.undefined("the parameter '" + std::string(parameter.name) + "' was not given"));
    }
  }
  if (body.takesCaller)
    scope.set(context, "caller", takeKeyword("caller").value_or(context.undefined("no caller was given")));
  if (body.takesKeywords) {
    std::vector<Entry> entries;
    for (const auto &[key, value] : rest)
      entries.push_back({Value::text(key), value});
    scope.set(context, "kwargs", context.dict(entries));
  } else if (!rest.empty()) {
    context.fail("expected no argument '" + support::escape(rest[0].first, 60) + "' of " + name);
  }
  if (body.takesPositional)
    scope.set(context, "varargs",
              context.sequence(Kind::Tuple, std::span(arguments.positional).subspan(std::min(given, count))));
  else if (given > count)
    context.fail("expected at most " + std::to_string(count) + " arguments of " + name + " but got " +
                 std::to_string(given));
  const Position at = context.at;
  for (const Parameter *parameter : missing)
    if (parameter->fallback)
      scope.set(context, parameter->name, evaluate(*parameter->fallback, scope));
  const Value text = capture(*macro.block, scope);
  context.at = at;
  return text;
}

} // namespace nstf::runtime::jinja
