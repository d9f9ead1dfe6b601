// Parses operators and literals.
#include "runtime/model/chat_template/Parser.h"
#include "support/TextLimits.h"

namespace nstf::runtime::jinja {

ExpressionPtr Parser::make(Expression::Kind kind, Position at) {
  auto expression = std::make_unique<Expression>();
  expression->kind = kind;
  expression->at = at;
  return expression;
}

ExpressionPtr Parser::finish(ExpressionPtr expression) {
  unsigned depth = 0;
  for (const ExpressionPtr &part : expression->parts)
    depth = std::max(depth, part ? part->depth : 0);
  for (const Argument &argument : expression->arguments)
    depth = std::max(depth, argument.value->depth);
  expression->depth = depth + 1;
  if (expression->depth > support::maxNesting)
    fail(expression->at, "expected expressions at most " + std::to_string(support::maxNesting) + " deep but got more");
  return expression;
}

ExpressionPtr Parser::parseExpression() { return parseCondition(); }

ExpressionPtr Parser::parseTuple(bool conditions, bool parentheses) {
  ExpressionPtr tuple = make(Expression::Tuple, peek().at);
  bool isTuple = false;
  while (true) {
    const Token &token = peek();
    if (token.type == Token::PrintEnd || token.type == Token::StatementEnd || token.isOperator(")"))
      break;
    tuple->parts.push_back(conditions ? parseCondition() : parseOr());
    if (!takeOperator(","))
      break;
    isTuple = true;
  }
  if (isTuple || (parentheses && tuple->parts.empty()))
    return finish(std::move(tuple));
  if (tuple->parts.empty())
    failExpected("an expression");
  return std::move(tuple->parts[0]);
}

ExpressionPtr Parser::parseCondition() {
  Nested nested(*this);
  ExpressionPtr value = parseOr();
  while (peek().isName("if")) {
    ExpressionPtr condition = make(Expression::Condition, take().at);
    condition->parts.push_back(std::move(value));
    condition->parts.push_back(parseOr());
    condition->parts.push_back(takeName("else") ? parseCondition() : nullptr);
    value = finish(std::move(condition));
  }
  return value;
}

ExpressionPtr Parser::parseOr() {
  ExpressionPtr value = parseAnd();
  while (peek().isName("or")) {
    ExpressionPtr either = make(Expression::Or, take().at);
    either->parts.push_back(std::move(value));
    either->parts.push_back(parseAnd());
    value = finish(std::move(either));
  }
  return value;
}

ExpressionPtr Parser::parseAnd() {
  ExpressionPtr value = parseNot();
  while (peek().isName("and")) {
    ExpressionPtr both = make(Expression::And, take().at);
    both->parts.push_back(std::move(value));
    both->parts.push_back(parseNot());
    value = finish(std::move(both));
  }
  return value;
}

ExpressionPtr Parser::parseNot() {
  if (!peek().isName("not"))
    return parseCompare();
  Nested nested(*this);
  ExpressionPtr inverse = make(Expression::Not, take().at);
  inverse->parts.push_back(parseNot());
  return finish(std::move(inverse));
}

ExpressionPtr Parser::parseCompare() {
  ExpressionPtr compare = make(Expression::Compare, peek().at);
  compare->parts.push_back(parseBinary(0));
  while (true) {
    const Token &token = peek();
    std::string_view name;
    for (std::string_view known : {"==", "!=", "<", "<=", ">", ">="})
      name = token.isOperator(known) ? known : name;
    if (token.isName("in"))
      name = "in";
    else if (token.isName("not") && peek(1).isName("in")) {
      take();
      name = "not in";
    }
    if (name.empty())
      break;
    compare->at = take().at;
    compare->operators.push_back(name);
    compare->parts.push_back(parseBinary(0));
  }
  return compare->operators.empty() ? std::move(compare->parts[0]) : finish(std::move(compare));
}

/// Left-associative operators, weakest first: + and -, ~, those of products, **.
ExpressionPtr Parser::parseBinary(unsigned level) {
  static constexpr std::string_view operators[][4] = {{"+", "-"}, {"~"}, {"*", "/", "//", "%"}, {"**"}};
  if (level == std::size(operators))
    return parseUnary(true);
  ExpressionPtr value = parseBinary(level + 1);
  while (peek().type == Token::Operator) {
    std::string_view name;
    for (std::string_view known : operators[level])
      name = !known.empty() && peek().text == known ? known : name;
    if (name.empty())
      break;
    const Position at = take().at;
    if (name == "~" && value->kind == Expression::Concatenate) {
      value->parts.push_back(parseBinary(level + 1));
      value = finish(std::move(value));
      continue;
    }
    ExpressionPtr binary = make(name == "~" ? Expression::Concatenate : Expression::Binary, at);
    binary->name = name;
    binary->parts.push_back(std::move(value));
    binary->parts.push_back(parseBinary(level + 1));
    value = finish(std::move(binary));
  }
  return value;
}

ExpressionPtr Parser::parseUnary(bool filters) {
  Nested nested(*this);
  ExpressionPtr value;
  if (peek().isOperator("-") || peek().isOperator("+")) {
    const Token &sign = take();
    value = make(sign.text == "-" ? Expression::Negative : Expression::Positive, sign.at);
    value->parts.push_back(parseUnary(false));
    value = finish(std::move(value));
  } else {
    value = parsePrimary();
  }
  value = parsePostfix(std::move(value));
  return filters ? parseFilters(std::move(value)) : std::move(value);
}

ExpressionPtr Parser::parsePrimary() {
  const Token &token = peek();
  switch (token.type) {
  case Token::Name:
    return parseName();
  case Token::String:
    return parseString();
  case Token::Integer:
  case Token::Float: {
    ExpressionPtr number = make(Expression::Constant, take().at);
    number->constant = token.type == Token::Integer ? Value::integer(token.integer) : Value::real(token.real);
    return number;
  }
  default:
    break;
  }
  if (token.isOperator("["))
    return parseList();
  if (token.isOperator("{"))
    return parseDict();
  if (!takeOperator("("))
    failExpected("an expression");
  ExpressionPtr inner = parseTuple(true, /*parentheses=*/true);
  expectOperator(")");
  return inner;
}

ExpressionPtr Parser::parseName() {
  const Token &token = take();
  const bool isTrue = token.text == "true" || token.text == "True",
             isFalse = token.text == "false" || token.text == "False";
  if (isTrue || isFalse || token.text == "none" || token.text == "None") {
    ExpressionPtr constant = make(Expression::Constant, token.at);
    constant->constant = isTrue || isFalse ? Value::boolean(isTrue) : Value::none();
    return constant;
  }
  ExpressionPtr name = make(Expression::Name, token.at);
  name->name = token.text;
  loaded.insert(token.text);
  names.read(token.text);
  return name;
}

/// Adjacent string literals are concatenated.
ExpressionPtr Parser::parseString() {
  ExpressionPtr string = make(Expression::Constant, peek().at);
  std::string_view text = take().text;
  if (peek().type == Token::String) {
    std::string joined(text);
    while (peek().type == Token::String)
      joined += take().text;
    result.store.push_back(std::move(joined));
    text = result.store.back();
  }
  string->constant = Value::text(text);
  return string;
}

ExpressionPtr Parser::parseList() {
  ExpressionPtr list = make(Expression::List, expectOperator("[").at);
  while (!peek().isOperator("]")) {
    list->parts.push_back(parseExpression());
    if (!takeOperator(","))
      break;
  }
  expectOperator("]");
  return finish(std::move(list));
}

ExpressionPtr Parser::parseDict() {
  ExpressionPtr dict = make(Expression::Dict, expectOperator("{").at);
  while (!peek().isOperator("}")) {
    dict->parts.push_back(parseExpression());
    expectOperator(":");
    dict->parts.push_back(parseExpression());
    if (!takeOperator(","))
      break;
  }
  expectOperator("}");
  return finish(std::move(dict));
}

} // namespace nstf::runtime::jinja
