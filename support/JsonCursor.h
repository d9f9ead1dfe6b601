// A value of a JSON file with its path.
//
// A reader of a file that somebody may have edited checks each value: whether it is present, its type and its range.
// With a cursor each check is one call, and each error gives the path: "<file>: $.model.context: expected an integer
// from 1 to 2147483647 but got "x"".
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
  /// The root of a document. `value` and `file` must outlive the cursor.
  JsonCursor(const nlohmann::json &value, const std::string &file) : value(&value), file(&file), path("$") {}

  /// A required member.
  JsonCursor operator[](const char *key) const;
  /// An optional member.
  std::optional<JsonCursor> find(const char *key) const;
  /// The elements of an array, which must have `min` … `max` of them.
  std::vector<JsonCursor> elements(size_t min = 0, size_t max = SIZE_MAX) const;
  /// The members of an object.
  std::vector<std::pair<std::string, JsonCursor>> members() const;

  std::string string() const;
  std::string nonEmptyString() const;
  uint64_t integer(uint64_t min, uint64_t max) const;
  /// Any number, as a double.
  double number() const;
  bool boolean() const;
  /// The index in `names` of this string.
  size_t getChoice(std::initializer_list<std::string_view> names) const;
  bool isNull() const { return value->is_null(); }
  bool isString() const { return value->is_string(); }
  bool isArray() const { return value->is_array(); }

  /// Throws InputError "<file>: <path>: <message>".
  [[noreturn]] void fail(const std::string &message) const;
  /// Throws "<file>: <path>: expected <what> but got <this value>".
  [[noreturn]] void failExpected(const std::string &what) const;
  const std::string &where() const { return path; }
  /// "<file>: <path>", for errors that are found later.
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
