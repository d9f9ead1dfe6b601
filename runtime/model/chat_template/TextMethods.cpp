// Methods of a text that return texts.
#include "runtime/model/chat_template/Casing.h"
#include "runtime/model/chat_template/Format.h"
#include "runtime/model/chat_template/Iterate.h"
#include "runtime/model/chat_template/Methods.h"
#include "runtime/model/chat_template/Text.h"

namespace nstf::runtime::jinja {

namespace {

/// Maps the text to another case.
template <std::string (*Map)(std::string_view)>
Value mapped(Context &context, const Value &self, const Arguments &arguments) {
  Bound(context, "this method", arguments, {});
  return context.text(Map(self.getText()));
}

template <bool left, bool right> Value stripped(Context &context, const Value &self, const Arguments &arguments) {
  const Bound bound(context, left && right ? "strip" : left ? "lstrip" : "rstrip", arguments, {"chars"}, 0, false);
  if (!bound.hasValue(0))
    return Value::text(stripSpaces(self.getText(), left, right));
  context.stepBytes(self.getText().size() * (bound.text(0).size() + 1));
  return Value::text(stripSet(self.getText(), bound.text(0), left, right));
}

Value listOf(Context &context, const std::vector<std::string_view> &parts) {
  std::vector<Value> items;
  for (std::string_view part : parts)
    items.push_back(Value::text(part));
  return context.list(items);
}

template <bool fromRight> Value split(Context &context, const Value &self, const Arguments &arguments) {
  const Bound bound(context, fromRight ? "rsplit" : "split", arguments, {"sep", "maxsplit"});
  const int64_t max = bound.integer(1, -1);
  if (!bound.hasValue(0))
    return listOf(context, splitSpaces(context, self.getText(), max, fromRight));
  if (bound.text(0).empty())
    context.fail("expected a text that isn't empty to split at");
  return listOf(context, splitAt(context, self.getText(), bound.text(0), max, fromRight));
}

Value splitlines(Context &context, const Value &self, const Arguments &arguments) {
  const Bound bound(context, "splitlines", arguments, {"keepends"});
  return listOf(context, splitLines(context, self.getText(), bound.flag(0)));
}

template <bool fromRight> Value partition(Context &context, const Value &self, const Arguments &arguments) {
  const Bound bound(context, fromRight ? "rpartition" : "partition", arguments, {"sep"}, 1, false);
  const std::string_view text = self.getText(), separator = bound.text(0);
  if (separator.empty())
    context.fail("expected a text that isn't empty to split at");
  const size_t found = fromRight ? findLastText(context, text, separator) : findText(context, text, separator);
  const Value none = Value::text("");
  if (found == std::string_view::npos)
    return fromRight ? context.tuple({none, none, self}) : context.tuple({self, none, none});
  return context.tuple(
      {Value::text(text.substr(0, found)), Value::text(separator), Value::text(text.substr(found + separator.size()))});
}

Value replace(Context &context, const Value &self, const Arguments &arguments) {
  const Bound bound(context, "replace", arguments, {"old", "new", "count"}, 2, false);
  return replaceText(context, self.getText(), bound.text(0), bound.text(1), bound.integer(2, -1));
}

Value removePrefix(Context &context, const Value &self, const Arguments &arguments) {
  const std::string_view prefix = Bound(context, "removeprefix", arguments, {"prefix"}, 1, false).text(0);
  return Value::text(self.getText().substr(self.getText().starts_with(prefix) ? prefix.size() : 0));
}

Value removeSuffix(Context &context, const Value &self, const Arguments &arguments) {
  const std::string_view suffix = Bound(context, "removesuffix", arguments, {"suffix"}, 1, false).text(0);
  return Value::text(
      self.getText().substr(0, self.getText().size() - (self.getText().ends_with(suffix) ? suffix.size() : 0)));
}

Value join(Context &context, const Value &self, const Arguments &arguments) {
  const Bound bound(context, "join", arguments, {"iterable"}, 1, false);
  Iterator &elements = iterate(context, bound.get(0));
  TextBuilder out(context);
  bool first = true;
  for (Value element; elements.next(context, element); first = false) {
    if (!element.isText())
      context.fail("expected texts to join but got " + std::string(describe(element)));
    out += first ? "" : self.getText();
    out += element.getText();
  }
  return out.finish();
}

template <char align> Value justified(Context &context, const Value &self, const Arguments &arguments) {
  const Bound bound(context,
                    align == '^'   ? "center"
                    : align == '<' ? "ljust"
                                   : "rjust",
                    arguments, {"width", "fillchar"}, 1, false);
  FormatSpec spec;
  spec.width = bound.integer(0);
  spec.fill = bound.text(1, " ");
  if (countCharacters(spec.fill) != 1)
    context.fail("expected one character to fill with");
  TextBuilder out(context);
  const auto length = static_cast<int64_t>(countCharacters(self.getText()));
  const int64_t space = spec.width > length ? spec.width - length : 0;
  // If the space is odd, str.center puts the larger half before the text for odd widths.
  const int64_t before = align == '<' ? 0 : align == '>' ? space : space / 2 + (space & spec.width & 1);
  out.repeat(spec.fill, before);
  out += self.getText();
  out.repeat(spec.fill, space - before);
  return out.finish();
}

Value zeroFilled(Context &context, const Value &self, const Arguments &arguments) {
  const int64_t width = Bound(context, "zfill", arguments, {"width"}, 1, false).integer(0);
  const std::string_view text = self.getText();
  const bool isSigned = !text.empty() && (text[0] == '-' || text[0] == '+');
  TextBuilder out(context);
  out += text.substr(0, isSigned);
  const auto length = static_cast<int64_t>(countCharacters(text));
  out.repeat("0", width > length ? width - length : 0);
  out += text.substr(isSigned);
  return out.finish();
}

Value format(Context &context, const Value &self, const Arguments &arguments) {
  return formatBraces(context, self.getText(), arguments);
}

const Method methods[] = {
    {"upper", mapped<toUpper>, true},
    {"lower", mapped<toLower>, true},
    {"title", mapped<toTitle>, true},
    {"capitalize", mapped<capitalize>, true},
    {"swapcase", mapped<swapCase>, true},
    {"casefold", mapped<foldCase>, true},
    {"strip", stripped<true, true>, true},
    {"lstrip", stripped<true, false>, true},
    {"rstrip", stripped<false, true>, true},
    {"split", split<false>},
    {"rsplit", split<true>},
    {"splitlines", splitlines},
    {"partition", partition<false>},
    {"rpartition", partition<true>},
    {"replace", replace},
    {"removeprefix", removePrefix},
    {"removesuffix", removeSuffix},
    {"join", join},
    {"center", justified<'^'>},
    {"ljust", justified<'<'>},
    {"rjust", justified<'>'>},
    {"zfill", zeroFilled},
    {"format", format},
};

} // namespace

const std::span<const Method> textMethods = methods;

} // namespace nstf::runtime::jinja
