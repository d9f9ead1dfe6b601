// JSON read strictly.
//
// nlohmann::json keeps the last of two equal keys in silence; a checkpoint with two tensors of one name must be
// refused.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace nstf {

/// Parses `text`. Throws ImportError naming `file` and the byte when it isn't JSON or an object holds a key twice.
nlohmann::json parseJson(std::string_view text, const std::string &file);

/// A JSON value on one line for a message, cut after 60 characters.
std::string describe(const nlohmann::json &value);

} // namespace nstf
