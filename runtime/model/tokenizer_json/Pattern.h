// Regular expressions of tokenizer.json.
//
// The file's patterns are Oniguruma's (Ruby syntax); PCRE2 runs them. The two agree on nearly everything that
// tokenizers use. The rest is rewritten: \s and \w by Unicode property (PCRE2's match other characters), \h as a
// hexadecimal digit, the flag m, long names of categories. Constructs that have another meaning in PCRE2 and cannot be
// rewritten are refused: nested classes, && in a class, a possessive interval.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nstf::runtime {

/// A part of a text, in bytes.
struct Span {
  std::size_t begin, end;
  bool isMatch;
};

class Pattern {
public:
  /// Throws std::runtime_error with the error and its place in the expression.
  static Pattern compile(std::string_view expression);
  /// Matches exactly this string.
  static Pattern literal(std::string_view text);

  /// Cuts the text at the matches: returns the matches and the parts between them, in order. An empty match is an empty
  /// span, but an empty match directly after another match is dropped. Throws std::runtime_error when matching takes
  /// too many steps.
  std::vector<Span> split(std::string_view text) const;
  /// The text with each match replaced. If the result exceeds `max` bytes, only a beginning of it, longer than `max`
  /// bytes, is returned.
  std::string replace(std::string_view text, std::string_view by, std::size_t max = SIZE_MAX) const;
  /// The string of a literal; empty for expressions.
  const std::string &literalText() const { return fixed; }

private:
  std::shared_ptr<const void> code; // pcre2_code; null for a literal
  std::string fixed;
};

/// The expression in PCRE2's syntax.
std::string translateOniguruma(std::string_view expression);

} // namespace nstf::runtime
