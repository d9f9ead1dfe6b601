// Reading a YAML file that people write.
//
// A value of the file that knows its place. Whatever is wrong ends in one line, "launch.yaml:12:7: error: expected X
// but got Y". Keys that a map doesn't know, and keys that stand twice, are errors.
#pragma once

#include "runtime/emulator/launch/ElementType.h"

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>
#include <yaml-cpp/yaml.h>

namespace nstf::emulator {

/// A fault in what the user gave. The message is complete.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A place in a file; lines and columns count from 1.
struct Place {
  std::shared_ptr<const std::string> file;
  unsigned line = 0, column = 0;
  /// Throws InputError "file:line:column: error: message".
  [[noreturn]] void error(const std::string &message) const;
};

/// The name among `known` that is nearest to `name`, as ", did you mean 'x'?"; empty where none is near.
std::string didYouMean(std::string_view name, const std::vector<std::string> &known);

class YamlMap;

class YamlValue {
public:
  /// Reads a file. Throws InputError.
  static YamlValue readFile(const std::filesystem::path &path);
  /// Reads a text; `name` stands for the file in messages.
  static YamlValue readText(const std::string &text, const std::string &name);

  const Place &place() const { return where; }
  bool isMap() const { return node.IsMap(); }
  bool isList() const { return node.IsSequence(); }
  bool isScalar() const { return node.IsScalar(); }
  /// What it is, for messages: "'abc'", "a list", "a map", "nothing".
  std::string describe() const;
  /// Throws "expected <what> but got <this>".
  [[noreturn]] void fail(const std::string &expected) const;

  std::string text(const std::string &expected) const;
  Number number(const std::string &expected) const;
  uint64_t whole(const std::string &expected, uint64_t least, uint64_t most) const;
  bool boolean(const std::string &expected) const;
  std::vector<YamlValue> list(const std::string &expected) const;
  /// A map with some of the keys `known`.
  YamlMap map(const std::string &expected, std::initializer_list<std::string_view> known) const;
  /// A map of names that the user chooses, in the file's order.
  std::vector<std::pair<std::string, YamlValue>> entries(const std::string &expected) const;

private:
  friend class YamlMap;
  YamlValue(YAML::Node node, Place where) : node(std::move(node)), where(std::move(where)) {}
  YamlValue child(const YAML::Node &node, const Place &otherwise) const;
  YAML::Node node;
  Place where;
};

class YamlMap {
public:
  const Place &place() const { return where; }
  bool has(std::string_view key) const { return find(key) != nullptr; }
  const YamlValue *find(std::string_view key) const;
  /// The value of a key that must be there.
  const YamlValue &get(std::string_view key, const std::string &expected) const;
  const std::vector<std::pair<std::string, YamlValue>> &all() const { return entries; }

private:
  friend class YamlValue;
  Place where;
  std::vector<std::pair<std::string, YamlValue>> entries;
};

} // namespace nstf::emulator
