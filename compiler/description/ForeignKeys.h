// Keys of config.json that change what is computed, where the architecture knows nothing of them.
#pragma once

#include "compiler/description/Parameters.h"

namespace nstf::description {

/// Most keys that a description doesn't read say nothing about the function (dropout, versions, the names of classes).
/// Throws support::InputError for one that does, unless its value is the one that changes nothing.
void refuseForeignKeys(const GraphDescription &description, const ParameterSource &source);

} // namespace nstf::description
