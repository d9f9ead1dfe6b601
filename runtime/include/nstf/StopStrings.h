// Strings that end a text. They may begin and end anywhere in a token, so text that may become one is held back until
// it is known.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nstf::runtime {

class StopStrings {
public:
  /// Throws std::runtime_error on an empty string, which would end every text before it begins.
  explicit StopStrings(std::vector<std::string> strings);
  bool empty() const { return strings.empty(); }

  /// The text that is certain now: all before the stop string that is whole first, or before what may yet become one.
  /// Nothing where one was found before.
  std::string push(std::string_view text);
  /// Whether a stop string was found. It and what follows are no part of the text.
  bool found() const { return isFound; }
  /// What is left when no more text comes. What is pushed then is a new text.
  std::string finish();

private:
  std::vector<std::string> strings;
  std::string held; // the longest end of the text so far that is a beginning of a stop string
  bool isFound = false;
};

} // namespace nstf::runtime
