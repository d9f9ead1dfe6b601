// A computation in a process of its own.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>

namespace nstf {

/// Runs `body` in a child of this process and gives what it returns: {"error": text} where it throws or the child ends
/// by a signal. `body` may compute in parallel with oneTBB. Throws std::runtime_error where no child can be had.
nlohmann::ordered_json runApart(const std::function<nlohmann::ordered_json()> &body);

} // namespace nstf
