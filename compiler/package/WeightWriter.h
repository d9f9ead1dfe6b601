// Writes a package's weights to weights.safetensors, or refers to their files.
#pragma once

#include "compiler/package/Package.h"

namespace nstf {

class PackageFolder;

/// Writes the weights that the mode requires, and sets the `source` of every tensor that has one. See writePackage for
/// the modes.
void writeWeights(PackageFolder &folder, manifest::Weights &weights, const std::vector<WeightOrigin> &origins);

} // namespace nstf
