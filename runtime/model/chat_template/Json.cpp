// The filter tojson: the output of json.dumps.
#include "runtime/model/chat_template/Numbers.h"
#include "runtime/model/chat_template/Operators.h"
#include "runtime/model/chat_template/Print.h"
#include "runtime/model/tokenizer_json/Unicode.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace nstf::runtime::jinja {

namespace {

class JsonWriter {
public:
  JsonWriter(Context &context, const JsonStyle &style) : context(context), style(style), out(context) {}

  void write(const Value &value) {
    Context::Level level(context);
    context.step();
    switch (value.kind()) {
    case Kind::None:
      out += "null";
      break;
    case Kind::Boolean:
      out += value.getBoolean() ? "true" : "false";
      break;
    case Kind::Integer:
      out += std::to_string(value.getInteger());
      break;
    case Kind::Float:
      out += numberText(value.getReal());
      break;
    case Kind::Text:
      writeText(value.getText());
      break;
    case Kind::List:
    case Kind::Tuple:
      writeParts('[', value.getItems(), ']', [&](const Value &part) { write(part); });
      break;
    case Kind::Dict:
      writeDict(value.getEntries());
      break;
    default:
      context.fail("expected a value that JSON has but got " +
                   (value.isUndefined() ? describeUndefined(value) : std::string(describe(value))));
    }
  }

  std::string take() { return out.take(); }

private:
  static std::string numberText(double value) {
    return std::isnan(value) ? "NaN" : std::isinf(value) ? value < 0 ? "-Infinity" : "Infinity" : formatReal(value);
  }

  void breakLine() {
    if (!style.indent)
      return;
    out += '\n';
    out.repeat(*style.indent, depth);
  }

  template <typename Parts, typename Write> void writeParts(char begin, const Parts &parts, char end, Write writePart) {
    out += begin;
    ++depth;
    bool first = true;
    for (const auto &part : parts) {
      if (!first)
        out += style.itemSeparator;
      first = false;
      breakLine();
      writePart(part);
    }
    --depth;
    if (!first)
      breakLine();
    out += end;
  }

  void writeDict(std::span<const Entry> entries) {
    std::vector<Entry> sorted;
    if (style.sortKeys) {
      sorted.assign(entries.begin(), entries.end());
      std::stable_sort(sorted.begin(), sorted.end(),
                       [&](const Entry &left, const Entry &right) { return isLess(context, left.key, right.key); });
      entries = sorted;
    }
    writeParts('{', entries, '}', [&](const Entry &entry) {
      writeKey(entry.key);
      out += style.keySeparator;
      write(entry.value);
    });
  }

  void writeKey(const Value &key) {
    if (key.isText())
      return writeText(key.getText());
    if (!key.isNumber() && !key.is(Kind::None))
      context.fail("expected keys that JSON has but got " + std::string(describe(key)));
    out += '"';
    write(key);
    out += '"';
  }

  void writeText(std::string_view text) {
    out += '"';
    size_t begin = 0;
    for (size_t position = 0; position < text.size();) {
      const size_t at = position;
      const char32_t character = unicode::take(text, position);
      const bool plain =
          character >= ' ' && character != '"' && character != '\\' && !(style.ensureAscii && character > '~');
      if (plain)
        continue;
      out += text.substr(begin, at - begin);
      begin = position;
      writeEscape(character);
    }
    out += text.substr(begin);
    out += '"';
  }

  void writeEscape(char32_t character) {
    constexpr std::string_view characters = "\"\\\n\r\t\f\b", letters = "\"\\nrtfb";
    const size_t index = character < 0x80 ? characters.find(static_cast<char>(character)) : std::string_view::npos;
    if (index != std::string_view::npos) {
      out += '\\';
      out += letters[index];
      return;
    }
    char buffer[16];
    if (character < 0x10000)
      std::snprintf(buffer, sizeof buffer, "\\u%04x", static_cast<unsigned>(character));
    else
      std::snprintf(buffer, sizeof buffer, "\\u%04x\\u%04x",
                    static_cast<unsigned>(0xd800 + ((character - 0x10000) >> 10)),
                    static_cast<unsigned>(0xdc00 + ((character - 0x10000) & 0x3ff)));
    out += buffer;
  }

  Context &context;
  const JsonStyle &style;
  TextBuilder out;
  int64_t depth = 0;
};

} // namespace

std::string toJson(Context &context, const Value &value, const JsonStyle &style) {
  JsonWriter writer(context, style);
  writer.write(value);
  return writer.take();
}

} // namespace nstf::runtime::jinja
