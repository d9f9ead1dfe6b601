// "%s" % value.
#include "runtime/model/chat_template/Format.h"
#include "runtime/model/chat_template/Numbers.h"
#include "runtime/model/chat_template/Operators.h"
#include "runtime/model/chat_template/Print.h"
#include "runtime/model/chat_template/Text.h"
#include "runtime/model/tokenizer_json/Unicode.h"
#include "support/Escape.h"

namespace nstf::runtime::jinja {

namespace {

class PercentFormatter {
public:
  PercentFormatter(Context &context, const Value &values) : context(context), values(values), out(context) {}

  Value format(std::string_view format) {
    while (true) {
      const size_t percent = format.find('%');
      if (percent == std::string_view::npos)
        break;
      out += format.substr(0, percent);
      rest = format.substr(percent + 1);
      formatField();
      format = rest;
    }
    out += format;
    const bool hasMembers =
        values.is(Kind::Dict) || values.is(Kind::List) || values.is(Kind::Range) || values.isUndefined();
    if (!hasMembers && next < count())
      context.fail("expected " + std::to_string(next) + " values for the format but got " + std::to_string(count()));
    return out.finish();
  }

private:
  size_t count() const { return values.is(Kind::Tuple) ? values.getItems().size() : 1; }

  Value takeValue() {
    if (next >= count())
      context.fail("expected more values for the format than " + std::to_string(count()));
    return values.is(Kind::Tuple) ? values.getItems()[next++] : (++next, values);
  }

  char takeByte() {
    if (rest.empty())
      context.fail("expected a conversion behind '%'");
    const char byte = rest[0];
    rest.remove_prefix(1);
    return byte;
  }

  /// Reads digits, or * for the next value.
  int64_t takeNumber() {
    if (!rest.empty() && rest[0] == '*') {
      takeByte();
      const Value value = takeValue();
      if (!value.isInteger())
        context.fail("expected an integer for '*' but got " + std::string(describe(value)));
      return value.getInteger();
    }
    int64_t number = 0;
    while (!rest.empty() && rest[0] >= '0' && rest[0] <= '9') {
      number = number * 10 + (takeByte() - '0');
      context.checkText(static_cast<uint64_t>(number));
    }
    return number;
  }

  std::optional<Value> takeMember() {
    if (rest.empty() || rest[0] != '(')
      return std::nullopt;
    size_t depth = 0, end = 0;
    do {
      if (end == rest.size())
        context.fail("expected ')' behind the name in the format");
      depth += rest[end] == '(';
      depth -= rest[end] == ')';
      ++end;
    } while (depth);
    const std::string_view name = rest.substr(1, end - 2);
    rest.remove_prefix(end);
    if (!values.is(Kind::Dict))
      context.fail("expected a dict for the names in the format but got " + std::string(describe(values)));
    const Value *found = find(context, values.getEntries(), Value::text(name));
    if (!found)
      context.fail("expected a value for the name '" + support::escape(name, 60) + "' in the format");
    return *found;
  }

  void formatField() {
    const std::optional<Value> member = takeMember();
    FormatSpec spec;
    bool zeros = false;
    for (; !rest.empty() && std::string_view("-+ #0").find(rest[0]) != std::string_view::npos; takeByte()) {
      if (rest[0] == '-')
        spec.align = '<';
      else if (rest[0] == '#')
        spec.alternate = true;
      else if (rest[0] == '0')
        zeros = true;
      else if (spec.sign != '+')
        spec.sign = rest[0];
    }
    spec.width = takeNumber();
    if (spec.width < 0) {
      spec.align = '<';
      spec.width = -spec.width;
    }
    if (!rest.empty() && rest[0] == '.') {
      takeByte();
      spec.precision = std::max<int64_t>(takeNumber(), 0);
    }
    if (!rest.empty() && std::string_view("hlL").find(rest[0]) != std::string_view::npos)
      takeByte();
    spec.type = takeByte();
    if (spec.type == '%')
      return void(out += "%");
    const Value value = member ? *member : takeValue();
    if (std::string_view("sra").find(spec.type) != std::string_view::npos)
      return formatText(value, spec);
    if (spec.type == 'c')
      return formatCharacter(value, spec);
    if (zeros && !spec.align) {
      spec.align = '=';
      spec.fill = "0";
    }
    appendAligned(out, numberText(value, spec), spec, '>');
  }

  void formatText(const Value &value, const FormatSpec &spec) {
    std::string_view text;
    TextBuilder repr(context);
    std::string ascii;
    if (spec.type == 's')
      text = toText(context, value);
    else {
      appendRepr(repr, context, value);
      ascii = spec.type == 'a' ? escapeNonAscii(repr.view()) : std::string(repr.view());
      text = ascii;
    }
    if (spec.precision >= 0)
      text = text.substr(0, getOffset(text, static_cast<size_t>(spec.precision)));
    appendAligned(out, text, spec, '>');
  }

  void formatCharacter(const Value &value, const FormatSpec &spec) {
    if (value.isInteger())
      return appendAligned(out, formatNumber(context, value, {.type = 'c'}), spec, '>');
    if (!value.isText() || countCharacters(value.getText()) != 1)
      context.fail("expected a character for '%c' but got " + std::string(describe(value)));
    appendAligned(out, value.getText(), spec, '>');
  }

  std::string numberText(const Value &value, FormatSpec &spec) {
    const bool decimal = std::string_view("diu").find(spec.type) != std::string_view::npos;
    const bool whole = decimal || std::string_view("oxX").find(spec.type) != std::string_view::npos;
    if (!whole && std::string_view("eEfFgG").find(spec.type) == std::string_view::npos)
      context.fail("expected a conversion behind '%' but got '" + support::escape(std::string_view(&spec.type, 1)) +
                   "'");
    const bool takes = whole && !decimal ? value.isInteger() : value.isNumber();
    if (!takes)
      context.fail(value.isUndefined() ? describeUndefined(value)
                                       : std::string("expected a number for '%") + spec.type + "' but got " +
                                             std::string(describe(value)));
    if (!whole)
      return formatNumber(context, value, spec);
    FormatSpec digits = {.sign = spec.sign, .alternate = spec.alternate, .type = decimal ? 'd' : spec.type};
    std::string text = formatNumber(
        context, Value::integer(value.is(Kind::Float) ? truncate(context, value.getReal()) : value.getInteger()),
        digits);
    // The precision is the minimum number of digits.
    const size_t first = text.find_first_not_of("+- ") + (spec.alternate && !decimal ? 2 : 0);
    const auto missing = spec.precision - static_cast<int64_t>(text.size() - first);
    if (missing > 0) {
      context.checkText(static_cast<uint64_t>(spec.precision));
      text.insert(first, static_cast<size_t>(missing), '0');
    }
    return text;
  }

  Context &context;
  const Value &values;
  TextBuilder out;
  std::string_view rest;
  size_t next = 0; // index of the next value
};

} // namespace

Value formatPercent(Context &context, const Value &format, const Value &values) {
  if (format.isMarkup())
    context.fail("'%' of " + std::string(describe(format)) + " is not supported");
  return PercentFormatter(context, values).format(format.getText());
}

} // namespace nstf::runtime::jinja
