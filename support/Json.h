// JSON as a tree, for files somebody may have edited: syntax errors say where, and no key stands twice in an object
// (nlohmann::json alone keeps the last of two in silence). Time is linear in the length of the text.
#pragma once

#include <nlohmann/json.hpp>

#include <stdexcept>
#include <string>
#include <string_view>

namespace nstf {

/// What isn't JSON; the message says why and at which line and column.
struct JsonSyntaxError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What is too long or nests too deep (support/TextLimits.h).
struct JsonExcess : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// An object that has a key twice.
struct JsonDuplicateKey : std::runtime_error {
  explicit JsonDuplicateKey(const std::string &key)
      : std::runtime_error("the key '" + key + "' stands twice in one object"), key(key) {}
  std::string key;
};

/// Throws JsonSyntaxError, JsonExcess or JsonDuplicateKey.
nlohmann::json parseJsonTree(std::string_view text);

} // namespace nstf
