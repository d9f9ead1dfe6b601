// Finds the begins and ends of tags and the white space that belongs to them, and splits tags into tokens.
#include "runtime/model/chat_template/Numbers.h"
#include "runtime/model/chat_template/StringLiteral.h"
#include "runtime/model/chat_template/Text.h"
#include "runtime/model/chat_template/Token.h"
#include "support/ByteSize.h"
#include "support/Escape.h"
#include "support/InputError.h"
#include "support/Utf8.h"

#include <charconv>
#include <system_error>

namespace nstf::runtime::jinja {

namespace {

constexpr size_t maxSource = 1 << 20;

bool isDigit(char c) { return c >= '0' && c <= '9'; }

class Lexer {
public:
  Lexer(std::string_view text, const std::string &file, TextStore &store) : text(text), file(file), store(store) {}

  std::vector<Token> run() {
    while (position < text.size())
      cutText();
    add(Token::End, {});
    return std::move(tokens);
  }

private:
  /// Reads the text up to the next tag, then the tag.
  void cutText() {
    const size_t begin = position;
    size_t tag = begin;
    auto startsTag = [&](size_t i) {
      return i + 1 < text.size() && text[i] == '{' && (text[i + 1] == '{' || text[i + 1] == '%' || text[i + 1] == '#');
    };
    while (tag < text.size() && !startsTag(tag))
      ++tag;
    if (tag >= text.size()) {
      addData(text.substr(begin));
      advance(text.size());
      return;
    }
    const char kind = text[tag + 1];
    const char sign = signAt(tag + 2);
    addData(stripBefore(text.substr(begin, tag - begin), sign, kind != '{'));
    advance(tag);
    const Position at = here();
    size_t inner = tag + 2 + (sign != 0);
    if (kind == '#')
      return skipComment(inner, at);
    if (kind == '%')
      if (size_t end = matchWord(inner, "raw"); end != std::string_view::npos)
        return cutRaw(end, at);
    add(kind == '{' ? Token::PrintBegin : Token::StatementBegin, text.substr(tag, 2));
    advance(inner);
    cutTag(kind == '{');
  }

  char signAt(size_t at) const { return at < text.size() && (text[at] == '-' || text[at] == '+') ? text[at] : '\0'; }

  /// The text before a tag: for "-" without trailing white space; for a statement or a comment that is the first on its
  /// line, without the indentation.
  std::string_view stripBefore(std::string_view data, char sign, bool indented) const {
    if (sign == '-')
      return stripSpaces(data, false, true);
    if (sign == '+' || !indented)
      return data;
    const size_t line = data.rfind('\n') + 1; // npos + 1 is 0
    const bool first = line > 0 || startsLine;
    return first && stripSpaces(data.substr(line), true, true).empty() ? data.substr(0, line) : data;
  }

  /// The end of a statement's tag at `at`: after "%}" with one line end, after "-%}" with all white space, or after
  /// "+%}".
  size_t matchEnd(size_t at, std::string_view end, bool trims = true) const {
    const char sign = signAt(at);
    if (text.substr(at + (sign != 0), 2) != end || (sign == '+' && !trims))
      return std::string_view::npos;
    size_t behind = at + (sign != 0) + 2;
    if (sign == '-')
      return skipSpaces(behind);
    return behind + (trims && sign == 0 && behind < text.size() && text[behind] == '\n');
  }

  size_t skipSpaces(size_t at) const { return text.size() - stripSpaces(text.substr(at), true, false).size(); }

  /// The position after a tag that consists of this word ("raw"), without the line end; npos if the tag is another one.
  size_t matchWord(size_t at, std::string_view word) const {
    at = skipSpaces(at);
    if (text.substr(at, word.size()) != word)
      return std::string_view::npos;
    return matchEnd(skipSpaces(at + word.size()), "%}", /*trims=*/false);
  }

  void cutRaw(size_t begin, Position at) {
    advance(begin);
    for (size_t tag = begin; (tag = text.find("{%", tag)) != std::string_view::npos; ++tag) {
      const char sign = signAt(tag + 2);
      const size_t word = skipSpaces(tag + 2 + (sign != 0));
      if (text.substr(word, 6) != "endraw")
        continue;
      const size_t end = matchEnd(skipSpaces(word + 6), "%}");
      if (end == std::string_view::npos)
        continue;
      addData(stripBefore(text.substr(begin, tag - begin), sign, true));
      return advance(end);
    }
    fail(at, "expected 'endraw' but got the end of the template");
  }

