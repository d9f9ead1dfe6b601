// Makes text from files safe for messages: one line of limited length, without characters that control a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nstf::support {

/// Returns the text with every control character, line separator, change of writing direction and byte that is not
/// UTF-8 written as an escape (\n, \x1b, \u202e, \xff). Text of more than `limit` characters is cut there, and "…"
/// appended. Escaping twice changes nothing, since backslashes are not escaped.
std::string escape(std::string_view text, size_t limit = 200);

/// The limit for file names and whole messages, which may be longer than a quoted value.
inline constexpr size_t longLimit = 4096;

} // namespace nstf::support
