// Tokens that are searched verbatim in a text before the model of words or pieces encodes it: special ones ("<s>"), the
// markers of a chat and a user's own.
#pragma once

#include "support/JsonCursor.h"

#include <map>
#include <unordered_map>

namespace nstf::runtime {

struct AddedToken {
  std::string content;
  bool special = false;
  bool singleWord = false;                    // matches only where no word character touches it
  bool leftStrip = false, rightStrip = false; // also takes the white space on this side
};

/// Reads an object of "content" and flags, as in tokenizer.json and tokenizer_config.json.
AddedToken readAddedToken(const support::JsonCursor &json);

/// The strings to search for, as a tree of bytes.
class AddedTokenTree {
public:
  void insert(std::string_view text, int32_t id);
  /// The longest of the strings at the start of `text`: its id and its length. Precondition: `text` is not empty.
  std::optional<std::pair<int32_t, std::size_t>> longest(std::string_view text) const;

private:
  std::map<std::pair<int32_t, unsigned char>, int32_t> next; // (node, byte) → node
  std::unordered_map<int32_t, int32_t> tokenAt;              // node → id
  int32_t nodes = 1;
  bool starts[256] = {}; // whether a string begins with this byte
};

} // namespace nstf::runtime
