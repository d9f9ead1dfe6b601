// Parses tags, and the targets of assignments.
#include "runtime/model/chat_template/Parser.h"
#include "support/Escape.h"

#include <algorithm>
#include <utility>

namespace nstf::runtime::jinja {

/// Parses up to the tag of one of `ends`, whose name is the next token; without `ends`, up to the template's end.
Block Parser::parseBlock(std::initializer_list<std::string_view> ends, const Token *opening) {
  Nested nested(*this);
  Block block;
  while (peek().type != Token::End) {
    const Token &token = take();
    Statement statement;
    statement.at = token.at;
    if (token.type == Token::Data) {
      statement.text = token.text;
    } else if (token.type == Token::PrintBegin) {
      statement.kind = Statement::Print;
      statement.expressions.push_back(parseTuple(true));
      expect(Token::PrintEnd, "'}}'");
    } else {
      if (std::any_of(ends.begin(), ends.end(), [&](std::string_view end) { return peek().isName(end); }))
        return block;
      statement = parseStatement();
      expect(Token::StatementEnd, "'%}'");
    }
    block.statements.push_back(std::move(statement));
  }
  if (opening)
    fail(peek().at, "expected '" + std::string(*(ends.end() - 1)) + "' for the '" + std::string(opening->text) +
                        "' of line " + std::to_string(opening->at.line) + " but got the end of the template");
  return block;
}

Block Parser::parseBody(std::initializer_list<std::string_view> ends, const Token &opening) {
  takeOperator(":");
  expect(Token::StatementEnd, "'%}'");
  return parseBlock(ends, &opening);
}

Block Parser::parsePart(std::initializer_list<std::string_view> ends, const Token &opening,
                        const std::vector<Target> &assigned) {
  const size_t part = names.enter();
  for (const Target &target : assigned)
    noteGiven(target);
  Block block = parseBody(ends, opening);
  names.leave();
  block.part = part;
  return block;
}

/// Notes the names that a for or a with assigns before its body, which therefore reads them.
void Parser::noteGiven(const Target &target) {
  if (target.kind == Target::Name)
    names.read(target.name);
  for (const Target &part : target.parts)
    noteGiven(part);
}

void Parser::noteTarget(const Target &target) {
  if (target.kind == Target::Name)
    names.set(target.name);
  else if (target.kind == Target::Member)
    names.read(target.name);
  for (const Target &part : target.parts)
    noteTarget(part);
}

Statement Parser::parseStatement() {
  static constexpr std::pair<std::string_view, Statement (Parser::*)()> tags[] = {
      {"if", &Parser::parseIf},
      {"for", &Parser::parseFor},
      {"set", &Parser::parseSet},
      {"with", &Parser::parseWith},
      {"macro", &Parser::parseMacro},
      {"call", &Parser::parseCallBlock},
      {"filter", &Parser::parseFilterBlock},
      {"print", &Parser::parsePrint},
      {"break", &Parser::parseLoopControl},
      {"continue", &Parser::parseLoopControl},
      {"generation", &Parser::parseGeneration},
  };
  const Token &tag = peek();
  if (tag.type != Token::Name)
    failExpected("a tag's name");
  for (const auto &[name, parse] : tags)
    if (tag.text == name) {
      Statement statement = (this->*parse)();
      statement.at = tag.at;
      return statement;
    }
  failTag(tag);
}

void Parser::failTag(const Token &tag) {
  for (std::string_view known : {"include", "import", "from", "extends", "block"})
    if (tag.text == known)
      fail(tag.at, "expected a template in one file but got the tag '" + std::string(known) + "', which takes another");
  if (tag.text == "autoescape")
    fail(tag.at, "the tag 'autoescape' is not supported");
  for (std::string_view known :
       {"else", "elif", "endif", "endfor", "endset", "endwith", "endmacro", "endcall", "endfilter", "endgeneration"})
    if (tag.text == known)
      fail(tag.at, "the tag '" + std::string(known) + "' closes nothing that is open here");
  fail(tag.at, "unknown tag '" + support::escape(tag.text, 60) + "'");
}

Statement Parser::parseIf() {
  const Token &opening = take();
  Statement statement;
  statement.kind = Statement::If;
  Branch branch;
  branch.condition = parseTuple(false);
  names.enterIf();
  while (true) {
    const bool isElse = !branch.condition;
    if (isElse)
      branch.block = parseBody({"endif"}, opening);
    else
      branch.block = parseBody({"elif", "else", "endif"}, opening);
    statement.branches.push_back(std::move(branch));
    branch = {};
    const Token &next = take();
    if (next.text == "endif") {
      names.leaveIf();
      return statement;
    }
    if (next.text == "elif")
      branch.condition = parseTuple(false);
  }
}

Statement Parser::parseFor() {
  const Token &opening = take();
  Statement statement;
  statement.kind = Statement::For;
  ++fors;
  statement.targets.push_back(parseTargets(false));
  expectName("in");
  statement.expressions.push_back(parseTuple(false));
  if (takeName("if")) {
    names.enter();
    noteGiven(statement.targets[0]);
    statement.condition = parseExpression();
    names.leave();
  }
  statement.recursive = takeName("recursive");
  ++loops;
  statement.blocks.push_back(parsePart({"else", "endfor"}, opening, statement.targets));
  --loops;
  if (take().text == "else") {
    statement.blocks.push_back(parsePart({"endfor"}, opening));
    take();
  }
  --fors;
  return statement;
}

Statement Parser::parseSet() {
  const Token &opening = take();
  Statement statement;
  statement.kind = Statement::Set;
  statement.targets.push_back(parseTargets(true));
  if (takeOperator("=")) {
    statement.expressions.push_back(parseTuple(true));
    noteTarget(statement.targets[0]);
    return statement;
  }
  noteTarget(statement.targets[0]);
  statement.kind = Statement::SetBlock;
  ExpressionPtr filter;
  while (takeOperator("|"))
    filter = parseFilter(std::move(filter));
  statement.expressions.push_back(std::move(filter));
  statement.blocks.push_back(parsePart({"endset"}, opening));
  take();
  return statement;
}

Statement Parser::parseWith() {
  const Token &opening = take();
  Statement statement;
  statement.kind = Statement::With;
  while (peek().type != Token::StatementEnd && !peek().isOperator(":")) {
    if (!statement.targets.empty())
      expectOperator(",");
    statement.targets.push_back(parseTargets(false));
    expectOperator("=");
    statement.expressions.push_back(parseExpression());
  }
  statement.blocks.push_back(parsePart({"endwith"}, opening, statement.targets));
  take();
  return statement;
}

Statement Parser::parsePrint() {
  take();
  Statement statement;
  statement.kind = Statement::Print;
  while (peek().type != Token::StatementEnd) {
    if (!statement.expressions.empty())
      expectOperator(",");
    statement.expressions.push_back(parseExpression());
  }
  return statement;
}

Statement Parser::parseLoopControl() {
  const Token &tag = take();
  if (!loops)
    fail(tag.at, "expected '" + std::string(tag.text) + "' inside a for");
  Statement statement;
  statement.kind = tag.text == "break" ? Statement::Break : Statement::Continue;
  return statement;
}

/// The part that transformers marks for training: ordinary text with a scope of its own.
Statement Parser::parseGeneration() {
  const Token &opening = take();
  Statement statement;
  statement.kind = Statement::Scope;
  MacroBody none;
  const size_t part = names.enter();
  statement.blocks.push_back(parseMacroBody(none, "endgeneration", opening));
  statement.blocks[0].part = part;
  names.leave();
  return statement;
}

Statement Parser::parseMacro() {
  const Token &opening = take();
  Statement statement;
  statement.kind = Statement::Macro;
  statement.macro.name = expectName().text;
  assigned.insert(statement.macro.name);
  names.set(statement.macro.name);
  const size_t part = names.enter();
  parseParameters(statement.macro);
  statement.blocks.push_back(parseMacroBody(statement.macro, "endmacro", opening));
  statement.blocks[0].part = part;
  names.leave();
  return statement;
}

Statement Parser::parseCallBlock() {
  const Token &opening = take();
  Statement statement;
  statement.kind = Statement::CallBlock;
  if (peek().isOperator("("))
    parseParameters(statement.macro);
  statement.expressions.push_back(parseExpression());
  if (statement.expressions[0]->kind != Expression::Call)
    fail(statement.expressions[0]->at, "expected a call of a macro");
  const size_t part = names.enter();
  for (const Parameter &parameter : statement.macro.parameters)
    names.read(parameter.name);
  statement.blocks.push_back(parseMacroBody(statement.macro, "endcall", opening));
  statement.blocks[0].part = part;
  names.leave();
  return statement;
}

Statement Parser::parseFilterBlock() {
  const Token &opening = take();
  Statement statement;
  statement.kind = Statement::FilterBlock;
  ExpressionPtr filter = parseFilter(nullptr);
  while (takeOperator("|"))
    filter = parseFilter(std::move(filter));
  statement.expressions.push_back(std::move(filter));
  statement.blocks.push_back(parsePart({"endfilter"}, opening));
  take();
  return statement;
}

void Parser::parseParameters(MacroBody &macro) {
  expectOperator("(");
  while (!peek().isOperator(")")) {
    if (!macro.parameters.empty())
      expectOperator(",");
    Parameter parameter;
    const Token &name = expectName();
    parameter.name = name.text;
    assigned.insert(name.text);
    names.read(name.text);
    if (takeOperator("="))
      parameter.fallback = parseExpression();
    else if (!macro.parameters.empty() && macro.parameters.back().fallback)
      fail(name.at, "expected a default for '" + std::string(name.text) + "', as the parameter before it has one");
    for (const Parameter &other : macro.parameters)
      if (other.name == name.text)
        fail(name.at, "expected parameters of different names but got '" + std::string(name.text) + "' twice");
    macro.parameters.push_back(std::move(parameter));
  }
  expectOperator(")");
}

Block Parser::parseMacroBody(MacroBody &macro, std::string_view end, const Token &opening) {
  const unsigned outerLoops = std::exchange(loops, 0);
  std::set<std::string_view> outer = std::exchange(loaded, {});
  Block block = parseBody({end}, opening);
  take();
  auto uses = [&](std::string_view name) {
    return loaded.count(name) && std::none_of(macro.parameters.begin(), macro.parameters.end(),
                                              [&](const Parameter &parameter) { return parameter.name == name; });
  };
  macro.takesKeywords = uses("kwargs");
  macro.takesPositional = uses("varargs");
  macro.takesCaller = uses("caller");
  outer.insert(loaded.begin(), loaded.end());
  loaded = std::move(outer);
  loops = outerLoops;
  return block;
}

Target Parser::parseSingleTarget(bool namespaces) {
  Target target;
  target.at = peek().at;
  if (takeOperator("(")) {
    target = parseTargets(namespaces);
    expectOperator(")");
    return target;
  }
  static constexpr std::string_view constants[] = {"true", "True", "false", "False", "none", "None"};
  target.name = expectName().text;
  if (std::find(std::begin(constants), std::end(constants), target.name) != std::end(constants))
    fail(target.at, "expected a name to assign to but got '" + std::string(target.name) + "'");
  if (fors && target.name == "loop")
    fail(target.at, "expected another name than 'loop' inside a for");
  if (namespaces && takeOperator(".")) {
    target.kind = Target::Member;
    target.member = expectName().text;
    return target;
  }
  assigned.insert(target.name);
  return target;
}

/// One target, or several separated by commas.
Target Parser::parseTargets(bool namespaces) {
  Nested nested(*this);
  Target first = parseSingleTarget(namespaces);
  if (!peek().isOperator(","))
    return first;
  Target tuple;
  tuple.kind = Target::Tuple;
  tuple.at = first.at;
  tuple.parts.push_back(std::move(first));
  while (takeOperator(",")) {
    if (peek().isOperator(")"))
      break;
    tuple.parts.push_back(parseSingleTarget(namespaces));
  }
  return tuple;
}

} // namespace nstf::runtime::jinja
