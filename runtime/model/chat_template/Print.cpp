#include "runtime/model/chat_template/Print.h"
#include "runtime/model/chat_template/Casing.h"
#include "runtime/model/chat_template/Functions.h"
#include "runtime/model/chat_template/Macro.h"
#include "runtime/model/chat_template/Numbers.h"
#include "runtime/model/tokenizer_json/Unicode.h"

#include <cstdio>

namespace nstf::runtime::jinja {

namespace {

std::string escapeCharacter(char32_t character) {
  char buffer[12];
  std::snprintf(buffer, sizeof buffer,
                character < 0x100     ? "\\x%02x"
                : character < 0x10000 ? "\\u%04x"
                                      : "\\U%08x",
                static_cast<unsigned>(character));
  return buffer;
}

/// Writes the text in single quotes, or in double ones if these avoid escapes.
void appendQuoted(TextBuilder &out, std::string_view text) {
  const bool single = text.find('\'') == std::string_view::npos || text.find('"') != std::string_view::npos;
  const char quote = single ? '\'' : '"';
  out += quote;
  for (size_t position = 0; position < text.size();) {
    const size_t begin = position;
    const char32_t character = unicode::take(text, position);
    if (character == static_cast<char32_t>(quote) || character == '\\')
      out += '\\';
    if (character == '\n')
      out += "\\n";
    else if (character == '\r')
      out += "\\r";
    else if (character == '\t')
      out += "\\t";
    else if (isPrintable(character))
      out += text.substr(begin, position - begin);
    else
      out += escapeCharacter(character);
  }
  out += quote;
}

/// Appends parts separated by ", ", each by `append(part)`.
template <typename Parts, typename Append>
void appendList(TextBuilder &out, std::string_view begin, const Parts &parts, std::string_view end, Append append) {
  out += begin;
  bool first = true;
  for (const auto &part : parts) {
    out += first ? "" : ", ";
    first = false;
    append(part);
  }
  out += end;
}

void appendView(TextBuilder &out, Context &context, const Value &value) {
  appendList(out,
             value.is(Kind::Keys)     ? "dict_keys(["
             : value.is(Kind::Values) ? "dict_values(["
                                      : "dict_items([",
             value.getEntries(), "])", [&](const Entry &entry) {
               out += value.is(Kind::Items) ? "(" : "";
               if (!value.is(Kind::Values))
                 appendRepr(out, context, entry.key);
               out += value.is(Kind::Items) ? ", " : "";
               if (!value.is(Kind::Keys))
                 appendRepr(out, context, entry.value);
               out += value.is(Kind::Items) ? ")" : "";
             });
}

void appendRange(TextBuilder &out, const Range &range) {
  out += "range(" + std::to_string(range.start) + ", " + std::to_string(range.stop);
  out += range.step == 1 ? ")" : ", " + std::to_string(range.step) + ")";
}

void appendNamespace(TextBuilder &out, Context &context, const Namespace &space) {
  appendList(out, "<Namespace {", space.members, "}>", [&](const std::pair<std::string_view, Value> &member) {
    appendQuoted(out, member.first);
    out += ": ";
    appendRepr(out, context, member.second);
  });
}

} // namespace

void appendRepr(TextBuilder &out, Context &context, const Value &value) {
  Context::Level level(context);
  context.step();
  auto append = [&](const Value &part) { appendRepr(out, context, part); };
  switch (value.kind()) {
  case Kind::Undefined:
    out += "Undefined";
    break;
  case Kind::None:
    out += "None";
    break;
  case Kind::Boolean:
    out += value.getBoolean() ? "True" : "False";
    break;
  case Kind::Integer:
    out += std::to_string(value.getInteger());
    break;
  case Kind::Float:
    out += formatReal(value.getReal());
    break;
  case Kind::Text:
    out += value.isMarkup() ? "Markup(" : "";
    appendQuoted(out, value.getText());
    out += value.isMarkup() ? ")" : "";
    break;
  case Kind::List:
    appendList(out, "[", value.getItems(), "]", append);
    break;
  case Kind::Tuple:
    appendList(out, "(", value.getItems(), value.getItems().size() == 1 ? ",)" : ")", append);
    break;
  case Kind::Dict:
    appendList(out, "{", value.getEntries(), "}", [&](const Entry &entry) {
      append(entry.key);
      out += ": ";
      append(entry.value);
    });
    break;
  case Kind::Keys:
  case Kind::Values:
  case Kind::Items:
    appendView(out, context, value);
    break;
  case Kind::Range:
    appendRange(out, value.get<Range>());
    break;
  case Kind::Namespace:
    appendNamespace(out, context, value.get<Namespace>());
    break;
  case Kind::Macro: {
    const std::string_view name = value.get<Macro>().body->name;
    out += "<Macro ";
    name.empty() ? void(out += "anonymous") : appendQuoted(out, name);
    out += ">";
    break;
  }
  default:
    context.fail("expected a value that can be printed but got " + std::string(describe(value)));
  }
}

std::string_view toText(Context &context, const Value &value) {
  if (value.isText())
    return value.getText();
  if (value.isUndefined())
    return {};
  TextBuilder out(context);
  appendRepr(out, context, value);
  return out.finish().getText();
}

std::string escapeNonAscii(std::string_view repr) {
  std::string result;
  for (size_t position = 0; position < repr.size();) {
    const char32_t character = unicode::take(repr, position);
    result += character < 0x80 ? std::string(1, static_cast<char>(character)) : escapeCharacter(character);
  }
  return result;
}

} // namespace nstf::runtime::jinja
