// Weights that are numbers throughout: what is made of others would be wrong in silence.
#pragma once

#include "compiler/reference/WeightReader.h"

namespace nstf::calibrate {

/// Throws std::runtime_error where a number is not finite; it says which.
std::shared_ptr<reference::Tensor> readFinite(reference::WeightReader &reader, WeightOp weight);

} // namespace nstf::calibrate
