#include "support/TextLimits.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>
#include <vector>

namespace nstf::support {

namespace {

/// JSON has the brackets [] {} and strings; MLIR also has () <> and comments.
enum class Syntax { json, mlir };

/// Scans a text and tracks the open brackets.
class Walk {
public:
  Walk(std::string_view text, Syntax syntax) : text(text), syntax(syntax) {}

  /// The first limit that the text exceeds, and where.
  std::optional<std::string> find() {
    while (at < text.size()) {
      const char c = text[at];
      if (skipText(c))
        continue;
      if (syntax == Syntax::mlir && followAlias(c) > maxNesting)
        return tooDeep();
      if (opens(c)) {
        if (open.size() == maxNesting)
          return tooDeep();
        open.push_back(c);
      } else if (closes(c)) {
        close(c);
      }
      if (syntax == Syntax::mlir && countOperator(c) > maxOperators)
        return excess("expressions of at most " + std::to_string(maxOperators) + " operators");
      ++at;
    }
    return std::nullopt;
  }

private:
  std::string excess(const std::string &limit) const {
    const std::string_view before = text.substr(0, at);
    const size_t line = 1 + size_t(std::count(before.begin(), before.end(), '\n'));
    const size_t column = at - (before.rfind('\n') + 1) + 1; // npos + 1 is 0
    return "expected " + limit + " but got more at line " + std::to_string(line) + ", column " + std::to_string(column);
  }

  std::string tooDeep() const { return excess("values nested at most " + std::to_string(maxNesting) + " deep"); }

  /// Returns the nesting depth at this character, including the depth of an alias that is named here. Records how deep
  /// each alias definition nests, such as `!a1 = tuple<!a0>`.
  size_t followAlias(char c) {
    if (c == '\n' && open.empty() && !defined.empty()) {
      depths[defined] = deepest;
      defined = {};
    }
    size_t depth = open.size();
    if (c == '!' || c == '#') {
      size_t end = at + 1;
      while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
        ++end;
      const std::string_view name = text.substr(at, end - at);
      const size_t next = std::min(text.find_first_not_of(' ', end), text.size());
      if (open.empty() && text.substr(next).starts_with("=") && !text.substr(next).starts_with("==")) {
        defined = name;
        deepest = 0;
      } else if (auto alias = depths.find(name); alias != depths.end()) {
        depth += alias->second;
      }
    }
    deepest = std::max(deepest, depth);
    return depth;
  }

  /// Counts the operators of the current affine expression: the parser recurses into the right side of each.
  size_t countOperator(char c) {
    const bool isWord = std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '%';
    if (isWord) { // advances to the word's last character
      const size_t begin = at;
      while (at + 1 < text.size() && (std::isalnum(static_cast<unsigned char>(text[at + 1])) || text[at + 1] == '_'))
        ++at;
      const std::string_view word = text.substr(begin, at + 1 - begin);
      operators += word == "mod" || word == "floordiv" || word == "ceildiv";
    } else if (c == '+' || c == '*' || (c == '-' && !text.substr(at).starts_with("->"))) {
      ++operators;
    } else if (std::ispunct(static_cast<unsigned char>(c))) {
      operators = 0;
    }
    return operators;
  }

  /// Skips a string or a comment.
  bool skipText(char c) {
    if (c == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at)
        at += text[at] == '\\';
      ++at;
      return true;
    }
    if (syntax == Syntax::mlir && text.substr(at).starts_with("//")) {
      at = std::min(text.find('\n', at), text.size());
      return true;
    }
    return false;
  }

  bool opens(char c) const { return c == '[' || c == '{' || (syntax == Syntax::mlir && (c == '(' || c == '<')); }

  bool closes(char c) const {
    if (c == '>') // -> and >= are not brackets
      return syntax == Syntax::mlir && at > 0 && text[at - 1] != '-' && !text.substr(at).starts_with(">=");
    return c == ']' || c == '}' || (syntax == Syntax::mlir && c == ')');
  }

  /// Pops up to the matching bracket, past any < that was an operator. The parser reports a bracket that matches
  /// nothing.
  void close(char c) {
    const char opener = c == ']' ? '[' : c == '}' ? '{' : c == ')' ? '(' : '<';
    size_t matching = open.size();
    while (matching > 0 && open[matching - 1] != opener && open[matching - 1] == '<')
      --matching;
    if (matching > 0 && open[matching - 1] == opener)
      open.resize(matching - 1);
  }

  std::string_view text;
  Syntax syntax;
  size_t at = 0, operators = 0;
  std::vector<char> open;
  std::string_view defined; // the alias that is being defined
  size_t deepest = 0;       // the depth of its definition so far
  std::unordered_map<std::string_view, size_t> depths;
};

} // namespace

std::optional<std::string> findJsonExcess(std::string_view text) {
  if (text.size() > maxJsonBytes)
    return "expected at most " + std::to_string(maxJsonBytes) + " bytes of JSON but got " + std::to_string(text.size());
  return Walk(text, Syntax::json).find();
}

std::optional<std::string> findMlirExcess(std::string_view text) { return Walk(text, Syntax::mlir).find(); }

} // namespace nstf::support
