// Weights of a package: into weights.safetensors, or left where they are.
#pragma once

#include "compiler/package/Package.h"

namespace nstf {

class PackageFolder;

/// Writes what the mode asks for and sets the `source` of every tensor that has one. See writePackage for the modes.
void writeWeights(PackageFolder &folder, manifest::Weights &weights, const std::vector<WeightOrigin> &origins);

} // namespace nstf
