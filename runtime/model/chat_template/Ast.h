// The syntax tree of a template.
#pragma once

#include "runtime/model/chat_template/Token.h"

namespace nstf::runtime::jinja {

struct Filter;
struct Test;
struct Expression;
struct Statement;
using ExpressionPtr = std::unique_ptr<Expression>;

struct Block {
  std::vector<Statement> statements;
  size_t part = SIZE_MAX; ///< number of its part, if it has a scope of its own (Names.h)
};

/// An argument of a call: f(value, name=value, *value, **value).
struct Argument {
  enum Form : uint8_t { Positional, Keyword, Star, DoubleStar } form = Positional;
  std::string_view name; ///< of a keyword argument
  ExpressionPtr value;
};

struct Expression {
  enum Kind : uint8_t {
    Constant,
    Name,
    List,      // parts
    Tuple,     // parts
    Dict,      // parts: key, value, key, value …
    Attribute, // parts[0] . name
    Item,      // parts[0] [ parts[1] ]
    Slice,     // parts[0] [ parts[1] : parts[2] : parts[3] ], null for a missing bound
    Call,      // parts[0] ( arguments )
    Filtered,  // parts[0] | name ( arguments ); parts[0] is null for a filter of a block's text
    Tested,    // parts[0] is name ( arguments )
    Not,       // parts[0]
    Negative,
    Positive,
    And, // parts[0], parts[1]
    Or,
    Binary,      // parts[0] name parts[1]
    Concatenate, // parts, as texts
    Compare,     // parts[0] operators[0] parts[1] operators[1] parts[2] …
    Condition,   // parts[0] if parts[1] else parts[2], which may be null
  };
  Kind kind = Constant;
  Position at;
  unsigned depth = 1; ///< of the subtree, this node included
  std::string_view name;
  Value constant;
  std::vector<ExpressionPtr> parts;
  std::vector<Argument> arguments;
  std::vector<std::string_view> operators;
  const Filter *filter = nullptr;
  const Test *test = nullptr;
};

/// The target of an assignment: a name, a namespace's member, or a tuple of targets.
struct Target {
  enum Kind : uint8_t { Name, Member, Tuple } kind = Name;
  Position at;
  std::string_view name, member;
  std::vector<Target> parts;
};

struct Parameter {
  std::string_view name;
  ExpressionPtr fallback; ///< default value; null if there is none
};

/// A macro's definition, or the body of a call block.
struct MacroBody {
  std::string_view name; ///< empty for a call block
  std::vector<Parameter> parameters;
  bool takesKeywords = false, takesPositional = false, takesCaller = false; ///< uses kwargs, varargs, caller
};

/// A branch of an if: the first one whose condition holds is taken; the condition of an else is null.
struct Branch {
  ExpressionPtr condition;
  Block block;
};

struct Statement {
  enum Kind : uint8_t {
    Text,        // text
    Print,       // expressions
    If,          // branches
    For,         // targets[0] in expressions[0], if condition: blocks[0], else blocks[1]
    Set,         // targets[0] = expressions[0]
    SetBlock,    // targets[0] = blocks[0], filtered by expressions[0] unless null
    With,        // targets = expressions: blocks[0]
    Macro,       // macro, blocks[0]
    CallBlock,   // call expressions[0] with macro, blocks[0], as its caller
    FilterBlock, // expressions[0] of blocks[0]
    Scope,       // blocks[0] with a scope of its own
    Break,
    Continue,
  };
  Kind kind = Text;
  Position at;
  std::string_view text;
  std::vector<ExpressionPtr> expressions;
  ExpressionPtr condition;
  std::vector<Target> targets;
  std::vector<Branch> branches;
  std::vector<Block> blocks;
  MacroBody macro;
  bool recursive = false; ///< of a for: `loop` can be called
};

struct Template {
  std::string file;
  TextStore store; ///< owns all texts of the tree
  /// By part: names that are undefined at its beginning (Names.h).
  std::vector<std::vector<std::string_view>> unset;
  Block block;
};

/// Parses a template; throws support::InputError on errors and on unsupported constructs.
std::shared_ptr<const Template> parseTemplate(std::string_view source, const std::string &file);

} // namespace nstf::runtime::jinja
