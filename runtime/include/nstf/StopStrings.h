// Strings that end a text. They may begin and end inside a token, so text that may be the beginning of one is held back
// until that is decided.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nstf::runtime {

class StopStrings {
public:
  /// Throws std::runtime_error on an empty string, which would end every text at its beginning.
  explicit StopStrings(std::vector<std::string> strings);
  bool empty() const { return strings.empty(); }

  /// Adds text, and returns the text that is now certain: all text before the stop string that is complete first or, if
  /// there is none, before a possible beginning of one. Returns nothing if a stop string was found before.
  std::string push(std::string_view text);
  /// Whether a stop string was found. The stop string and the text after it do not belong to the text.
  bool found() const { return isFound; }
  /// Returns the text held back, when no more text comes. A later push begins a new text.
  std::string finish();

private:
  std::vector<std::string> strings;
  std::string held; // the longest end of the text so far that begins a stop string
  bool isFound = false;
};

} // namespace nstf::runtime
