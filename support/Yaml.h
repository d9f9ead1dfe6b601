// Reading a YAML file that people write.
//
// A value of the file that knows its place. Whatever is wrong ends in one line, "launch.yaml:12:7: expected X but got
// Y". Keys that a map doesn't know, and keys that stand twice, are errors; so is what is too long, nests too deep
// (support/TextLimits.h) or refers to itself.
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
  /// The first document of a text; `file` is its name in messages.
  static YamlValue readText(std::string_view text, const std::string &file);

  const Place &place() const { return where; }
  bool isMap() const { return node.IsMap(); }
  bool isList() const { return node.IsSequence(); }
  bool isScalar() const { return node.IsScalar(); }
  bool isNull() const { return node.IsNull(); }
  /// What it is, for messages: "'abc'", "a list of 3", "a map", "nothing".
  std::string describe() const;
  /// Throws "expected <what> but got <this>".
  [[noreturn]] void fail(const std::string &expected) const;

  /// A scalar as it is written; of `text` it is not empty.
  std::string scalar(const std::string &expected) const;
  std::string text(const std::string &expected) const;
  Number number(const std::string &expected) const;
  /// A whole number from `least` to `most`.
  uint64_t whole(const std::string &expected, uint64_t min, uint64_t max = UINT64_MAX) const;
  int64_t integer(const std::string &expected, int64_t min, int64_t max = INT64_MAX) const;
  bool boolean(const std::string &expected) const;
  std::vector<YamlValue> list(const std::string &expected) const;
  /// A map with some of the keys `known`; without them any keys.
  YamlMap map(const std::string &expected, const std::vector<std::string> &known) const;
  YamlMap map(const std::string &expected) const;
  /// A map of names that the user chooses, in the file's order.
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
  Place place; // of the key
  YamlValue value;
};

class YamlMap {
public:
  const Place &place() const { return where; }
  bool has(std::string_view key) const { return find(key) != nullptr; }
  const YamlValue *find(std::string_view key) const;
  /// The value of a key that must be there.
  const YamlValue &get(std::string_view key, const std::string &expected) const;
  const std::vector<YamlEntry> &all() const & { return entries; }
  void all() && = delete; // it would not outlive the loop's head

private:
  friend class YamlValue;
  Place where;
  std::vector<YamlEntry> entries;
};

} // namespace nstf::support
