// Parses JSON that somebody may have edited into a tree. Errors give the line and column, and a duplicate key in an
// object is an error (nlohmann::json silently keeps the last one). Time is linear in the length of the text.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace nstf::support {

/// Throws InputError with line and column for a syntax error, for text that is too long or nests too deep
/// (support/TextLimits.h), and for an object with a duplicate key. `file` is the text's name. If the text is one line
/// of the file, `line` is that line's number.
nlohmann::json parseJson(std::string_view text, const std::string &file, int line = 0);

/// A value on one line for a message, as JSON, cut after `limit` characters.
std::string describeJson(const nlohmann::json &value, size_t limit = 60);

} // namespace nstf::support
