// "{}".format(value).
#include "runtime/model/chat_template/Access.h"
#include "runtime/model/chat_template/Format.h"
#include "runtime/model/chat_template/Operators.h"
#include "runtime/model/chat_template/Print.h"
#include "runtime/model/chat_template/Text.h"
#include "support/Escape.h"

#include <algorithm>

namespace nstf::runtime::jinja {

namespace {

class BraceFormatter {
public:
  BraceFormatter(Context &context, const Arguments &arguments) : context(context), arguments(arguments) {}

  /// `level`: nesting of formats in formats; Python allows two levels.
  std::string format(std::string_view text, int level = 0) {
    if (level > 1 && text.find('{') != std::string_view::npos)
      context.fail("expected '{' in a format's format at most once");
    TextBuilder out(context);
    while (!text.empty()) {
      const size_t brace = std::min(text.find_first_of("{}"), text.size());
      out += text.substr(0, brace);
      text.remove_prefix(brace);
      if (text.empty())
        break;
      if (text.size() > 1 && text[1] == text[0]) {
        out += text[0];
        text.remove_prefix(2);
        continue;
      }
      if (text[0] == '}')
        context.fail("expected '{' before '}' in the format");
      const std::string_view field = takeField(text);
      formatField(out, field, level);
    }
    return out.take();
  }

private:
  /// Removes the braces at the start of `text` and returns the text between them.
  std::string_view takeField(std::string_view &text) const {
    size_t depth = 0, end = 0;
    do {
      if (end == text.size())
        context.fail("expected '}' behind '{' in the format");
      depth += text[end] == '{';
      depth -= text[end] == '}';
      ++end;
    } while (depth);
    const std::string_view field = text.substr(1, end - 2);
    text.remove_prefix(end);
    return field;
  }

  void formatField(TextBuilder &out, std::string_view field, int level) {
    size_t end = 0; // of the name
    for (bool index = false; end < field.size() && (index || (field[end] != ':' && field[end] != '!')); ++end)
      index = index ? field[end] != ']' : field[end] == '[';
    Value value = lookUp(field.substr(0, end));
    field.remove_prefix(end);
    char conversion = '\0';
    if (field.starts_with('!')) {
      if (field.size() < 2 || (field.size() > 2 && field[2] != ':'))
        context.fail("expected one letter behind '!' in the format");
      conversion = field[1];
      field.remove_prefix(2);
    }
    if (conversion)
      value = convert(value, conversion);
    appendFormatted(out, value, format(field.substr(!field.empty()), level + 1));
  }

  static std::optional<int64_t> getIndex(std::string_view name) {
    if (name.empty() || name.size() > 18 || name.find_first_not_of("0123456789") != std::string_view::npos)
      return std::nullopt;
    return std::stoll(std::string(name));
  }

  Value lookUp(std::string_view name) {
    const size_t first = std::min(name.find_first_of(".["), name.size());
    Value value = argument(name.substr(0, first));
    name.remove_prefix(first);
    while (!name.empty()) {
      const bool member = name[0] == '.';
      if (!member && name[0] != '[')
        context.fail("expected '.' or '[' behind ']' in the format");
      name.remove_prefix(1);
      const size_t end = std::min(member ? name.find_first_of(".[") : name.find(']'), name.size());
      const std::string_view part = name.substr(0, end);
      if (part.empty() || (!member && end == name.size()))
        context.fail("expected a member's name in the format");
      const std::optional<int64_t> index = member ? std::nullopt : getIndex(part);
      value = member ? getAttribute(context, value, part)
                     : getItem(context, value, index ? Value::integer(*index) : Value::text(part));
      name.remove_prefix(end + !member);
    }
    return value;
  }

