// What a launcher checks of tokens: those that go in, and what those that come out were chosen from.
#pragma once

#include "nstf/Manifest.h"

#include <cstddef>
#include <optional>
#include <string>

namespace nstf::launcher {

/// The runner's rule: the input "ids" of a model with a vocabulary holds token ids.
bool isIds(const manifest::Manifest &manifest, const manifest::Port &port);
/// Of the output "next", a token chosen on the device, the output that it is chosen from, "logits".
std::optional<std::size_t> logitsBehind(const manifest::Manifest &manifest, std::size_t output);

/// The members of Impl that check them: checkIds, checkLogits; those without use are left out.
std::string checkFunctions(const manifest::Manifest &manifest);

} // namespace nstf::launcher
