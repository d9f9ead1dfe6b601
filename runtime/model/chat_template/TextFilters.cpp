// Filters that return texts.
#include "runtime/model/chat_template/Casing.h"
#include "runtime/model/chat_template/Filters.h"
#include "runtime/model/chat_template/Format.h"
#include "runtime/model/chat_template/Iterate.h"
#include "runtime/model/chat_template/Operators.h"
#include "runtime/model/chat_template/Print.h"
#include "runtime/model/chat_template/Text.h"
#include "runtime/model/tokenizer_json/Unicode.h"

#include <cstdio>

namespace nstf::runtime::jinja {

namespace {

/// Converts to a text; one that is marked as safe stays so.
Value asText(Context &context, const Value &value) {
  const Value text = value.isText() ? value : Value::text(toText(context, value));
  context.stepBytes(text.getText().size());
  return text;
}

template <std::string (*Map)(std::string_view)>
Value mapped(Context &context, const Value &value, const Arguments &arguments) {
  Bound(context, "this filter", arguments, {});
  const Value text = asText(context, value);
  return context.text(Map(text.getText()), text.isMarkup());
}

/// Upper case after white space, hyphens and brackets, lower case elsewhere.
std::string titleWords(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    auto isBetween = [](std::string_view character) {
      size_t position = 0;
      return std::string_view("-({[<").find(character) != std::string_view::npos ||
             isSpace(unicode::take(character, position));
    };
    const bool between = isBetween(text.substr(0, characterLength(text)));
    std::string_view rest = text;
    while (!rest.empty() && isBetween(rest.substr(0, characterLength(rest))) == between)
      takeCharacter(rest);
    std::string_view run = text.substr(0, text.size() - rest.size());
    result += toUpper(takeCharacter(run));
    result += toLower(run);
    text = rest;
  }
  return result;
}

Value trim(Context &context, const Value &value, const Arguments &arguments) {
  const Bound bound(context, "trim", arguments, {"chars"});
  const Value text = asText(context, value);
  if (!bound.hasValue(0))
    return Value::text(stripSpaces(text.getText()), text.isMarkup());
  context.stepBytes(text.getText().size() * (bound.text(0).size() + 1));
  return Value::text(stripSet(text.getText(), bound.text(0), true, true), text.isMarkup());
}

Value string(Context &context, const Value &value, const Arguments &arguments) {
  Bound(context, "string", arguments, {});
  return asText(context, value);
}

Value markSafe(Context &context, const Value &value, const Arguments &arguments) {
  Bound(context, "safe", arguments, {});
  return Value::text(toText(context, value), true);
}

Value forceEscape(Context &context, const Value &value, const Arguments &arguments) {
  Bound(context, "forceescape", arguments, {});
  TextBuilder out(context);
  appendEscaped(out, toText(context, value));
  return out.finish(true);
}

Value escape(Context &context, const Value &value, const Arguments &arguments) {
  return value.isMarkup() ? value : forceEscape(context, value, arguments);
}

Value replace(Context &context, const Value &value, const Arguments &arguments) {
  const Bound bound(context, "replace", arguments, {"old", "new", "count"}, 2);
  return replaceText(context, toText(context, value), toText(context, bound.get(0)), toText(context, bound.get(1)),
                     bound.hasValue(2) ? bound.integer(2) : -1);
}

Value format(Context &context, const Value &value, const Arguments &arguments) {
  if (!arguments.positional.empty() && !arguments.keywords.empty())
    context.fail("expected arguments of 'format' by position or by name but got both");
  std::vector<Entry> named;
  for (const auto &[name, argument] : arguments.keywords)
    named.push_back({Value::text(name), argument});
  return formatPercent(context, asText(context, value),
                       named.empty() ? context.sequence(Kind::Tuple, arguments.positional) : context.dict(named));
}

Value indent(Context &context, const Value &value, const Arguments &arguments) {
  const Bound bound(context, "indent", arguments, {"width", "first", "blank"});
  TextBuilder indentation(context);
  if (bound.has(0) && bound.get(0).isText())
    indentation += bound.text(0);
  else
    indentation.repeat(" ", bound.integer(0, 4));
  if (!value.isText())
    context.fail(value.isUndefined() ? describeUndefined(value)
                                     : "expected a text to indent but got " + std::string(describe(value)));
  TextBuilder out(context);
  if (bound.flag(1))
    out += indentation.view();
  bool first = true;
  // As if a line end followed, so that an empty text also has a line.
  const std::vector<std::string_view> lines =
      splitLines(context, context.text(std::string(value.getText()) + "\n").getText(), false);
  for (std::string_view line : lines) {
    if (!first)
      out += "\n";
    if (!first && (!line.empty() || bound.flag(2)))
      out += indentation.view();
    out += line;
    first = false;
  }
  return out.finish(value.isMarkup());
}

Value truncate(Context &context, const Value &value, const Arguments &arguments) {
  const Bound bound(context, "truncate", arguments, {"length", "killwords", "end", "leeway"});
  const int64_t length = bound.integer(0, 255), leeway = bound.hasValue(3) ? bound.integer(3) : 5;
  const std::string_view end = bound.text(2, "...");
  const auto endLength = static_cast<int64_t>(countCharacters(end));
  if (length < endLength || leeway < 0)
    context.fail("expected a length of at least " + std::to_string(endLength) +
                 " and a leeway of at least 0 of 'truncate'");
  if (getLength(context, value) - leeway <= length)
    return value;
  if (!value.isText())
    context.fail("expected a text to truncate but got " + std::string(describe(value)));
  const std::string_view text = value.getText();
  std::string_view kept = text.substr(0, getOffset(text, static_cast<size_t>(length - endLength)));
  if (!bound.flag(1))
    kept = kept.substr(0, kept.rfind(' '));
  TextBuilder out(context);
  out += kept;
  out += end;
  return out.finish();
}

Value center(Context &context, const Value &value, const Arguments &arguments) {
  const int64_t width = Bound(context, "center", arguments, {"width"}).integer(0, 80);
  const Value text = asText(context, value);
  const auto length = static_cast<int64_t>(countCharacters(text.getText()));
  const int64_t space = width > length ? width - length : 0, before = space / 2 + (space & width & 1);
  TextBuilder out(context);
  out.repeat(" ", before);
  out += text.getText();
  out.repeat(" ", space - before);
  return out.finish(text.isMarkup());
}

Value wordCount(Context &context, const Value &value, const Arguments &arguments) {
  Bound(context, "wordcount", arguments, {});
  const Value text = asText(context, value);
  int64_t words = 0;
  bool inWord = false;
  for (size_t at = 0; at < text.getText().size();) {
    const char32_t character = unicode::take(text.getText(), at);
    const bool word = character == '_' || isLetter(character) || unicode::isNumber(character);
    words += word && !inWord;
    inWord = word;
  }
  return Value::integer(words);
}

/// Percent-encodes bytes that are not safe in a URL.
void appendQuoted(TextBuilder &out, std::string_view text, bool query) {
  for (const char byte : text) {
    const bool plain =
        std::isalnum(static_cast<unsigned char>(byte)) || std::string_view("_.-~").find(byte) != std::string_view::npos;
    if (plain || (byte == '/' && !query))
      out += byte;
    else if (byte == ' ' && query)
      out += '+';
    else {
      char buffer[8];
      std::snprintf(buffer, sizeof buffer, "%%%02X", static_cast<unsigned char>(byte));
      out += buffer;
    }
  }
}

Value urlEncode(Context &context, const Value &value, const Arguments &arguments) {
  Bound(context, "urlencode", arguments, {});
  TextBuilder out(context);
  if (value.isText() || !isIterable(value)) {
    appendQuoted(out, toText(context, value), false);
    return out.finish();
  }
  Iterator &pairs = iterate(context, value.is(Kind::Dict) ? value.as(Kind::Items) : value);
  bool first = true;
  for (Value pair; pairs.next(context, pair); first = false) {
    const std::vector<Value> parts = collect(context, pair);
    if (parts.size() != 2)
      context.fail("expected pairs to encode");
    out += first ? "" : "&";
    appendQuoted(out, toText(context, parts[0]), true);
    out += "=";
    appendQuoted(out, toText(context, parts[1]), true);
  }
  return out.finish();
}

/// json.dumps with transformers' parameters.
Value json(Context &context, const Value &value, const Arguments &arguments) {
  const Bound bound(context, "tojson", arguments, {"ensure_ascii", "indent", "separators", "sort_keys"});
  JsonStyle style;
  style.ensureAscii = bound.flag(0);
  style.sortKeys = bound.flag(3);
  if (bound.hasValue(1)) {
    TextBuilder indentation(context);
    if (bound.get(1).isText())
      indentation += bound.text(1);
    else
      indentation.repeat(" ", bound.integer(1));
    style.indent = indentation.finish().getText();
    style.itemSeparator = ",";
  }
  if (bound.hasValue(2)) {
    const std::vector<Value> separators = collect(context, bound.get(2));
    if (separators.size() != 2 || !separators[0].isText() || !separators[1].isText())
      context.fail("expected two texts as 'separators' of 'tojson'");
    style.itemSeparator = separators[0].getText();
    style.keySeparator = separators[1].getText();
  }
  return context.text(toJson(context, value, style));
}

const Filter filters[] = {
    {"upper", mapped<toUpper>},
    {"lower", mapped<toLower>},
    {"title", mapped<titleWords>},
    {"capitalize", mapped<capitalize>},
    {"trim", trim},
    {"string", string},
    {"safe", markSafe},
    {"escape", escape},
    {"e", escape},
    {"forceescape", forceEscape},
    {"replace", replace},
    {"format", format},
    {"indent", indent},
    {"truncate", truncate},
    {"center", center},
    {"wordcount", wordCount},
    {"urlencode", urlEncode},
    {"tojson", json},
};

} // namespace

const std::span<const Filter> textFilters = filters;

} // namespace nstf::runtime::jinja
