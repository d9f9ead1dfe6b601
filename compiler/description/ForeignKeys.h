// Keys of config.json that change the computed function, but that the architecture's description does not read.
#pragma once

#include "compiler/description/Parameters.h"

namespace nstf::description {

/// Most keys that a description doesn't read don't affect the function (dropout, versions, class names). Throws
/// support::InputError for one that does, unless its value has no effect.
void refuseForeignKeys(const GraphDescription &description, const ParameterSource &source);

} // namespace nstf::description
