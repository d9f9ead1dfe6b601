// Parses what follows a value: members, calls, filters, tests.
#include "runtime/model/chat_template/Filters.h"
#include "runtime/model/chat_template/Methods.h"
#include "runtime/model/chat_template/Parser.h"
#include "runtime/model/chat_template/Tests.h"
#include "support/DidYouMean.h"
#include "support/Escape.h"

#include <algorithm>

namespace nstf::runtime::jinja {

ExpressionPtr Parser::parsePostfix(ExpressionPtr value) {
  while (true) {
    if (peek().isOperator(".") || peek().isOperator("["))
      value = parseSubscript(std::move(value));
    else if (peek().isOperator("("))
      value = parseCall(std::move(value));
    else
      return value;
  }
}

ExpressionPtr Parser::parseFilters(ExpressionPtr value) {
  while (true) {
    if (peek().isOperator("|")) {
      take();
      value = parseFilter(std::move(value));
    } else if (peek().isName("is"))
      value = parseTest(std::move(value));
    else if (peek().isOperator("("))
      value = parseCall(std::move(value));
    else
      return value;
  }
}

/// The syntax allows points in the name of a filter or a test; no supported name has one.
std::string_view Parser::parseDottedName() {
  const std::string_view first = expectName().text;
  std::string_view name = first;
  while (takeOperator(".")) {
    const std::string_view part = expectName().text;
    name = {first.data(), static_cast<size_t>(part.data() + part.size() - first.data())};
  }
  return name;
}

const Filter *Parser::expectFilter(std::string_view name, Position at) const {
  const Filter *filter = findFilter(name);
  if (!filter)
    fail(at, "unknown filter '" + support::escape(name, 60) + "'" + support::didYouMean(name, filterNames()));
  return filter;
}

const Test *Parser::expectTest(std::string_view name, Position at) const {
  const Test *test = findTest(name);
  if (!test)
    fail(at, "unknown test '" + support::escape(name, 60) + "'" + support::didYouMean(name, testNames()));
  return test;
}

/// Checks a filter or test that another filter applies, if its name is a literal in the template.
void Parser::checkApplied(const Expression &filtered) const {
  static constexpr std::string_view selections[] = {"select", "reject", "selectattr", "rejectattr"};
  const bool selects = std::find(std::begin(selections), std::end(selections), filtered.name) != std::end(selections);
  if (!selects && filtered.name != "map")
    return;
  const size_t index = filtered.name.ends_with("attr"); // after the member's name
  if (index >= filtered.arguments.size() || filtered.arguments[index].form != Argument::Positional)
    return;
  const Expression &name = *filtered.arguments[index].value;
  if (name.kind != Expression::Constant || !name.constant.isText())
    return;
  if (selects)
    expectTest(name.constant.getText(), name.at);
  else
    expectFilter(name.constant.getText(), name.at);
}

ExpressionPtr Parser::parseFilter(ExpressionPtr value) {
  ExpressionPtr filtered = make(Expression::Filtered, peek().at);
  filtered->name = parseDottedName();
  filtered->filter = expectFilter(filtered->name, filtered->at);
  filtered->parts.push_back(std::move(value));
  if (peek().isOperator("("))
    filtered->arguments = parseArguments();
  checkApplied(*filtered);
  return finish(std::move(filtered));
}

ExpressionPtr Parser::parseTest(ExpressionPtr value) {
  const Position at = take().at;
  const bool negated = takeName("not");
  ExpressionPtr tested = make(Expression::Tested, peek().at);
  tested->name = parseDottedName();
  tested->test = expectTest(tested->name, tested->at);
  tested->parts.push_back(std::move(value));
  const Token &token = peek();
  const bool literal = token.type == Token::Name || token.type == Token::String || token.type == Token::Integer ||
                       token.type == Token::Float || token.isOperator("[") || token.isOperator("{");
  if (token.isOperator("("))
    tested->arguments = parseArguments();
  else if (token.isName("is"))
    fail(token.at, "expected one test but got a second 'is'");
  else if (literal && !token.isName("else") && !token.isName("or") && !token.isName("and")) {
    Argument argument;
    argument.value = parsePostfix(parsePrimary());
    tested->arguments.push_back(std::move(argument));
  }
  tested = finish(std::move(tested));
  if (!negated)
    return tested;
  ExpressionPtr inverse = make(Expression::Not, at);
  inverse->parts.push_back(std::move(tested));
  return finish(std::move(inverse));
}

ExpressionPtr Parser::parseSubscript(ExpressionPtr value) {
  const Token &opening = take();
  if (opening.text == ".") {
    const Token &member = take();
    if (member.type != Token::Name && member.type != Token::Integer)
      fail(member.at, "expected a member's name but got " + member.describe());
    ExpressionPtr access = make(member.type == Token::Name ? Expression::Attribute : Expression::Item, member.at);
    access->parts.push_back(std::move(value));
    if (member.type == Token::Name) {
      access->name = member.text;
    } else {
      ExpressionPtr index = make(Expression::Constant, member.at);
      index->constant = Value::integer(member.integer);
      access->parts.push_back(std::move(index));
    }
    return finish(std::move(access));
  }
  ExpressionPtr parts[3];
  size_t colons = 0;
  while (!peek().isOperator("]")) {
    if (colons < 2 && takeOperator(":"))
      ++colons;
    else if (!parts[colons])
      parts[colons] = parseExpression();
    else
      failExpected("']'");
  }
  expectOperator("]");
  if (!colons && !parts[0])
    fail(opening.at, "expected an index but got nothing");
  ExpressionPtr access = make(colons ? Expression::Slice : Expression::Item, opening.at);
  access->parts.push_back(std::move(value));
  access->parts.push_back(std::move(parts[0]));
  if (colons) {
    access->parts.push_back(std::move(parts[1]));
    access->parts.push_back(std::move(parts[2]));
  }
  return finish(std::move(access));
}

ExpressionPtr Parser::parseCall(ExpressionPtr callee) {
  ExpressionPtr call = make(Expression::Call, peek().at);
  if (callee->kind == Expression::Name)
    called.push_back({callee->name, callee->at});
  else if (callee->kind == Expression::Attribute && isUnsupportedMethod(callee->name))
    fail(callee->at, "the method '" + std::string(callee->name) + "' is not supported");
  call->parts.push_back(std::move(callee));
  call->arguments = parseArguments();
  return finish(std::move(call));
}

std::vector<Argument> Parser::parseArguments() {
  const Position at = expectOperator("(").at;
  std::vector<Argument> arguments;
  Argument::Form last = Argument::Positional;
  while (!peek().isOperator(")")) {
    Argument argument;
    if (takeOperator("*"))
      argument.form = Argument::Star;
    else if (takeOperator("**"))
      argument.form = Argument::DoubleStar;
    else if (peek().type == Token::Name && peek(1).isOperator("=")) {
      argument.form = Argument::Keyword;
      argument.name = take().text;
      take();
    }
    const bool inOrder = argument.form == Argument::Keyword      ? last != Argument::DoubleStar
                         : argument.form == Argument::Positional ? last == Argument::Positional
                                                                 : argument.form > last;
    if (!inOrder)
      fail(at, "expected arguments by position, then by name, then * and ** at most once");
    last = std::max(last, argument.form);
    argument.value = parseExpression();
    arguments.push_back(std::move(argument));
    if (!takeOperator(","))
      break;
  }
  expectOperator(")");
  return arguments;
}

} // namespace nstf::runtime::jinja
