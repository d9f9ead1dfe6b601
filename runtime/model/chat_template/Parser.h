// Builds the syntax tree from tokens. Statements.cpp parses tags, Expressions.cpp operators and literals, and
// Postfix.cpp the members, calls, filters and tests that follow a value.
#pragma once

#include "runtime/model/chat_template/Ast.h"
#include "runtime/model/chat_template/Names.h"

#include <set>

namespace nstf::runtime::jinja {

class Parser {
public:
  Parser(std::vector<Token> tokens, Template &result) : tokens(std::move(tokens)), result(result) {}
  /// The whole template.
  void parse();

private:
  // Statements.cpp
  Block parseBlock(std::initializer_list<std::string_view> ends, const Token *opening);
  Block parseBody(std::initializer_list<std::string_view> ends, const Token &opening);
  Statement parseStatement();
  Statement parseIf();
  Statement parseFor();
  Statement parseSet();
  Statement parseWith();
  Statement parseMacro();
  Statement parseCallBlock();
  Statement parseFilterBlock();
  Statement parsePrint();
  Statement parseLoopControl();
  Statement parseGeneration();
  [[noreturn]] void failTag(const Token &tag);
  /// Parses a part with a scope of its own: its body and the names assigned at its beginning.
  Block parsePart(std::initializer_list<std::string_view> ends, const Token &opening,
                  const std::vector<Target> &assigned = {});
  void noteGiven(const Target &target);
  void noteTarget(const Target &target);
  Target parseTargets(bool namespaces);
  Target parseSingleTarget(bool namespaces);
  void parseParameters(MacroBody &macro);
  /// The body of a macro or a call block; break and continue in it cannot leave loops outside it.
  Block parseMacroBody(MacroBody &macro, std::string_view end, const Token &opening);

  // Expressions.cpp
  ExpressionPtr parseExpression();
  /// Expressions separated by commas form a tuple; without `conditions`, an inline if is not allowed.
  ExpressionPtr parseTuple(bool conditions, bool parentheses = false);
  ExpressionPtr parseCondition();
  ExpressionPtr parseOr();
  ExpressionPtr parseAnd();
  ExpressionPtr parseNot();
  ExpressionPtr parseCompare();
  ExpressionPtr parseBinary(unsigned level);
  ExpressionPtr parseUnary(bool filters);
  ExpressionPtr parsePrimary();
  ExpressionPtr parseName();
  ExpressionPtr parseString();
  ExpressionPtr parseList();
  ExpressionPtr parseDict();
  ExpressionPtr make(Expression::Kind kind, Position at);
  /// Sets the depth from that of the parts; the depth is limited.
  ExpressionPtr finish(ExpressionPtr expression);

  // Postfix.cpp
  ExpressionPtr parsePostfix(ExpressionPtr value);
  ExpressionPtr parseFilters(ExpressionPtr value);
  ExpressionPtr parseFilter(ExpressionPtr value);
  ExpressionPtr parseTest(ExpressionPtr value);
  ExpressionPtr parseSubscript(ExpressionPtr value);
  ExpressionPtr parseCall(ExpressionPtr callee);
  std::vector<Argument> parseArguments();
  std::string_view parseDottedName();
  const Filter *expectFilter(std::string_view name, Position at) const;
  const Test *expectTest(std::string_view name, Position at) const;
  void checkApplied(const Expression &filtered) const;

  const Token &peek(size_t ahead = 0) const { return tokens[std::min(next + ahead, tokens.size() - 1)]; }
  const Token &take() { return tokens[next + 1 < tokens.size() ? next++ : next]; }
  bool takeOperator(std::string_view name);
  bool takeName(std::string_view name);
  const Token &expectOperator(std::string_view name);
  const Token &expectName();
  void expectName(std::string_view name);
  void expect(Token::Type type, std::string_view description);
  [[noreturn]] void fail(Position at, const std::string &message) const;
  [[noreturn]] void failExpected(std::string_view what) const;

  /// One level of nesting, while it lives.
  struct Nested {
    explicit Nested(Parser &parser);
    ~Nested() { --parser.nesting; }
    Parser &parser;
  };

  std::vector<Token> tokens;
  Template &result;
  Names names;
  size_t next = 0;
  unsigned nesting = 0;
  unsigned loops = 0; ///< loops that a break can leave here
  unsigned fors = 0;

  // Names that the template defines itself; a call of any other name must be of a known function.
  struct CalledName {
    std::string_view name;
    Position at;
  };
  void checkCalls() const;
  std::set<std::string_view> assigned = {"caller", "loop"};
  std::vector<CalledName> called;
  std::set<std::string_view> loaded; ///< names that the current macro reads
};

} // namespace nstf::runtime::jinja
