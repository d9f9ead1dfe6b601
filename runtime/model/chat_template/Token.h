// Cuts a template into text and the tokens of its tags.
#pragma once

#include "runtime/model/chat_template/Context.h"

#include <deque>

namespace nstf::runtime::jinja {

struct Token {
  enum Type : uint8_t {
    Data,           // between tags
    PrintBegin,     // {{
    PrintEnd,       // }}
    StatementBegin, // {%
    StatementEnd,   // %}
    Name,
    String,
    Integer,
    Float,
    Operator,
    End, // of the template
  };
  Type type = End;
  Position at;
  std::string_view text; ///< of data, a string (escapes decoded), a name or an operator
  int64_t integer = 0;
  double real = 0;

  bool isName(std::string_view name) const { return type == Name && text == name; }
  bool isOperator(std::string_view name) const { return type == Operator && text == name; }
  /// For messages: "'endif'", "the end of the template".
  std::string describe() const;
};

/// Owns the texts that tokens are views of: the source, with line ends as \n and without the last one, and decoded
/// strings.
using TextStore = std::deque<std::string>;

/// Cuts `source` into tokens, with trim_blocks and lstrip_blocks. Throws support::InputError.
std::vector<Token> tokenize(std::string_view source, const std::string &file, TextStore &store);

} // namespace nstf::runtime::jinja
