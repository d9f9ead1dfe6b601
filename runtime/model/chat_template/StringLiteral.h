// The escapes of a string in a template: Python's.
#pragma once

#include "runtime/model/chat_template/Token.h"

#include <optional>

namespace nstf::runtime::jinja {

/// What stands between the quotes, with escapes decoded; made texts go into `store`. Nothing where an escape is wrong,
/// which `problem` then says.
std::optional<std::string_view> decodeString(std::string_view inner, TextStore &store, std::string &problem);

} // namespace nstf::runtime::jinja
