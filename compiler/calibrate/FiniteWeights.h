// Reads weights and checks that all numbers are finite; results computed from infinities or NaNs would be silently
// wrong.
#pragma once

#include "compiler/reference/WeightReader.h"

namespace nstf::calibrate {

/// Throws std::runtime_error for a number that is not finite, and names it.
std::shared_ptr<reference::Tensor> readFinite(reference::WeightReader &reader, WeightOp weight);

} // namespace nstf::calibrate
