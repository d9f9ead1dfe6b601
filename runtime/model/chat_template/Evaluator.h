// Runs a template: Evaluate.cpp its expressions, Execute.cpp its statements, Call.cpp its calls.
#pragma once

#include "runtime/model/chat_template/Arguments.h"
#include "runtime/model/chat_template/Ast.h"
#include "runtime/model/chat_template/Loop.h"
#include "runtime/model/chat_template/Macro.h"

namespace nstf::runtime::jinja {

class Evaluator {
public:
  Evaluator(Context &context, const Template &parsed) : context(context), parsed(parsed) {}

  /// The output of the template. `variables` are the ones passed to it.
  std::string run(const Scope &variables);

private:
  enum class Next { Statement, Break, Continue };

  // Execute.cpp
  Next execute(const Block &block, Scope &scope);
  /// The same for a part with a scope of its own, which is `scope`.
  Next executePart(const Block &block, Scope &scope);
  Next execute(const Statement &statement, Scope &scope);
  Next executeIf(const Statement &statement, Scope &scope);
  void executeFor(const Statement &statement, Scope &scope, const Value &elements, int depth);
  Next executeInside(const Statement &statement, const Block &block, Scope &scope);
  void print(const Value &value);
  void assign(const Target &target, const Value &value, Scope &scope);
  /// The elements that satisfy the condition of a for.
  Value selectElements(const Statement &statement, Scope &scope, const Value &elements);

  // Evaluate.cpp
  Value evaluate(const Expression &expression, Scope &scope);
  Value evaluateName(const Expression &expression, Scope &scope);
  Value evaluateDict(const Expression &expression, Scope &scope);
  Value evaluateSequence(const Expression &expression, Scope &scope);
  Value evaluateSlice(const Expression &expression, Scope &scope);
  Value evaluateLogic(const Expression &expression, Scope &scope);
  Value evaluateCompare(const Expression &expression, Scope &scope);
  Value evaluateConcatenate(const Expression &expression, Scope &scope);
  Value evaluateCondition(const Expression &expression, Scope &scope);
  Value evaluateTested(const Expression &expression, Scope &scope);
  /// `text`: the block's text that a filter without an operand is applied to.
  Value evaluateFiltered(const Expression &expression, Scope &scope, const Value *text = nullptr);

  // Call.cpp
  Arguments evaluateArguments(const std::vector<Argument> &arguments, Scope &scope);
  Value evaluateCall(const Expression &expression, Scope &scope, const Value *caller = nullptr);
  Value call(const Value &callee, const Arguments &arguments);
  Value callMacro(const Macro &macro, const Arguments &arguments);

  /// The output of `block`, as a text.
  Value capture(const Block &block, Scope &scope, Next *next = nullptr);

  Context &context;
  const Template &parsed;
  std::string *out = nullptr;
};

} // namespace nstf::runtime::jinja