  void skipComment(size_t at, Position begin) {
    for (; at < text.size(); ++at)
      if (size_t end = matchEnd(at, "#}"); end != std::string_view::npos)
        return advance(end);
    fail(begin, "expected the end of the comment, '#}', but got the end of the template");
  }

  /// Reads the tokens of a tag, including its end.
  void cutTag(bool prints) {
    std::vector<char> open; // brackets
    while (position < text.size()) {
      if (open.empty()) {
        const size_t end = prints ? matchPrintEnd() : matchEnd(position, "%}");
        if (end != std::string_view::npos) {
          add(prints ? Token::PrintEnd : Token::StatementEnd, prints ? "}}" : "%}");
          return advance(end);
        }
      }
      if (const size_t behind = skipSpaces(position); behind != position)
        advance(behind);
      else if (isDigit(text[position]))
        cutNumber();
      else if (text[position] == '"' || text[position] == '\'')
        cutString();
      else if (const size_t length = identifierLength(text.substr(position))) {
        add(Token::Name, text.substr(position, length));
        advance(position + length);
      } else
        cutOperator(open);
    }
  }

  size_t matchPrintEnd() const {
    return signAt(position) == '+' ? std::string_view::npos : matchEnd(position, "}}", /*trims=*/false);
  }

  /// The end of the digits from `at`; single underscores may separate digits.
  size_t digitsEnd(size_t at, std::string_view digits) const {
    size_t end = at;
    for (size_t i = at; i < text.size();) {
      if (text[i] == '_' && i > at)
        ++i;
      if (i >= text.size() || digits.find(text[i]) == std::string_view::npos)
        break;
      end = ++i;
    }
    return end;
  }

  void cutNumber() {
    constexpr std::string_view decimal = "0123456789";
    const size_t begin = position;
    size_t end = digitsEnd(begin, decimal);
    bool real = false;
    // A number after a point is an index: x.0.1
    if (begin == 0 || text[begin - 1] != '.') {
      if (end + 1 < text.size() && text[end] == '.' && isDigit(text[end + 1])) {
        end = digitsEnd(end + 1, decimal);
        real = true;
      }
      if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
        size_t exponent = end + 1;
        if (exponent < text.size() && (text[exponent] == '+' || text[exponent] == '-'))
          ++exponent;
        if (const size_t behind = digitsEnd(exponent, decimal); behind > exponent) {
          end = behind;
          real = true;
        }
      }
    }
    real ? addFloat(begin, end) : addInteger(begin);
  }

  std::string withoutUnderscores(size_t begin, size_t end) const {
    std::string digits(text.substr(begin, end - begin));
    std::erase(digits, '_');
    return digits;
  }

  void addFloat(size_t begin, size_t end) {
    Token &token = add(Token::Float, text.substr(begin, end - begin));
    token.real = parseReal(withoutUnderscores(begin, end)).value_or(0);
    advance(end);
  }

