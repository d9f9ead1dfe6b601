// Parses small expressions over a model's parameters.
//
// Recursive descent, with one function per line of the grammar in Expression.h.

#include "compiler/description/Expression.h"

#include "compiler/description/ExpressionNodes.h"
#include "support/Escape.h"
#include "support/InputError.h"

#include <cctype>
#include <charconv>

using namespace nstf;
using namespace nstf::description;
using NodePtr = std::shared_ptr<const Expression::Node>;

namespace {

class Parser {
public:
  explicit Parser(const std::string &text) : text(text) {}

  NodePtr parse() {
    // Trees are walked recursively, and a chain of operators is as deep as it is long.
    if (text.size() > 1000)
      throw support::InputError("expected an expression of at most 1000 characters but got " +
                                std::to_string(text.size()));
    NodePtr node = choice();
    skipBlanks();
    if (position != text.size())
      fail("an operator or the end");
    return node;
  }

private:
  [[noreturn]] void fail(const std::string &expected) {
    std::string got = position < text.size() ? "'" + support::escape(text.substr(position), 40) + "'" : "its end";
    throw support::InputError("in '" + support::escape(text) + "': expected " + expected + " but got " + got);
  }

  static NodePtr make(Operator op, std::vector<NodePtr> operands) {
    return std::make_shared<Expression::Node>(Expression::Node{op, {}, {}, std::move(operands)});
  }

  void skipBlanks() {
    while (position < text.size() && std::isspace(static_cast<unsigned char>(text[position])))
      ++position;
  }

  /// Consumes `symbol` if it is next.
  bool take(const std::string &symbol) {
    skipBlanks();
    if (text.compare(position, symbol.size(), symbol) != 0)
      return false;
    bool isWord = std::isalpha(static_cast<unsigned char>(symbol[0]));
    size_t end = position + symbol.size();
    if (isWord && end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
      return false;
    position = end;
    return true;
  }

  NodePtr choice() {
    // The nesting of an expression is the depth of this recursion.
    if (++depth > 100)
      throw support::InputError("in '" + text.substr(0, 40) + "…': expected at most 100 nested expressions");
    NodePtr node = disjunction();
    if (take("?")) {
      NodePtr yes = choice();
      if (!take(":"))
        fail("':'");
      node = make(Operator::choice, {node, yes, choice()});
    }
    --depth;
    return node;
  }

  NodePtr disjunction() {
    NodePtr node = conjunction();
    while (take("or"))
      node = make(Operator::logicalOr, {node, conjunction()});
    return node;
  }

  NodePtr conjunction() {
    NodePtr node = negation();
    while (take("and"))
      node = make(Operator::logicalAnd, {node, negation()});
    return node;
  }

  NodePtr negation() {
    bool negated = false;
    while (take("not"))
      negated = !negated;
    NodePtr node = comparison();
    return negated ? make(Operator::logicalNot, {node}) : node;
  }

  NodePtr comparison() {
    NodePtr node = sum();
    static const std::pair<const char *, Operator> symbols[] = {
        {"==", Operator::equal},        {"!=", Operator::notEqual}, {"<=", Operator::lessEqual},
        {">=", Operator::greaterEqual}, {"<", Operator::less},      {">", Operator::greater}};
    for (auto [symbol, op] : symbols)
      if (take(symbol))
        return make(op, {node, sum()});
    return node;
  }

  NodePtr sum() {
    NodePtr node = product();
    while (true) {
      if (take("+"))
        node = make(Operator::add, {node, product()});
      else if (take("-"))
        node = make(Operator::subtract, {node, product()});
      else
        return node;
    }
  }

  NodePtr product() {
    NodePtr node = unary();
    while (true) {
      if (take("*"))
        node = make(Operator::multiply, {node, unary()});
      else if (take("/"))
        node = make(Operator::divide, {node, unary()});
      else if (take("%"))
        node = make(Operator::remainder, {node, unary()});
      else
        return node;
    }
  }

  NodePtr unary() {
    bool negated = false;
    while (take("-"))
      negated = !negated;
    NodePtr node = atom();
    return negated ? make(Operator::negate, {node}) : node;
  }

  NodePtr constant(ParameterValue value) {
    return std::make_shared<Expression::Node>(Expression::Node{Operator::constant, std::move(value), {}, {}});
  }

  NodePtr number() {
    size_t start = position;
    bool isFloat = false;
    while (position < text.size()) {
      char c = text[position];
      bool exponentSign = (c == '+' || c == '-') && (text[position - 1] == 'e' || text[position - 1] == 'E');
      if (!std::isdigit(static_cast<unsigned char>(c)) && c != '.' && c != 'e' && c != 'E' && !exponentSign)
        break;
      isFloat |= !std::isdigit(static_cast<unsigned char>(c));
      ++position;
    }
    const char *begin = text.data() + start, *end = text.data() + position;
    if (isFloat) {
      double value;
      if (auto [rest, error] = std::from_chars(begin, end, value); error == std::errc() && rest == end)
        return constant(value);
    } else {
      int64_t value;
      if (auto [rest, error] = std::from_chars(begin, end, value); error == std::errc() && rest == end)
        return constant(value);
    }
    position = start;
    fail("a number of 64 bits");
  }

  NodePtr atom() {
    skipBlanks();
    if (take("(")) {
      NodePtr node = choice();
      if (!take(")"))
        fail("')'");
      return node;
    }
    if (take("'")) {
      size_t end = text.find('\'', position);
      if (end == std::string::npos)
        fail("a closing quote");
      std::string value = text.substr(position, end - position);
      position = end + 1;
      return constant(value);
    }
    if (position == text.size())
      fail("a value");
    if (std::isdigit(static_cast<unsigned char>(text[position])) || text[position] == '.')
      return number();
    if (take("true"))
      return constant(true);
    if (take("false"))
      return constant(false);
    if (take("null"))
      return constant({});
    size_t start = position;
    while (position < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[position])) || text[position] == '_'))
      ++position;
    if (position == start)
      fail("a value");
    Expression::Node node{Operator::name, {}, text.substr(start, position - start), {}};
    if (take("(")) {
      node.op = Operator::call;
      do
        node.operands.push_back(choice());
      while (take(","));
      if (!take(")"))
        fail("',' or ')'");
    }
    return std::make_shared<Expression::Node>(std::move(node));
  }

  const std::string &text;
  size_t position = 0;
  int depth = 0;
};

} // namespace

