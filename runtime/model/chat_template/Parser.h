// From tokens to the tree. Statements.cpp has the grammar of tags, Expressions.cpp that of operators and literals,
// Postfix.cpp what follows a value: members, calls, filters, tests.
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
  /// Part with names of its own: a body, and what it begins with.
  Block parsePart(std::initializer_list<std::string_view> ends, const Token &opening,
                  const std::vector<Target> &assigned = {});
  void noteGiven(const Target &target);
  void noteTarget(const Target &target);
  Target parseTargets(bool namespaces);
  Target parseSingleTarget(bool namespaces);
  void parseParameters(MacroBody &macro);
  /// The body of a macro or a call, in which no loop outside can be left.
  Block parseMacroBody(MacroBody &macro, std::string_view end, const Token &opening);

  // Expressions.cpp
  ExpressionPtr parseExpression();
  /// Expressions with commas between them are a tuple; without `conditions` there is no inline if.
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
  /// With the depth of its parts, which is bounded.
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

  /// One level of what stands inside one another, while it lives.
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
  unsigned loops = 0; ///< that a break can leave here
  unsigned fors = 0;

  // What calls of unknown functions are checked against: what the template names itself.
  struct CalledName {
    std::string_view name;
    Position at;
  };
  void checkCalls() const;
  std::set<std::string_view> assigned = {"caller", "loop"};
  std::vector<CalledName> called;
  std::set<std::string_view> loaded; ///< in the macro that is being read
};

} // namespace nstf::runtime::jinja
