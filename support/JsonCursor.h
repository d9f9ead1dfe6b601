// A value of a JSON file that knows where it stands.
//
// Reading a file somebody may have edited means asking of every value: is it there, is it of this type, is it in this
// range. A cursor is a value with its path, so each question is one call and each error says
// "<file>: $.model.context: expected an integer from 1 to 2147483647 but got "x"".
#pragma once

#include "support/Json.h"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nstf::support {

class JsonCursor {
public:
  /// The root of a document; both live longer than the cursor.
  JsonCursor(const nlohmann::json &value, const std::string &file) : value(&value), file(&file), path("$") {}

  /// A member that must be there.
  JsonCursor operator[](const char *key) const;
  /// A member that may be absent.
  std::optional<JsonCursor> find(const char *key) const;
  /// The elements of an array with `min` … `max` of them.
  std::vector<JsonCursor> elements(size_t min = 0, size_t max = SIZE_MAX) const;
  /// The members of an object.
  std::vector<std::pair<std::string, JsonCursor>> members() const;

  std::string string() const;
  std::string nonEmptyString() const;
  uint64_t integer(uint64_t min, uint64_t max) const;
  /// Any number, as a double.
  double number() const;
  bool boolean() const;
  /// Index of the string in `names`.
  size_t oneOf(std::initializer_list<std::string_view> names) const;
  bool isNull() const { return value->is_null(); }
  bool isString() const { return value->is_string(); }
  bool isArray() const { return value->is_array(); }

  /// Throws InputError "<file>: <path>: <message>".
  [[noreturn]] void fail(const std::string &message) const;
  /// Throws "<file>: <path>: expected <what> but got <this value>".
  [[noreturn]] void failExpected(const std::string &what) const;
  const std::string &where() const { return path; }
  /// "<file>: <path>", for errors that come up later.
  std::string place() const;

private:
  JsonCursor(const nlohmann::json &value, const std::string *file, std::string path)
      : value(&value), file(file), path(std::move(path)) {}
  void expectObject() const;

  const nlohmann::json *value;
  const std::string *file;
  std::string path;
};

} // namespace nstf::support
