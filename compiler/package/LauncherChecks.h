// The launcher's checks of tokens: of input ids, and of the logits from which output tokens are chosen.
#pragma once

#include "nstf/Manifest.h"

#include <cstddef>
#include <optional>
#include <string>

namespace nstf::launcher {

/// Whether the port is the input "ids" of a model with a vocabulary, which holds token ids (the runner has the same
/// rule).
bool isIds(const manifest::Manifest &manifest, const manifest::Port &port);
/// If `output` is "next", a token chosen on the device, returns the index of the output "logits" from which it is
/// chosen.
std::optional<std::size_t> logitsBehind(const manifest::Manifest &manifest, std::size_t output);

} // namespace nstf::launcher
