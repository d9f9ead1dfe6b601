#include "support/JsonCursor.h"
#include "support/Escape.h"
#include "support/InputError.h"

namespace nstf::support {

std::string JsonCursor::place() const { return *file + ": " + escape(path); }

void JsonCursor::fail(const std::string &message) const { Place::of(*file).error(escape(path) + ": " + message); }

void JsonCursor::failExpected(const std::string &what) const {
  std::string got;
  if (value->is_object())
    got = "an object";
  else if (value->is_array())
    got = "an array of " + std::to_string(value->size());
  else
    got = describeJson(*value, 80);
  fail("expected " + what + " but got " + got);
}

void JsonCursor::expectObject() const {
  if (!value->is_object())
    failExpected("an object");
}

JsonCursor JsonCursor::operator[](const char *key) const {
  if (std::optional<JsonCursor> member = find(key))
    return *member;
  fail("expected a member \"" + std::string(key) + "\" but it is missing");
}

std::optional<JsonCursor> JsonCursor::find(const char *key) const {
  expectObject();
  auto it = value->find(key);
  if (it == value->end())
    return std::nullopt;
  return JsonCursor(*it, file, path + "." + key);
}

std::vector<JsonCursor> JsonCursor::elements(size_t min, size_t max) const {
  if (!value->is_array() || value->size() < min || value->size() > max) {
    if (min == max)
      failExpected("an array of " + std::to_string(min));
    failExpected(min == 0 ? "an array" : "an array of at least " + std::to_string(min));
  }
  std::vector<JsonCursor> result;
  result.reserve(value->size());
  for (size_t i = 0; i < value->size(); ++i)
    result.push_back(JsonCursor((*value)[i], file, path + "[" + std::to_string(i) + "]"));
  return result;
}

std::vector<std::pair<std::string, JsonCursor>> JsonCursor::members() const {
  expectObject();
  std::vector<std::pair<std::string, JsonCursor>> result;
  for (auto it = value->begin(); it != value->end(); ++it)
    result.emplace_back(it.key(), JsonCursor(*it, file, path + "." + it.key()));
  return result;
}

std::string JsonCursor::string() const {
  if (!value->is_string())
    failExpected("a string");
  std::string text = value->get<std::string>();
  if (text.find('\0') != std::string::npos)
    failExpected("a string without NUL");
  return text;
}

std::string JsonCursor::nonEmptyString() const {
  std::string text = string();
  if (text.empty())
    failExpected("a string that is not empty");
  return text;
}

uint64_t JsonCursor::integer(uint64_t min, uint64_t max) const {
  // The parser stores a non-negative integer as unsigned. It stores 1.0, 1e3 and integers of more than 64 bits as
  // floats, which are refused here.
  if (!value->is_number_unsigned() || value->get<uint64_t>() < min || value->get<uint64_t>() > max)
    failExpected(min == max ? std::to_string(min)
                            : "an integer from " + std::to_string(min) + " to " + std::to_string(max));
  return value->get<uint64_t>();
}

double JsonCursor::number() const {
  if (!value->is_number())
    failExpected("a number");
  return value->get<double>();
}

bool JsonCursor::boolean() const {
  if (!value->is_boolean())
    failExpected("true or false");
  return value->get<bool>();
}

size_t JsonCursor::getChoice(std::initializer_list<std::string_view> names) const {
  std::string list;
  size_t index = 0;
  for (std::string_view name : names) {
    if (value->is_string() && value->get_ref<const std::string &>() == name)
      return index;
    list += (index++ ? ", " : "") + std::string(name);
  }
  failExpected("one of " + list);
}

} // namespace nstf::support
