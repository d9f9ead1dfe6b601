#include "runtime/model/tokenizer_json/ReadFields.h"
#include "runtime/model/tokenizer_json/Unicode.h"
#include "support/Escape.h"

#include <stdexcept>

namespace nstf::runtime {

bool readFlag(const support::JsonCursor &json, const char *key, bool absent) {
  std::optional<support::JsonCursor> value = json.find(key);
  return value && !value->isNull() ? value->boolean() : absent;
}

std::string readText(const support::JsonCursor &json, const char *key) {
  std::optional<support::JsonCursor> value = json.find(key);
  return value && !value->isNull() ? value->string() : "";
}

char32_t readCharacter(const support::JsonCursor &value) {
  std::string text = value.string();
  std::size_t position = 0;
  char32_t character = text.empty() ? 0 : unicode::take(text, position);
  if (text.empty() || position != text.size())
    value.failExpected("one character");
  return character;
}

Pattern readPattern(const support::JsonCursor &value) {
  if (std::optional<support::JsonCursor> text = value.find("String"))
    return Pattern::literal(text->nonEmptyString());
  support::JsonCursor place = value["Regex"];
  std::string expression = place.nonEmptyString(), problem;
  try {
    return Pattern::compile(expression);
  } catch (const std::runtime_error &error) {
    problem = error.what();
  }
  place.failExpected("a regular expression (" + support::escape(problem) + ")");
}

int32_t readId(const support::JsonCursor &value) { return static_cast<int32_t>(value.integer(0, maxTokenId)); }

} // namespace nstf::runtime
