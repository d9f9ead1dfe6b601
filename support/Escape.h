// What a file holds, fit to stand in a message: one line, no longer than one reads, nothing a terminal obeys.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nstf::support {

/// The text with each control character, line separator, change of writing direction and byte that is no UTF-8 written
/// as an escape (\n, \x1b, \u202e, \xff); of more than `limit` characters the first `limit`, followed by "…".
/// Text that has been escaped stays as it is: a backslash is no reason to escape.
std::string escape(std::string_view text, size_t limit = 200);

/// A file's name or a whole message, which may be longer than what it quotes.
inline constexpr size_t longLimit = 4096;

} // namespace nstf::support
