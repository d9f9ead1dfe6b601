#include "runtime/model/chat_template/Parser.h"
#include "runtime/model/chat_template/Functions.h"
#include "support/DidYouMean.h"
#include "support/Escape.h"
#include "support/InputError.h"

namespace nstf::runtime::jinja {

/// Each level takes some ten stack frames.
static constexpr unsigned maxNesting = 100;

Parser::Nested::Nested(Parser &parser) : parser(parser) {
  if (++parser.nesting > maxNesting) {
    --parser.nesting;
    parser.fail(parser.peek().at,
                "expected tags and brackets at most " + std::to_string(maxNesting) + " deep but got more");
  }
}

void Parser::fail(Position at, const std::string &message) const {
  support::Place::of(result.file, at.line, at.column).error(message);
}

void Parser::failExpected(std::string_view what) const {
  fail(peek().at, "expected " + std::string(what) + " but got " + peek().describe());
}

bool Parser::takeOperator(std::string_view name) {
  const bool is = peek().isOperator(name);
  if (is)
    take();
  return is;
}

bool Parser::takeName(std::string_view name) {
  const bool is = peek().isName(name);
  if (is)
    take();
  return is;
}

const Token &Parser::expectOperator(std::string_view name) {
  if (!peek().isOperator(name))
    failExpected("'" + std::string(name) + "'");
  return take();
}

const Token &Parser::expectName() {
  if (peek().type != Token::Name)
    failExpected("a name");
  return take();
}

void Parser::expectName(std::string_view name) {
  if (!takeName(name))
    failExpected("'" + std::string(name) + "'");
}

void Parser::expect(Token::Type type, std::string_view description) {
  if (peek().type != type)
    failExpected(description);
  take();
}

void Parser::parse() {
  const size_t part = names.enter();
  result.block = parseBlock({}, nullptr);
  result.block.part = part;
  result.unset = names.findUnset();
  checkCalls();
}

/// Each called name must be a function, or a name that the template defines.
void Parser::checkCalls() const {
  for (const CalledName &call : called)
    if (!findFunction(call.name) && !assigned.count(call.name))
      fail(call.at, "unknown function '" + support::escape(call.name, 60) + "'" +
                        support::didYouMean(call.name, functionNames()));
}

std::shared_ptr<const Template> parseTemplate(std::string_view source, const std::string &file) {
  auto result = std::make_shared<Template>();
  result->file = file;
  Parser(tokenize(source, file, result->store), *result).parse();
  return result;
}

} // namespace nstf::runtime::jinja
