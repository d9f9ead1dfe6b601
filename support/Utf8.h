// Splits a byte stream into UTF-8 characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nstf::support {

inline constexpr const char *replacementCharacter = "\xef\xbf\xbd"; // U+FFFD

/// The first character of `bytes` (Unicode 15, table 3-7, well-formed UTF-8).
struct Utf8Prefix {
  size_t length;   ///< bytes of the character, or of the longest valid prefix of one
  bool valid;      ///< the character is complete
  bool unfinished; ///< `bytes` ends within the character, which more bytes could complete
};
Utf8Prefix utf8Prefix(std::string_view bytes);

/// Removes all complete characters from `bytes` and returns them, with each maximal ill-formed piece as U+FFFD. The
/// beginning of a character at the end stays in `bytes`.
std::string takeWholeCharacters(std::string &bytes);

} // namespace nstf::support
