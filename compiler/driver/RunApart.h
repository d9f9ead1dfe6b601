// Runs a computation in its own process.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace nstf {

/// Runs `body` in a child process and returns its result. If `body` throws or a signal ends the child, the result is
/// {"error": text}; the text then says what the child did, `what` ("verified"). `body` may compute in parallel with
/// oneTBB. Throws std::runtime_error if no child can be created.
nlohmann::ordered_json runApart(const std::string &what, const std::function<nlohmann::ordered_json()> &body);

} // namespace nstf
