// Cutting a byte stream into characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nstf::support {

inline constexpr const char *replacementCharacter = "\xef\xbf\xbd"; // U+FFFD

/// How the bytes at the start of `bytes` continue (Unicode 15, table 3-7, well-formed UTF-8).
struct Utf8Prefix {
  size_t length;   ///< bytes of the character, or of the longest start of one
  bool valid;      ///< they are a whole character
  bool unfinished; ///< they end where `bytes` ends and more could complete them
};
Utf8Prefix utf8Prefix(std::string_view bytes);

/// Removes from `bytes` everything that is certain and returns it, each maximal ill-formed piece as U+FFFD; the start
/// of a character at the end stays.
std::string takeWholeCharacters(std::string &bytes);

} // namespace nstf::support
