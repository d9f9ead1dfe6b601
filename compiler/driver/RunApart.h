// A computation in a process of its own.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace nstf {

/// Runs `body` in a child of this process and gives what it returns: {"error": text} where it throws or the child ends
/// by a signal, with `what` the child did ("verified") in the text. `body` may compute in parallel with oneTBB. Throws
/// std::runtime_error where no child can be had.
nlohmann::ordered_json runApart(const std::string &what, const std::function<nlohmann::ordered_json()> &body);

} // namespace nstf