Expression::Expression() : source("null"), root(Parser(source).parse()) {}

Expression::Expression(const std::string &text) : source(text), root(Parser(source).parse()) {}

ParameterValue Expression::evaluate(const Scope &scope) const {
  try {
    return nstf::description::evaluate(*root, scope);
  } catch (const support::InputError &error) {
    throw support::InputError("in '" + support::escape(source) + "': " + error.message);
  }
}

int64_t Expression::evaluateInteger(const Scope &scope) const {
  ParameterValue value = evaluate(scope);
  if (const int64_t *integer = std::get_if<int64_t>(&value))
    return *integer;
  throw support::InputError("in '" + support::escape(source) + "': expected a whole number but got " +
                            nstf::description::describe(value));
}

bool Expression::evaluateCondition(const Scope &scope) const {
  ParameterValue value = evaluate(scope);
  if (const bool *condition = std::get_if<bool>(&value))
    return *condition;
  throw support::InputError("in '" + support::escape(source) + "': expected true or false but got " +
                            nstf::description::describe(value));
}

std::string nstf::description::interpolate(const std::string &pattern, const Scope &scope) {
  std::string result;
  for (size_t at = 0; at < pattern.size();) {
    size_t open = pattern.find('{', at);
    result += pattern.substr(at, open - at);
    if (open == std::string::npos)
      break;
    size_t close = pattern.find('}', open);
    if (close == std::string::npos)
      throw support::InputError("in '" + support::escape(pattern) + "': expected a closing '}'");
    ParameterValue value = Expression(pattern.substr(open + 1, close - open - 1)).evaluate(scope);
    if (const int64_t *integer = std::get_if<int64_t>(&value))
      result += std::to_string(*integer);
    else if (const std::string *text = std::get_if<std::string>(&value))
      result += *text;
    else
      throw support::InputError("in '" + support::escape(pattern) + "': expected a whole number or a text but got " +
                                nstf::description::describe(value));
    at = close + 1;
  }
  return result;
}
