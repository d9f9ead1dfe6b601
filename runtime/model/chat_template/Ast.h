// The tree of a template.
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
  size_t part = SIZE_MAX; ///< its number, where it has names of its own (Names.h)
};

/// Of a call: f(value, name=value, *value, **value).
struct Argument {
  enum Form : uint8_t { Positional, Keyword, Star, DoubleStar } form = Positional;
  std::string_view name; ///< of a keyword
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
    Slice,     // parts[0] [ parts[1] : parts[2] : parts[3] ], null where nothing stands
    Call,      // parts[0] ( arguments )
    Filtered,  // parts[0] | name ( arguments ); parts[0] is null for a block's text
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
  unsigned depth = 1; ///< of the tree below, itself included
  std::string_view name;
  Value constant;
  std::vector<ExpressionPtr> parts;
  std::vector<Argument> arguments;
  std::vector<std::string_view> operators;
  const Filter *filter = nullptr;
  const Test *test = nullptr;
};

/// What is assigned to: a name, a namespace's member, or a tuple of targets.
struct Target {
  enum Kind : uint8_t { Name, Member, Tuple } kind = Name;
  Position at;
  std::string_view name, member;
  std::vector<Target> parts;
};

struct Parameter {
  std::string_view name;
  ExpressionPtr fallback; ///< null where the parameter has none
};

/// What a macro or the body of a call does.
struct MacroBody {
  std::string_view name; ///< empty for the body of a call
  std::vector<Parameter> parameters;
  bool takesKeywords = false, takesPositional = false, takesCaller = false; ///< kwargs, varargs, caller are used in it
};

/// Of an if: the first whose condition holds; the condition of an else is null.
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
    SetBlock,    // targets[0] = blocks[0], through expressions[0] where that isn't null
    With,        // targets = expressions: blocks[0]
    Macro,       // macro, blocks[0]
    CallBlock,   // call expressions[0] with macro, blocks[0], as its caller
    FilterBlock, // expressions[0] of blocks[0]
    Scope,       // blocks[0] with names of its own
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
  bool recursive = false; ///< a for whose loop can be called
};

struct Template {
  std::string file;
  TextStore store; ///< of all texts in the tree
  /// By part: names that are undefined at its beginning.
  std::vector<std::vector<std::string_view>> unset;
  Block block;
};

/// Parses; throws support::InputError for what is wrong or not supported.
std::shared_ptr<const Template> parseTemplate(std::string_view source, const std::string &file);

} // namespace nstf::runtime::jinja
