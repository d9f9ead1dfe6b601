// Tokens that are found in a text as they stand, before a model of words or pieces sees it: special ones ("<s>"), a
// chat's markers and a user's own.
#pragma once

#include "support/JsonCursor.h"

#include <map>
#include <unordered_map>

namespace nstf::runtime {

struct AddedToken {
  std::string content;
  bool special = false;
  bool singleWord = false;                    // counts where no word touches it
  bool leftStrip = false, rightStrip = false; // takes the white space on that side
};

/// An object of "content" and flags, as tokenizer.json and tokenizer_config.json have them.
AddedToken readAddedToken(const support::JsonCursor &json);

/// The strings that are looked for, as a tree of bytes.
class AddedTokenTree {
public:
  void insert(std::string_view text, int32_t id);
  /// The longest string at the start of `text`, which isn't empty: its id and its length.
  std::optional<std::pair<int32_t, std::size_t>> longest(std::string_view text) const;

private:
  std::map<std::pair<int32_t, unsigned char>, int32_t> next; // (node, byte) → node
  std::unordered_map<int32_t, int32_t> tokenAt;              // node → id
  int32_t nodes = 1;
  bool starts[256] = {}; // whether a string begins with the byte
};

} // namespace nstf::runtime
