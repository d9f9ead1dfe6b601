// The escapes of a string literal in a template: Python's.
#pragma once

#include "runtime/model/chat_template/Token.h"

#include <optional>

namespace nstf::runtime::jinja {

/// Decodes the escapes in `inner`, the text between the quotes; decoded texts are stored in `store`. Returns nothing
/// when an escape is wrong; `problem` then says why.
std::optional<std::string_view> decodeString(std::string_view inner, TextStore &store, std::string &problem);

} // namespace nstf::runtime::jinja
