// Evaluation of expressions.
#include "runtime/model/chat_template/Access.h"
#include "runtime/model/chat_template/Evaluator.h"
#include "runtime/model/chat_template/Filters.h"
#include "runtime/model/chat_template/Functions.h"
#include "runtime/model/chat_template/Operators.h"
#include "runtime/model/chat_template/Print.h"
#include "runtime/model/chat_template/Tests.h"

namespace nstf::runtime::jinja {

Value Evaluator::evaluate(const Expression &expression, Scope &scope) {
  Context::Level level(context);
  context.step();
  context.at = expression.at;
  // Evaluates an operand; errors after it are at this expression again.
  auto part = [&](size_t index) {
    const Value value = evaluate(*expression.parts[index], scope);
    context.at = expression.at;
    return value;
  };
  switch (expression.kind) {
  case Expression::Constant:
    return expression.constant;
  case Expression::Name:
    return evaluateName(expression, scope);
  case Expression::List:
  case Expression::Tuple:
    return evaluateSequence(expression, scope);
  case Expression::Dict:
    return evaluateDict(expression, scope);
  case Expression::Attribute:
    return getAttribute(context, part(0), expression.name);
  case Expression::Item: {
    const Value value = part(0);
    return getItem(context, value, part(1));
  }
  case Expression::Slice:
    return evaluateSlice(expression, scope);
  case Expression::Call:
    return evaluateCall(expression, scope);
  case Expression::Filtered:
    return evaluateFiltered(expression, scope);
  case Expression::Tested:
    return evaluateTested(expression, scope);
  case Expression::Not:
    return Value::boolean(!isTrue(context, part(0)));
  case Expression::Negative:
    return negate(context, part(0));
  case Expression::Positive:
    return affirm(context, part(0));
  case Expression::And:
  case Expression::Or:
    return evaluateLogic(expression, scope);
  case Expression::Binary: {
    const Value left = part(0);
    return applyBinary(context, expression.name, left, part(1));
  }
  case Expression::Concatenate:
    return evaluateConcatenate(expression, scope);
  case Expression::Compare:
    return evaluateCompare(expression, scope);
  case Expression::Condition:
    return evaluateCondition(expression, scope);
  }
  return {};
}

Value Evaluator::evaluateName(const Expression &expression, Scope &scope) {
  const Value *found = scope.find(context, expression.name);
  if (found && !(found->isUndefined() && !found->getCause())) // set later (Names.h)
    return *found;
  if (const Function *function = found ? nullptr : findFunction(expression.name))
    return Value::object(Kind::Function, const_cast<Function *>(function));
  return context.undefined("'" + std::string(expression.name) + "' is undefined");
}

Value Evaluator::evaluateSequence(const Expression &expression, Scope &scope) {
  std::vector<Value> items;
  for (const ExpressionPtr &part : expression.parts)
    items.push_back(evaluate(*part, scope));
  return context.sequence(expression.kind == Expression::List ? Kind::List : Kind::Tuple, items);
}

Value Evaluator::evaluateDict(const Expression &expression, Scope &scope) {
  std::vector<Entry> entries;
  for (size_t i = 0; i < expression.parts.size(); i += 2) {
    const Value key = evaluate(*expression.parts[i], scope), value = evaluate(*expression.parts[i + 1], scope);
    context.at = expression.parts[i]->at;
    if (const Value *found = find(context, entries, key))
      const_cast<Value &>(*found) = value; // the first key is kept with the last value
    else
      entries.push_back({key, value});
  }
  return context.dict(entries);
}

Value Evaluator::evaluateSlice(const Expression &expression, Scope &scope) {
  Value parts[4];
  for (size_t i = 0; i < std::size(parts); ++i)
    parts[i] = expression.parts[i] ? evaluate(*expression.parts[i], scope) : Value::none();
  context.at = expression.at;
  return getSlice(context, parts[0], parts[1], parts[2], parts[3]);
}

Value Evaluator::evaluateLogic(const Expression &expression, Scope &scope) {
  const Value left = evaluate(*expression.parts[0], scope);
  return isTrue(context, left) == (expression.kind == Expression::Or) ? left : evaluate(*expression.parts[1], scope);
}

Value Evaluator::evaluateCompare(const Expression &expression, Scope &scope) {
  Value left = evaluate(*expression.parts[0], scope);
  for (size_t i = 0; i < expression.operators.size(); ++i) {
    const Value right = evaluate(*expression.parts[i + 1], scope);
    context.at = expression.at;
    if (!applyCompare(context, expression.operators[i], left, right))
      return Value::boolean(false);
    left = right;
  }
  return Value::boolean(true);
}

Value Evaluator::evaluateConcatenate(const Expression &expression, Scope &scope) {
  TextBuilder text(context);
  for (const ExpressionPtr &part : expression.parts) {
    const Value value = evaluate(*part, scope);
    context.at = expression.at;
    text += toText(context, value);
  }
  return text.finish();
}

Value Evaluator::evaluateCondition(const Expression &expression, Scope &scope) {
  if (isTrue(context, evaluate(*expression.parts[1], scope)))
    return evaluate(*expression.parts[0], scope);
  if (expression.parts[2])
    return evaluate(*expression.parts[2], scope);
  return context.undefined("the condition of an 'if' without an 'else' is false");
}

Value Evaluator::evaluateTested(const Expression &expression, Scope &scope) {
  const Value value = evaluate(*expression.parts[0], scope);
  const Arguments arguments = evaluateArguments(expression.arguments, scope);
  context.at = expression.at;
  return Value::boolean(expression.test->apply(context, value, arguments));
}

Value Evaluator::evaluateFiltered(const Expression &expression, Scope &scope, const Value *text) {
  Context::Level level(context);
  const Expression *operand = expression.parts[0].get();
  // Only filters of a block end in a filter without an operand.
  const Value value = !operand ? *text : text ? evaluateFiltered(*operand, scope, text) : evaluate(*operand, scope);
  const Arguments arguments = evaluateArguments(expression.arguments, scope);
  context.at = expression.at;
  return expression.filter->apply(context, value, arguments);
}

} // namespace nstf::runtime::jinja