  void addInteger(size_t begin) {
    const char base = begin + 1 < text.size() && text[begin] == '0' ? static_cast<char>(text[begin + 1] | 0x20) : '\0';
    int radix = base == 'b' ? 2 : base == 'o' ? 8 : base == 'x' ? 16 : 10;
    auto getEnd = [&](size_t at) {
      return digitsEnd(at, radix == 2           ? "01"
                           : radix == 8         ? "01234567"
                           : radix == 16        ? "0123456789abcdefABCDEF"
                           : text[begin] == '0' ? "0"
                                                : "0123456789");
    };
    size_t first = begin;
    if (radix != 10) {
      first = begin + 2 + (begin + 2 < text.size() && text[begin + 2] == '_');
      if (getEnd(first) == first) {
        radix = 10;
        first = begin;
      }
    }
    const size_t end = getEnd(first);
    const std::string digits = withoutUnderscores(first, end);
    int64_t value = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), value, radix).ec != std::errc())
      fail(here(), "expected an integer of 64 bits but got " + support::escape(digits, 40));
    Token &token = add(Token::Integer, text.substr(begin, end - begin));
    token.integer = value;
    advance(end);
  }

  void cutString() {
    const char quote = text[position];
    size_t end = position + 1;
    while (end < text.size() && text[end] != quote)
      end += text[end] == '\\' ? 2 : 1;
    if (end >= text.size())
      fail(here(), "expected the end of the string but got the end of the template");
    const std::string_view inner = text.substr(position + 1, end - position - 1);
    std::string problem;
    const std::optional<std::string_view> decoded = decodeString(inner, store, problem);
    if (!decoded)
      fail(here(), problem);
    add(Token::String, *decoded);
    advance(end + 1);
  }

  void cutOperator(std::vector<char> &open) {
    static constexpr std::string_view operators[] = {"//", "**", "==", "!=", ">=", "<=", "+", "-", "/",
                                                     "*",  "%",  "~",  "[",  "]",  "(",  ")", "{", "}",
                                                     ">",  "<",  "=",  ".",  ":",  "|",  ",", ";"};
    for (std::string_view name : operators)
      if (text.substr(position).starts_with(name)) {
        balance(name[0], open);
        add(Token::Operator, name);
        return advance(position + name.size());
      }
    const size_t length = support::utf8Prefix(text.substr(position)).length;
    fail(here(), "expected an expression but got '" + support::escape(text.substr(position, length)) + "'");
  }

  void balance(char bracket, std::vector<char> &open) const {
    if (bracket == '(' || bracket == '[' || bracket == '{')
      open.push_back(bracket == '(' ? ')' : static_cast<char>(bracket + 2)); // ASCII: [ \ ] and { | }
    if (bracket != ')' && bracket != ']' && bracket != '}')
      return;
    if (open.empty() || open.back() != bracket)
      fail(here(), std::string("expected ") + (open.empty() ? "an expression" : std::string("'") + open.back() + "'") +
                       " but got '" + bracket + "'");
    open.pop_back();
  }

  Position here() const { return at; }
  Token &add(Token::Type type, std::string_view content) {
    tokens.push_back({type, here(), content});
    return tokens.back();
  }
  void addData(std::string_view data) {
    if (!data.empty())
      add(Token::Data, data);
  }
  /// Advances to `to`.
  void advance(size_t to) {
    for (; position < to; ++position)
      at = text[position] == '\n' ? Position{at.line + 1, 1}
                                  : Position{at.line, at.column + ((text[position] & 0xc0) != 0x80)};
    startsLine = to > 0 && text[to - 1] == '\n';
  }
  [[noreturn]] void fail(Position where, const std::string &message) const {
    support::Place::of(file, where.line, where.column).error(message);
  }

  std::string_view text;
  const std::string &file;
  TextStore &store;
  std::vector<Token> tokens;
  size_t position = 0;
  Position at = {1, 1};
  bool startsLine = true;
};

/// Normalises line ends to \n and removes one at the end.
std::string normalizeLines(std::string_view source) {
  std::string text;
  text.reserve(source.size());
  for (size_t i = 0; i < source.size(); ++i) {
    text += source[i] == '\r' ? '\n' : source[i];
    if (source[i] == '\r' && i + 1 < source.size() && source[i + 1] == '\n')
      ++i;
  }
  if (text.ends_with('\n'))
    text.pop_back();
  return text;
}

void checkSource(std::string_view source, const std::string &file) {
  if (source.size() > maxSource)
    support::Place::of(file).error("expected a template of at most " + support::formatBytes(maxSource) + " but got " +
                                   support::formatBytes(source.size()));
  int line = 1, column = 1;
  for (std::string_view rest = source; !rest.empty();) {
    const support::Utf8Prefix prefix = support::utf8Prefix(rest);
    if (!prefix.valid)
      support::Place::of(file, line, column)
          .error("expected UTF-8 but got the bytes " + support::escape(rest.substr(0, prefix.length)));
    ++column;
    if (rest[0] == '\n') {
      ++line;
      column = 1;
    }
    rest.remove_prefix(prefix.length);
  }
}

} // namespace

std::string Token::describe() const {
  switch (type) {
  case Data:
    return "text";
  case End:
    return "the end of the template";
  case String:
    return "a string";
  default:
    return "'" + support::escape(text, 60) + "'";
  }
}

std::vector<Token> tokenize(std::string_view source, const std::string &file, TextStore &store) {
  checkSource(source, file);
  store.push_back(normalizeLines(source));
  return Lexer(store.back(), file, store).run();
}

} // namespace nstf::runtime::jinja
