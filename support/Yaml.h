// Reads a YAML file that people write.
//
// A YamlValue knows its place in the file. Every error is one line, "launch.yaml:12:7: expected X but got Y". Unknown
// and duplicate keys of a map are errors. So are a text that is too long or nests too deep (support/TextLimits.h), and
// a value that refers to itself.
#pragma once

#include "support/InputError.h"
#include "support/Number.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include <yaml-cpp/yaml.h>

namespace nstf::support {

class YamlMap;
struct YamlEntry;

class YamlValue {
public:
  /// Throws InputError.
  static YamlValue readFile(const std::filesystem::path &path);
  /// Reads the first document of a text; `file` is its name in messages.
  static YamlValue readText(std::string_view text, const std::string &file);

  const Place &place() const { return where; }
  bool isMap() const { return node.IsMap(); }
  bool isList() const { return node.IsSequence(); }
  bool isScalar() const { return node.IsScalar(); }
  bool isNull() const { return node.IsNull(); }
  /// Describes the value for messages: "'abc'", "a list of 3", "a map", "nothing".
  std::string describe() const;
  /// Throws "expected <what> but got <this>".
  [[noreturn]] void fail(const std::string &expected) const;

  /// A scalar as it is written; `text` refuses an empty one.
  std::string scalar(const std::string &expected) const;
  std::string text(const std::string &expected) const;
  Number number(const std::string &expected) const;
  /// A whole number from `min` to `max`.
  uint64_t whole(const std::string &expected, uint64_t min, uint64_t max = UINT64_MAX) const;
  int64_t integer(const std::string &expected, int64_t min, int64_t max = INT64_MAX) const;
  bool boolean(const std::string &expected) const;
  std::vector<YamlValue> list(const std::string &expected) const;
  /// A map that may have only the keys `known`; without `known`, any keys.
  YamlMap map(const std::string &expected, const std::vector<std::string> &known) const;
  YamlMap map(const std::string &expected) const;
  /// A map whose keys the user chooses, in the file's order.
  std::vector<YamlEntry> entries(const std::string &expected) const;

private:
  YamlValue(YAML::Node node, Place where) : node(std::move(node)), where(std::move(where)) {}
  YamlValue child(const YAML::Node &node, const Place &otherwise) const;
  std::optional<Number> whole() const;
  YAML::Node node;
  Place where;
};

/// A key and its value.
struct YamlEntry {
  std::string name;
  Place place; // place of the key
  YamlValue value;
};

class YamlMap {
public:
  const Place &place() const { return where; }
  bool has(std::string_view key) const { return find(key) != nullptr; }
  const YamlValue *find(std::string_view key) const;
  /// The value of a required key.
  const YamlValue &get(std::string_view key, const std::string &expected) const;
  const std::vector<YamlEntry> &all() const & { return entries; }
  void all() && = delete; // the entries must outlive a range-for over them

private:
  friend class YamlValue;
  Place where;
  std::vector<YamlEntry> entries;
};

} // namespace nstf::support