  Value argument(std::string_view name) {
    std::optional<int64_t> index = getIndex(name);
    if (name.empty() || index) {
      if (automatic && *automatic != name.empty())
        context.fail("expected numbers in all fields of the format or in none");
      automatic = name.empty();
      const int64_t at = index ? *index : next++;
      if (at >= static_cast<int64_t>(arguments.positional.size()))
        context.fail("expected more values for the format than " + std::to_string(arguments.positional.size()));
      return arguments.positional[static_cast<size_t>(at)];
    }
    for (const auto &[key, value] : arguments.keywords)
      if (key == name)
        return value;
    context.fail("expected a value for the name '" + support::escape(name, 60) + "' in the format");
  }

  Value convert(const Value &value, char conversion) {
    if (conversion == 's')
      return context.text(toText(context, value));
    if (conversion != 'r' && conversion != 'a')
      context.fail("expected 'r', 's' or 'a' behind '!' in the format");
    TextBuilder repr(context);
    appendRepr(repr, context, value);
    return conversion == 'r' ? repr.finish() : context.text(escapeNonAscii(repr.view()));
  }

  /// Copies the text that `spec` refers to, so that it outlives the format.
  FormatSpec parseSpec(std::string_view text) {
    FormatSpec spec;
    auto take = [&](std::string_view letters) {
      if (text.empty() || letters.find(text[0]) == std::string_view::npos)
        return '\0';
      const char letter = text[0];
      text.remove_prefix(1);
      return letter;
    };
    auto takeNumber = [&] {
      int64_t number = 0;
      while (const char digit = take("0123456789")) {
        number = number * 10 + (digit - '0');
        context.checkText(static_cast<uint64_t>(number));
      }
      return number;
    };
    if (const size_t first = text.empty() ? 0 : characterLength(text);
        text.size() > first && std::string_view("<>=^").find(text[first]) != std::string_view::npos) {
      spec.fill = context.text(text.substr(0, first)).getText();
      spec.align = text[first];
      text.remove_prefix(first + 1);
    } else {
      spec.align = take("<>=^");
    }
    if (const char sign = take("+- "))
      spec.sign = sign;
    spec.alternate = take("#");
    if (!text.empty() && text[0] == '0') {
      spec.fill = spec.align ? spec.fill : "0";
      spec.align = spec.align ? spec.align : '=';
    }
    spec.width = takeNumber();
    spec.grouping = take(",_");
    if (take("."))
      spec.precision = !text.empty() && text[0] >= '0' && text[0] <= '9'
                           ? takeNumber()
                           : (context.fail("expected a precision behind '.' in the format"), 0);
    if (!text.empty()) {
      spec.type = text[0];
      text.remove_prefix(1);
    }
    if (!text.empty())
      context.fail("expected the end of a field's format but got '" + support::escape(text, 40) + "'");
    return spec;
  }

  void appendFormatted(TextBuilder &out, const Value &value, const std::string &specText) {
    if (specText.empty())
      return void(out += toText(context, value));
    const FormatSpec spec = parseSpec(specText);
    if (value.isNumber())
      return appendAligned(out, formatNumber(context, value, spec), spec, spec.type == 'c' ? '<' : '>');
    if (!value.isText())
      context.fail("expected no format for " + std::string(describe(value)));
    if ((spec.type && spec.type != 's') || spec.align == '=' || spec.sign != '-' || spec.alternate || spec.grouping)
      context.fail("expected a format for a text but got '" + support::escape(specText, 40) + "'");
    std::string_view text = value.getText();
    if (spec.precision >= 0)
      text = text.substr(0, getOffset(text, static_cast<size_t>(spec.precision)));
    appendAligned(out, text, spec, '<');
  }

  Context &context;
  const Arguments &arguments;
  std::optional<bool> automatic; // whether fields are numbered automatically
  int64_t next = 0;
};

} // namespace

Value formatBraces(Context &context, std::string_view format, const Arguments &arguments) {
  return context.text(BraceFormatter(context, arguments).format(format));
}

} // namespace nstf::runtime::jinja
