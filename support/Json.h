// JSON as a tree, for files somebody may have edited: errors say where, and no key stands twice in an object
// (nlohmann::json alone keeps the last of two in silence). Time is linear in the length of the text.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace nstf::support {

/// Throws InputError for what isn't JSON, at its line and column, for what is too long or nests too deep
/// (support/TextLimits.h), and for an object that has a key twice. `file` is the text's name; where the text is one
/// line of it, `line` is that line's number.
nlohmann::json parseJson(std::string_view text, const std::string &file, int line = 0);

/// A value on one line for a message: as it is written, cut after `limit` characters.
std::string describeJson(const nlohmann::json &value, size_t limit = 60);

} // namespace nstf::support
