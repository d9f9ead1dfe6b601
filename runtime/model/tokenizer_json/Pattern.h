// Regular expressions of tokenizer.json.
//
// The file's patterns are Oniguruma's (Ruby syntax); PCRE2 runs them. The two agree on nearly everything tokenizers
// use, the rest is rewritten: \s and \w by Unicode property (PCRE2's take other characters), \h as a hexadecimal digit,
// the flag m, long names of categories. What has another meaning in PCRE2 and cannot be rewritten is refused: nested
// classes,
// && in a class, a possessive interval.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace nstf::runtime {

/// Part of a text, in bytes.
struct Span {
  std::size_t begin, end;
  bool isMatch;
};

class Pattern {
public:
  /// Throws std::runtime_error with what is wrong and where in the expression.
  static Pattern compile(std::string_view expression);
  /// That string and nothing else.
  static Pattern literal(std::string_view text);

  /// The text cut at the matches, in order: matches and what is between them. An empty match is an empty span; one that
  /// follows a match at once is left out. Throws std::runtime_error when matching takes too many steps.
  std::vector<Span> split(std::string_view text) const;
  /// The text with each match replaced; where that is more than `max` bytes, its beginning, more than `max` bytes.
  std::string replace(std::string_view text, std::string_view by, std::size_t max = SIZE_MAX) const;
  /// The string of a literal; empty for expressions.
  const std::string &literalText() const { return fixed; }

private:
  std::shared_ptr<const void> code; // pcre2_code; null for a literal
  std::string fixed;
};

/// The expression as PCRE2 takes it.
std::string translateOniguruma(std::string_view expression);

} // namespace nstf::runtime
