// Execution of statements.
#include "runtime/model/chat_template/Evaluator.h"
#include "runtime/model/chat_template/Functions.h"
#include "runtime/model/chat_template/Operators.h"
#include "runtime/model/chat_template/Print.h"

#include <utility>

namespace nstf::runtime::jinja {

std::string Evaluator::run(const Scope &variables) {
  std::string text;
  out = &text;
  executePart(parsed.block, context.make<Scope>(&variables));
  return text;
}

Value Evaluator::capture(const Block &block, Scope &scope, Next *next) {
  std::string text;
  std::string *outer = std::exchange(out, &text);
  const Next then = executePart(block, scope);
  out = outer;
  if (next)
    *next = then;
  return context.text(text);
}

void Evaluator::print(const Value &value) {
  const std::string_view text = toText(context, value);
  context.checkText(out->size() + text.size());
  context.stepBytes(text.size());
  *out += text;
}

Evaluator::Next Evaluator::execute(const Block &block, Scope &scope) {
  for (const Statement &statement : block.statements)
    if (const Next next = execute(statement, scope); next != Next::Statement)
      return next;
  return Next::Statement;
}

Evaluator::Next Evaluator::executePart(const Block &block, Scope &scope) {
  for (std::string_view name : parsed.unset[block.part])
    scope.set(context, name, Value());
  return execute(block, scope);
}

Evaluator::Next Evaluator::execute(const Statement &statement, Scope &scope) {
  Context::Level level(context);
  context.step();
  context.at = statement.at;
  switch (statement.kind) {
  case Statement::Text:
    print(Value::text(statement.text));
    break;
  case Statement::Print:
    for (const ExpressionPtr &expression : statement.expressions) {
      const Value value = evaluate(*expression, scope);
      context.at = expression->at;
      print(value);
    }
    break;
  case Statement::If:
    return executeIf(statement, scope);
  case Statement::For:
    executeFor(statement, scope, evaluate(*statement.expressions[0], scope), 0);
    break;
  case Statement::Set:
    assign(statement.targets[0], evaluate(*statement.expressions[0], scope), scope);
    break;
  case Statement::Macro:
    scope.set(context, statement.macro.name,
              Value::object(Kind::Macro, &context.make<Macro>(statement.macro, statement.blocks[0], scope)));
    break;
  case Statement::CallBlock: {
    const Value caller = Value::object(Kind::Macro, &context.make<Macro>(statement.macro, statement.blocks[0], scope));
    print(evaluateCall(*statement.expressions[0], scope, &caller));
    break;
  }
  case Statement::SetBlock:
  case Statement::With:
  case Statement::FilterBlock:
  case Statement::Scope:
    return executeInside(statement, statement.blocks[0], scope);
  case Statement::Break:
    return Next::Break;
  case Statement::Continue:
    return Next::Continue;
  }
  return Next::Statement;
}

Evaluator::Next Evaluator::executeIf(const Statement &statement, Scope &scope) {
  for (const Branch &branch : statement.branches)
    if (!branch.condition || isTrue(context, evaluate(*branch.condition, scope)))
      return execute(branch.block, scope);
  return Next::Statement;
}

/// Runs a block with a scope of its own.
Evaluator::Next Evaluator::executeInside(const Statement &statement, const Block &block, Scope &scope) {
  Scope &inner = context.make<Scope>(&scope);
  if (statement.kind == Statement::Scope)
    return executePart(block, inner);
  if (statement.kind == Statement::With) {
    for (size_t i = 0; i < statement.targets.size(); ++i)
      assign(statement.targets[i], evaluate(*statement.expressions[i], scope), inner);
    return executePart(block, inner);
  }
  Next next = Next::Statement;
  Value text = capture(block, inner, &next);
  if (next != Next::Statement)
    return next;
  if (const ExpressionPtr &filter = statement.expressions[0])
    text = evaluateFiltered(*filter, inner, &text);
  context.at = statement.at;
  if (statement.kind == Statement::SetBlock)
    assign(statement.targets[0], text, scope);
  else
    print(text);
  return Next::Statement;
}

Value Evaluator::selectElements(const Statement &statement, Scope &scope, const Value &elements) {
  Scope &inner = context.make<Scope>(&scope);
  return makeIterator(
      context, [this, &statement, &inner, &source = iterate(context, elements)](Context &context, Value &element) {
        while (source.next(context, element)) {
          inner.names.clear();
          assign(statement.targets[0], element, inner);
          if (isTrue(context, evaluate(*statement.condition, inner)))
            return true;
        }
        return false;
      });
}

void Evaluator::executeFor(const Statement &statement, Scope &scope, const Value &value, int depth) {
  context.at = statement.expressions[0]->at;
  const Value elements = statement.condition ? selectElements(statement, scope, value) : value;
  const bool known = !elements.is(Kind::Iterator);
  Iterator &source = iterate(context, elements);
  Loop &loop = context.make<Loop>(source, known ? std::optional(getLength(context, elements)) : std::nullopt, depth);
  if (statement.recursive)
    loop.recurse = [this, &statement, &scope, depth](Context &context, const Value &children) {
      std::string text;
      std::string *outer = std::exchange(out, &text);
      executeFor(statement, scope, children, depth + 1);
      out = outer;
      return context.text(text);
    };
  Scope &inner = context.make<Scope>(&scope);
  // As in jinja2, the else is skipped only if the body reached its end.
  bool finished = false;
  for (Value element; loop.next(context, element);) {
    context.step();
    inner.names.clear();
    inner.set(context, "loop", Value::object(Kind::Loop, &loop));
    context.at = statement.at;
    assign(statement.targets[0], element, inner);
    const Next next = executePart(statement.blocks[0], inner);
    if (next == Next::Break)
      break;
    finished |= next == Next::Statement;
  }
  if (!finished && statement.blocks.size() > 1)
    executePart(statement.blocks[1], context.make<Scope>(&scope));
}

void Evaluator::assign(const Target &target, const Value &value, Scope &scope) {
  context.at = target.at;
  if (target.kind == Target::Name)
    return scope.set(context, target.name, value);
  if (target.kind == Target::Member) {
    const Value *space = scope.find(context, target.name);
    if (!space || !space->is(Kind::Namespace))
      context.fail("expected a namespace to assign to but got " +
                   std::string(space ? describe(*space) : "an undefined value"));
    return space->get<Namespace>().set(context, target.member, value);
  }
  const std::vector<Value> parts = collect(context, value);
  if (parts.size() != target.parts.size())
    context.fail("expected " + std::to_string(target.parts.size()) + " values to assign but got " +
                 std::to_string(parts.size()));
  for (size_t i = 0; i < parts.size(); ++i)
    assign(target.parts[i], parts[i], scope);
}

} // namespace nstf::runtime::jinja
